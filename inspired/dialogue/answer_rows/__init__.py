"""Answers as the rows of a table: their names, the values that decided about them, and where on earth they are."""
