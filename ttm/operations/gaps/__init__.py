"""How many values are missing, column by column."""
