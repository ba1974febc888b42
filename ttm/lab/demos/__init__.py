"""How the three demos were made: scripts that derive their tables and train their models."""
