"""Start Parley from a checkout: `python app.py`, or as a Hugging Face Space, which runs this file."""

from backend.program import command_line
from backend.program.unused_plots import do_without_plots
from parley.serve import main

if __name__ == "__main__":
    do_without_plots()
    command_line.leave(command_line.run("parley", main))
