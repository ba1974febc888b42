"""Other ways to find the words that an answer rests on, on the same samples and with the same number of calls."""
