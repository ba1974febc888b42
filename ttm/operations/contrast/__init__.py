"""One row beside all others or a group: `contrast`."""
