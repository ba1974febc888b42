"""Linking: which entities, values, kinds and relations of the knowledge base the words of a question name."""
