"""Fitting the default parser: to generated questions, to accepted corrections, to questions of people."""
