"""`python -m faithfulness estimate`: what a run would take."""

import argparse
import json
from dataclasses import asdict

from faithfulness.commands.options import add_data, add_models, add_plan, add_redaction, study_of
from faithfulness.reports.summary import rounded
from faithfulness.runs.estimate import Estimate, estimates


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Bounds of what a run would take, from its real prompts: at the least every answer is wrong, at the most every region "
        "is sufficient. Nothing is asked without --probe."
    )
    add_data(parser)
    add_models(parser)
    add_plan(parser)
    add_redaction(parser)
    parser.add_argument("--probe", action="store_true", help="measure tokens and seconds on two real calls of each model")
    parser.add_argument("--seconds", type=_seconds, metavar="S", help="seconds that a call takes, for the hours")
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    lines = estimates(study_of(args), args.probe, args.seconds)
    if args.json:
        print(json.dumps([_figures(each) for each in lines], indent=2, ensure_ascii=False))
        return 0
    for each in lines:
        print(each.line())
        print(f"  {each.expected_line()}")
        seconds = "" if each.measured or args.seconds else " as its profile says; --probe measures it"
        print(
            f"  tokens at {each.characters_per_token:.2f} characters each ({_source(each)}), "
            f"{each.seconds_a_call:.2f} s a call{seconds}"
        )
    return 0


def _figures(each: Estimate) -> dict[str, object]:
    return {
        name: {end: rounded(bound) for end, bound in value.items()} if isinstance(value, dict) else rounded(value)
        for name, value in asdict(each).items()
    }


def _source(each: Estimate) -> str:
    return "measured on this model" if each.measured else "measured on SmolLM2; other tokenizers differ"


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
