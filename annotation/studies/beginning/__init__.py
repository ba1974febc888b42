"""Before a study: making one in the browser, and the example to try."""
