"""Reports of a run: outcomes of samples, summaries, tables, figures, pages and files."""
