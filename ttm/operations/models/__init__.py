"""Two models of one table side by side: `models`."""
