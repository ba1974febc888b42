"""How a network is fitted to pairs of texts: batches, processors and cards, steps and checkpoints."""
