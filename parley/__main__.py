"""The command `parley`: the app and the four parts, each with the commands of its own (`parley chat answer ...`)."""

from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from backend.program import command_line
from backend.program.unused_plots import do_without_plots
from backend.program.version import VERSION

# Name, module whose `main(argv, program)` runs, what --help says. A module is imported when its name was typed.
PARTS = {
    "serve": ("parley.serve", "start the app and serve it to browsers"),
    "chat": ("ttm.__main__", "talk to a model of a table; measure and train what understands questions"),
    "kb": ("inspired.__main__", "ask a knowledge base step by step; build, clean, measure"),
    "study": ("annotation.__main__", "run an annotation study; review and export what was collected"),
    "mcp": ("parley.agent_tools", "offer tools to an agent over standard input and output (MCP)"),
    "faithfulness": ("faithfulness.__main__", "measure whether language models use what they say they use"),
}


def main(argv: Sequence[str]) -> int | None:
    """Run one part's command line. Raises SettingsError for an unknown name or option."""
    parser = command_line.CommandLineParser(
        prog="parley", description="Ask models and knowledge bases, and check their answers."
    )
    parser.add_argument("--version", action="version", version=f"Parley {VERSION}")
    parts = parser.add_subparsers(title="commands", metavar="COMMAND", dest="part", required=True)
    for name, (_, about) in PARTS.items():
        parts.add_parser(name, help=about, add_help=False)
    args = parser.parse_args(argv[:1])  # the rest belongs to the part, --help as well
    module, _ = PARTS[args.part]
    result: int | None = import_module(module).main(argv[1:], f"parley {args.part}")
    return result


def run() -> NoReturn:
    """Run `parley` with the arguments of this process, and end the process with its exit code."""
    do_without_plots()
    command_line.leave(command_line.run("parley", main))


if __name__ == "__main__":
    run()
