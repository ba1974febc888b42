"""What terms of the trade mean."""
