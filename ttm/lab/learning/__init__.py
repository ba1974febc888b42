"""Teaching the default parser: the corpus, what its lines say, training, and what was learned as a file of weights."""
