"""Governments, parliaments, memberships, peoples, languages and emblems of countries."""
