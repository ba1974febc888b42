"""What was decided about a message: its ingredients, and the spans with their roles, links and relations."""
