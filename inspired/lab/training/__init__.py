"""What sequence-to-sequence models of this package learn from, and how well they have learnt it (section 5)."""
