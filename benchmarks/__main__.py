"""`python -m benchmarks NAME`: what is timed and measured, for all parts; `python -m benchmarks --help` lists the names.

What takes long to import is imported where it is needed.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

from backend.program import command_line


def _chat(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int | None]:
    from benchmarks.chat import add_bench, run_bench

    add_bench(parser)
    return run_bench


def _explanations(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int | None]:
    from benchmarks.explanations import add_explain_bench, run_explain_bench

    add_explain_bench(parser)
    return run_explain_bench


def _guided_decoding(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int | None]:
    from benchmarks.guided_decoding import add_guide_bench, run_guide_bench

    add_guide_bench(parser)
    return run_guide_bench


def _study(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int | None]:
    from benchmarks.study import command

    command.arguments(parser)
    return command.run


def _prompt_reuse(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int | None]:
    from benchmarks.prompt_reuse import command

    command.arguments(parser)
    return command.run


# Name -> what it measures, and what adds its options and gives the function that runs it.
BENCHMARKS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], Callable[[argparse.Namespace], int | None]]]] = {
    "chat": ("how fast many people at once are answered", _chat),
    "explanations": ("how faithful, stable and fast explanations are", _explanations),
    "guided-decoding": ("what it costs to hold models to the grammar", _guided_decoding),
    "study": ("how fast many workers at once are answered, and that nothing is lost", _study),
    "prompt-reuse": ("what sharing the beginnings of prompts saves", _prompt_reuse),
}


def main(argv: Sequence[str]) -> int | None:
    """Run one measurement. Raises SettingsError for an unknown name or option."""
    parser = command_line.CommandLineParser(prog="python -m benchmarks", description="Measurements of speed, load and cost.")
    names = parser.add_subparsers(
        title="benchmarks", metavar="NAME", required=True, parser_class=command_line.CommandLineParser
    )
    for name, (about, add) in BENCHMARKS.items():
        command = names.add_parser(name, help=about, description=f"Measure {about}.")
        if name in argv:  # the others are named in --help, but their options are not needed
            command.set_defaults(run=add(command))
    args = parser.parse_args(argv)
    result: int | None = args.run(args)
    return result


if __name__ == "__main__":
    sys.exit(command_line.run("benchmarks", main))
