"""Tables 8, 9, 10, 12 and 13 of the paper for models trained here: each row scored from a file of predictions."""
