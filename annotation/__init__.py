"""Collecting data from people: the review of parses into gold parses, and studies with workers."""
