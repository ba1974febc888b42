"""The conversation from Python: a chat about a model in memory, its answers in a notebook, a report, figures for a paper."""
