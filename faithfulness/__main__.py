"""`python -m faithfulness`: does a language model use what it says it used, over whole data sets?"""

from collections.abc import Sequence

from backend.program.command_line import CommandLineParser, run
from benchmarks.prompt_reuse import command as bench
from faithfulness.commands import baselines, compare, estimate, report, sweep
from faithfulness.commands import run as run_command

COMMANDS = {
    "estimate": estimate,
    "run": run_command,
    "sweep": sweep,
    "baselines": baselines,
    "report": report,
    "bench": bench,
    "compare": compare,
}


def main(argv: Sequence[str], program: str = "python -m faithfulness") -> int:
    parser = CommandLineParser(prog=program, description="Does a language model use what it says it used?")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.arguments(commands.add_parser(name, help=command.HELP))
    args = parser.parse_args(argv)
    return int(COMMANDS[args.command].run(args))


if __name__ == "__main__":
    raise SystemExit(run("python -m faithfulness", main))
