"""Conversations that the browser keeps: a list to return to, what an address asks for, and carrying them out again."""
