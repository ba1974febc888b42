"""`python -m faithfulness run`: the method over a data set, for one or more models."""

import argparse
import signal
import threading
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tqdm import tqdm

from backend.errors import FaithfulnessError, SpendingLimitReached
from faithfulness.commands.consent import add_yes, agreed
from faithfulness.commands.options import add_data, add_models, add_plan, add_redaction, dollars, positive, study_of
from faithfulness.lab.cluster.ray_cluster import ANY, connected
from faithfulness.runs.estimate import estimates
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.run import RunProgress, RunSpecification, Workers, run_study
from faithfulness.runs.spending import SpendingLimit

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY_UNREADABLE = 0.1  # the share of replies from which on a run says so
GRACE = 0.75  # seconds that Ctrl-C leaves to calls in flight


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Run the method over a data set. The same command takes up a run that ended early and repeats no call."
    add_data(parser)
    add_models(parser)
    add_plan(parser)
    add_redaction(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="folder of the run")
    parser.add_argument("--max-calls", type=positive, metavar="N", help="end before call N + 1 of this command")
    parser.add_argument("--max-cost", type=dollars, metavar="DOLLARS", help="end once this command has spent so much")
    add_yes(parser)
    parser.add_argument("--backend", choices=["local", "ray"], default="local",
                        help="ask from this computer, or from the workers of a Ray cluster that is there (local)")  # fmt: skip
    parser.add_argument(
        "--ray-address", metavar="ADDRESS", help="HOST:PORT or ray://HOST:PORT; without, the cluster that runs on this computer"
    )


def run(args: argparse.Namespace) -> int:
    study, folder = study_of(args), RunFolder(args.out)
    if args.ray_address and args.backend != "ray":
        raise FaithfulnessError("--ray-address is for --backend ray.")
    for profile in study.profiles:
        profile.open()  # says now if it is not known where a model is; nothing is loaded
    if args.backend == "ray" and (args.max_calls or args.max_cost):
        raise FaithfulnessError("--max-calls and --max-cost are for --backend local, where each call is counted.")
    if args.backend == "ray" and not any(profile.here for profile in study.profiles):
        print("Ray pays for models that run on its nodes; a server is asked as fast by --backend local.")
    estimated = estimates(study, finished=folder.finished, spent=folder.spent)
    for each in estimated:
        print(f"To be asked at the least and at the most: {each.line()}")
        print(each.expected_line(), flush=True)
    if not args.yes and not agreed(sum(each.dollars.most for each in estimated), args.max_cost):
        print("Nothing was asked.")
        return 1
    failed = 0
    limit = SpendingLimit(args.max_calls, args.max_cost)
    cluster = connected(args.ray_address or ANY) if args.backend == "ray" else nullcontext()
    with cluster as workers, stop_gently() as stopped:
        try:
            for name, bar in _bars(study, folder, stopped, workers, limit):
                failed += bar.failed
                print(_ended(name, bar, folder))
                print(unreadable_warning(name, folder), end="")
        except SpendingLimitReached as error:
            print(f"{error.message} The same command with another limit goes on from here; what was asked is kept.")
            return 1
        if stopped.is_set():
            print("Stopped. The same command goes on from here.")
            return 130
    print(f"Next: python -m faithfulness report {folder.path}")
    return 1 if failed else 0


def _ended(name: str, bar: RunProgress, folder: RunFolder) -> str:
    spent = f", ${bar.dollars:.2f}" if bar.dollars else ""
    failed = f"; {bar.failed} failed, see {folder.path}/results" if bar.failed else ""
    return f"{name}: {bar.finished} of {bar.samples} samples finished, {bar.calls} calls made now{spent}{failed}"


def unreadable_warning(name: str, folder: RunFolder) -> str:
    """A line on replies that could not be read, where they are many; empty where they are few."""
    counts = folder.reply_counts(name)
    if counts.unreadable <= MANY_UNREADABLE * counts.replies:
        return ""
    return (
        f"{name}: {counts.unreadable:,} of {counts.replies:,} replies could not be read and count as wrong; {counts.cut:,} of "
        f"them were cut by the limit of tokens, {counts.empty:,} are empty. --reply-tokens gives more room, --protocol and "
        "--guide change how it is asked.\n"
    )


def _bars(
    study: RunSpecification, folder: RunFolder, stopped: threading.Event, workers: Workers | None, limit: SpendingLimit
) -> "Iterator[tuple[str, RunProgress]]":
    """The last progress of each model, with a bar on the screen until then."""
    bar: tqdm[NoReturn] | None = None
    last: RunProgress | None = None
    begun = 0
    for progress in run_study(study, folder, stopped.is_set, workers=workers, grace=GRACE, limit=limit):
        if last is None or progress.model != last.model:
            if bar is not None and last is not None:
                bar.close()
                yield last.model, last
            for each in progress.bad if last is None else ():
                tqdm.write(f"Left out: {each.reason}")
            begun = progress.finished
            bar = tqdm(total=progress.samples, initial=progress.finished, unit=" samples", desc=progress.model, disable=None)
        assert bar is not None
        bar.update(progress.finished - bar.n)
        bar.set_postfix_str(_totals(progress, begun))
        last = progress
    if bar is not None and last is not None:
        bar.close()
        yield last.model, last


def _totals(progress: RunProgress, begun: int) -> str:
    """Calls, tokens and dollars so far, and how many dollars it will be at this rate."""
    shown = [f"{progress.calls:,} calls", f"{progress.tokens:,} tokens"]
    if progress.dollars:
        done = progress.finished - begun
        whole = f" of about ${progress.dollars * (progress.samples - begun) / done:,.2f}" if done else ""
        shown.append(f"${progress.dollars:,.2f}{whole}")
    return ", ".join(shown)


@contextmanager
def stop_gently() -> "Iterator[threading.Event]":
    """Ctrl-C begins nothing new, and gives the calls in flight a moment to come back; a second one ends at once."""
    stopped = threading.Event()

    def stop(number: int, frame: object) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
