"""Text of people, data and models: which of it can be stored, and how it is made safe to show."""
