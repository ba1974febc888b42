"""Parsers: from a question to logical forms, and from a correction in words to a sub-logical form."""
