"""Prove the templates: each can be filled and read, is carried out, and says what no other says."""
