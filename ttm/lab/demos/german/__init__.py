"""The demo on credit risk, from the German credit file."""
