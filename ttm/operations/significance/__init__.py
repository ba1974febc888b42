"""Whether what the last answer shows is beyond chance: `significant`."""
