"""The pages before a study: trying the example, and making a study of one's own."""
