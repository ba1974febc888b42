"""What all renderers share: an answer with its wording of numbers and groups, and the look of figures."""
