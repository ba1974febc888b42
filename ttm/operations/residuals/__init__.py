"""How far predictions lie from the truth: `residuals`."""
