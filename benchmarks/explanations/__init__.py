"""How faithful, stable and fast explanations are."""
