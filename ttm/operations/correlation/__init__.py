"""How columns go together: `correlate`."""
