"""Requests: the cue phrases of operations, which of them are meant, and their arguments."""
