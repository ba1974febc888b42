"""The commands of `python -m faithfulness`, one a file: `arguments(parser)` and `run(args)`."""
