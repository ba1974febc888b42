"""The commands of `python -m inspired`, one a file: `arguments(parser)` and `run(args)`."""
