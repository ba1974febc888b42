"""How good the model is, and what another decision threshold would do: `score`, `threshold`."""
