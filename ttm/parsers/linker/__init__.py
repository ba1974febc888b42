"""The default parser: links words to the schema, reads structure by rules kept in data files; trained on nothing."""
