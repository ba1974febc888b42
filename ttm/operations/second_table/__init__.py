"""A second table, or the rows that one talks about, beside the rows that the model was trained on."""
