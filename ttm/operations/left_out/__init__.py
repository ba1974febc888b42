"""The model without one of its features: `without`."""
