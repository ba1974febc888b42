"""A second opinion about the readings of a message: a small language model that was trained to write parses."""
