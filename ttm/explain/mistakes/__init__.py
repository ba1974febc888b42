"""Where a model is typically wrong: the search for rules, what chance alone makes of it, and the rules that stand."""
