"""Teaching the decoder: what it should write for each message of the corpus, and the network as torch trains it."""
