"""Which rows an operation works on: filters, what-if changes, groups, and what the conversation remembers."""
