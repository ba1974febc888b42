"""SmolLM2 in NumPy: what a parser needs of it, without torch and without a server."""
