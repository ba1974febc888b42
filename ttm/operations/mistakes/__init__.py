"""Where the model is wrong: `mistake`."""
