"""The question that comes before money is spent."""

import argparse
import sys

from backend.errors import FaithfulnessError
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile


def add_yes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask before what costs money")


def agreed(dollars: float, limit: float | None = None) -> bool:
    """Whether the person at the terminal wants to spend up to so much. Raises FaithfulnessError where nobody can be asked."""
    most = dollars if limit is None else min(dollars, limit)
    if not most:
        return True
    if not sys.stdin.isatty():
        raise FaithfulnessError(f"This run may cost up to ${most:,.2f}; give --yes to start it without being asked.")
    return input(f"This run may cost up to ${most:,.2f}. Start it? [y/N] ").strip().lower() in ("y", "yes")


def agreed_to_calls(folder: RunFolder, samples: int | None, calls: int, yes: bool) -> bool:
    """Whether so many calls more may be made for each of at most so many samples of every model of a run (None for all)."""
    return yes or agreed(sum(dollars_of(folder, name, samples, calls) for name in folder.models()))


def dollars_of(folder: RunFolder, name: str, samples: int | None, calls: int) -> float:
    """What so many calls cost for each sample, at the mean of the run's own calls to this model."""
    profile = Profile.model_validate({"name": name, **folder.settings()["models"][name]})
    spent = folder.spent(name)
    asked = sum(row.calls for row in spent)
    if not asked:
        return 0.0
    cost = profile.cost(sum(row.prompt_tokens for row in spent), sum(row.completion_tokens for row in spent)) / asked
    return cost * calls * (len(spent) if samples is None else min(samples, len(spent)))
