"""The demo on diabetes, from the Pima file."""
