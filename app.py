"""Start Parley from a checkout: `python app.py`, or as a Hugging Face Space, which runs this file."""

import sys

from backend import command_line
from parley.app import TABS, build, launch, main, settings_from

__all__ = ["TABS", "build", "launch", "main", "settings_from"]

if __name__ == "__main__":
    sys.exit(command_line.run("parley", main))
