"""Which of several query graphs is meant: what speaks for each, and the weights that it counts with."""
