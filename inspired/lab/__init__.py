"""The laboratory of questions, which no visitor reaches: training, simulation, metrics, cleaning, generated questions."""
