"""Teaches the language model that gives the second opinion, and fits how the two opinions are weighed."""
