"""The way out to addresses that visitors name, and the limit on what they send in."""
