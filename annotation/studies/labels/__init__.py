"""One label for each item out of several answers, and what leads decide where workers disagree."""
