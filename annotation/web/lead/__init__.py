"""The pages and calls of a lead: progress, people, items, review, figures."""
