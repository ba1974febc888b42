"""Rows like a given one, and how the prediction moves with one feature: `similar`, `effect`."""
