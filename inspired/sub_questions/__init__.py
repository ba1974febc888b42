"""Sub-question generation: each step as a question in plain English, from templates and rules."""
