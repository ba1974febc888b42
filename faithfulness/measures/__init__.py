"""Measures of whether an explanation is faithful, and how well each tells true explanations from false ones."""
