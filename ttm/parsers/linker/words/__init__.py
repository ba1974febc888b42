"""Words of an utterance: tokens, typing errors, fixed phrases, and the English that the parser knows."""
