"""The commands that make the paper's tables of models: train one, let it predict, and set its scores beside the paper's."""
