"""A table, the model that predicts one of its columns, and both together as the subject of a conversation."""
