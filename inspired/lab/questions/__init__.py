"""Questions made from a knowledge base: logical forms sampled from its schema, worded in either of two ways."""
