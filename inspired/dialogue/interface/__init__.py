"""Questions about a knowledge base from Python: conversations, answers in a notebook, calls of programs."""
