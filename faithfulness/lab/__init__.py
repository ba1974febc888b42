"""The laboratory of faithfulness, which no visitor reaches: sweeps, engines side by side, clusters."""
