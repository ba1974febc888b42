"""The operations of the parse language, one folder a family, and the execution engine that carries parses out."""
