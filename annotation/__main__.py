"""Parses and studies in a terminal: `python -m annotation --help`."""

import sys
from collections.abc import Sequence

from annotation.commands import add_worker, backup, export, init, intake, restore, review, serve, stats
from backend.program import command_line
from benchmarks.study import command as bench

COMMANDS = {
    "add-worker": add_worker,
    "backup": backup,
    "bench": bench,
    "export": export,
    "import": intake,
    "init": init,
    "restore": restore,
    "review": review,
    "serve": serve,
    "stats": stats,
}


def main(argv: Sequence[str], program: str = "python -m annotation") -> int | None:
    about = "The review of collected parses, and studies with workers (--study FOLDER)."
    parser = command_line.CommandLineParser(prog=program, description=about)
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=command_line.CommandLineParser
    )
    for name, module in COMMANDS.items():
        description = f"{module.HELP[0].upper()}{module.HELP[1:]}."
        command = commands.add_parser(name, help=module.HELP, description=description)
        module.arguments(command)
        command.set_defaults(run=module.run)
    args = parser.parse_args(argv)
    result: int | None = args.run(args)
    return result


if __name__ == "__main__":
    sys.exit(command_line.run("annotation", main))
