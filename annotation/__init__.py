"""Collecting data from people: today, the review of collected parses into gold parses."""
