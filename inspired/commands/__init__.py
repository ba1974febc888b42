"""The commands of `python -m inspired`, one a file: HELP, `arguments(parser)` and `run(given)`."""
