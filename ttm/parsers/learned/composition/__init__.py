"""Decisions put together: conditions, rows, operations with their arguments, and the parse of all of them."""
