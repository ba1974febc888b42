"""Two or all columns together: `regress`, `correlate all`."""
