"""How visitors share the processor: what each has taken of late, whose question is next, and who sends requests too fast."""
