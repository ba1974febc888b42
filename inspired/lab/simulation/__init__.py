"""Simulated users who correct a parser step by step (section 5.3 of the paper)."""
