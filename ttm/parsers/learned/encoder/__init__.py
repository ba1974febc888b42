"""What reads: the message in pieces, the encoder, and what it is shown of the data set and of the turn before."""
