"""The table: reading it, inferring its schema, what a person states about it in `dataset.toml`."""
