"""Feature weights for one row: LIME at several kernel widths, and Shapley values, exact where trees allow it."""
