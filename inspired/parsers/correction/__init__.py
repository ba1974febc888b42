"""Parse correction: from a sub-question in words and the steps so far to a sub-logical form."""
