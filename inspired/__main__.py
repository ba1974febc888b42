"""`python -m inspired`: questions over a knowledge base on the command line."""

from collections.abc import Sequence

from backend.program.command_line import CommandLineParser, run
from inspired.commands import answer, ask, build_kb, clean, decompose, fit_parser, generate, load_kb, metrics, simulate, train

COMMANDS = {
    "answer": answer,
    "ask": ask,
    "build-kb": build_kb,
    "clean": clean,
    "decompose": decompose,
    "fit-parser": fit_parser,
    "generate": generate,
    "load-kb": load_kb,
    "metrics": metrics,
    "simulate": simulate,
    "train": train,
}


def main(argv: Sequence[str], program: str = "python -m inspired") -> int:
    parser = CommandLineParser(prog=program, description="Complex questions over a knowledge base, step by step.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.arguments(commands.add_parser(name, help=command.HELP))
    args = parser.parse_args(argv)
    code: int = COMMANDS[args.command].run(args)
    return code


if __name__ == "__main__":
    raise SystemExit(run("python -m inspired", main))
