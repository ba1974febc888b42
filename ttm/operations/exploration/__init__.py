"""Distributions, and the rows at either end: `distribution`, `highest`, `lowest`."""
