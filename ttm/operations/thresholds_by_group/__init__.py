"""What a decision threshold for each of several groups does: `threshold 0.3 0.6`."""
