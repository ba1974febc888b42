"""Schema linking: which words name a feature, a value or a class, and the utterance as a row of such items."""
