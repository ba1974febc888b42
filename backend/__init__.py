"""What the four parts of Parley share; this package knows nothing of any of them."""
