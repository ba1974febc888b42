"""The commands of `python -m faithfulness`, one a file: HELP, `arguments(parser)` and `run(given)`."""
