"""The laboratory of the chat, which no visitor reaches: training data, training, calibration and evaluation of parsers."""
