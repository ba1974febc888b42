"""What writes a whole reading word by word, with pointers to the data set, the message and the turn before."""
