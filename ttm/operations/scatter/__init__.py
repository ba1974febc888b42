"""All rows as points by two columns: `scatter`."""
