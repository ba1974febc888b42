"""References: rows by their id, and words that point back in the conversation."""
