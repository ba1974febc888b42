"""Logical forms: the part of SPARQL that questions use, as values, read from text, written and compared."""
