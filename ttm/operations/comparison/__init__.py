"""The groups that a feature makes, side by side: `compare`."""
