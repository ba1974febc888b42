"""The parse language: its syntax, its grammar for a data set, parses in words, and editing a parse step by step."""
