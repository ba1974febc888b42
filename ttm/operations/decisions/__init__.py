"""What follows from acting on predictions: `threshold cost`, `gain`."""
