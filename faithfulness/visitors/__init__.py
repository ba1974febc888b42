"""Runs that visitors of the screen start, stop and find again."""
