"""The demo on recidivism, from ProPublica's COMPAS file."""
