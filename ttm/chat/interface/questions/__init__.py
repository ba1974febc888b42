"""Questions from Python to one model and one table: in words, as a conversation, and by call, beside it."""
