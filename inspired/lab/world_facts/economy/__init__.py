"""Currencies, indicators and trade of countries."""
