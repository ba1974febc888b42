"""What decides between readings: fitting it, keeping what it was fitted on, and learning from corrections."""
