"""`python -m inspired`: questions over a knowledge base on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from backend.command_line import Parser, run
from inspired.commands import decompose

COMMANDS = {
    "decompose": decompose,
}


def main(argv: Sequence[str]) -> int:
    parser = Parser(prog="python -m inspired", description="Complex questions over a knowledge base, step by step.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.arguments(commands.add_parser(name, help=command.HELP))
    given = parser.parse_args(argv)
    return COMMANDS[given.command].run(given)


if __name__ == "__main__":
    raise SystemExit(run("python -m inspired", main))
