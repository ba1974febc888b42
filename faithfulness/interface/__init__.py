"""The measurement from Python: one sample explained, a whole run with its tables."""
