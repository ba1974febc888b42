"""Names that complete what is being typed: which ones a graph has, an index of them, and which words a name completes."""
