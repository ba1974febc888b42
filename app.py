"""Start Parley from a checkout: `python app.py`, or as a Hugging Face Space, which runs this file."""

from backend.program import command_line
from parley.serve import main

if __name__ == "__main__":
    command_line.leave(command_line.run("parley", main))
