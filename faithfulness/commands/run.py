"""`python -m faithfulness run`: the method over a data set, for one or more models."""

import argparse
import signal
import threading
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tqdm import tqdm

from backend.errors import FaithfulnessError
from backend.models.language_models import PACKAGED_MODEL, WAYS
from faithfulness.lab.cluster.ray_cluster import ANY, connected
from faithfulness.method.explain import Plan
from faithfulness.method.regions import Splitter
from faithfulness.runs.estimate import estimates
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.run import RunProgress, RunSpecification, Workers, run_study
from faithfulness.runs.shapes import parse_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

GRACE = 1.0  # seconds that Ctrl-C leaves to calls in flight


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Run the method over a data set. The same command takes up a run that ended early and repeats no call."
    add_data(parser)
    add_models(parser)
    add_plan(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="folder of the run")
    parser.add_argument("--backend", choices=["local", "ray"], default="local",
                        help="ask from this computer, or from the workers of a Ray cluster that is there (local)")  # fmt: skip
    parser.add_argument("--ray-address", metavar="ADDRESS",
                        help="HOST:PORT or ray://HOST:PORT; without, the cluster that runs on this computer")  # fmt: skip


def add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", required=True, metavar="FILE|FOLDER|hf:OWNER/NAME[:SPLIT]",
        help="rows with question, context and answers, in the usual shapes: .jsonl, .json, .csv, .tsv, .xlsx, .parquet, "
        "a folder of save_to_disk, or a Hugging Face data set",
    )  # fmt: skip
    parser.add_argument("--columns", type=columns, default={}, metavar="question=NAME,...",
                        help="what the columns are called: question=NAME,context=NAME,answers=NAME,id=NAME")  # fmt: skip
    parser.add_argument("--own-answer", action="store_true",
                        help="judge by the model's own answer with the whole passage, as rows without answers are")  # fmt: skip
    parser.add_argument("--limit", type=positive, metavar="N", help="only N rows, drawn at random by --seed")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="start of every random draw (0)")
    parser.add_argument("--skip-bad", action="store_true", help="leave out rows that cannot be used, and say which")


def add_models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", action="append", dest="models", required=True, metavar="NAME",
        help="a model; repeat it for several. SmolLM2-135M-Instruct runs on this computer, and so does "
        "transformers:NAME_OR_FOLDER, a model of the Hugging Face hub",
    )  # fmt: skip
    parser.add_argument("--base-url", metavar="URL", help="address of a server with the OpenAI interface")
    parser.add_argument("--key", metavar="VARIABLE", help="environment variable that holds the key (OPENAI_API_KEY)")
    parser.add_argument("--protocol", choices=["chat", "continuation"], help="how to ask; by default the model's profile says")
    parser.add_argument("--guide", choices=[*WAYS, "none"], metavar="WAY",
                        help=f"hold replies to their form, if the server can: {', '.join(WAYS)} or none")  # fmt: skip
    parser.add_argument("--reply-tokens", type=positive, metavar="N",
                        help="tokens of a reply before it is asked for once more with room to spare; models that reason "
                        "need some thousands")  # fmt: skip
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="what a server has for the whole of a reply (60)")
    parser.add_argument("--deterministic", action="store_true", default=None,
                        help="a model on this computer computes each prompt alone and from scratch (slower)")  # fmt: skip
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], help="numbers of a model that transformers runs")
    parser.add_argument("--in-flight", type=positive, metavar="N", help="calls that may wait for a reply at the same time")


def add_local_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default=PACKAGED_MODEL, metavar="NAME",
                        help=f"{PACKAGED_MODEL}, or transformers:NAME_OR_FOLDER")  # fmt: skip
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], help="numbers of a model that transformers runs")


def add_plan(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """With `several`, parts and groups are lists: 2,3,4."""
    if several:
        parser.add_argument("--parts", type=numbers, default=[2, 3, 4], metavar="P,P", help="numbers of regions (2,3,4)")
        parser.add_argument("--groups", type=numbers, default=[3, 5, 8], metavar="Q,Q", help="numbers of groups (3,5,8)")
    else:
        parser.add_argument("--parts", type=positive, default=3, metavar="P", help="candidate regions of a passage (3)")
        parser.add_argument("--groups", type=positive, default=5, metavar="Q", help="groups of words of a region (5)")
    parser.add_argument("--splitter", choices=[each.value for each in Splitter], default=Splitter.SENTENCES.value,
                        help="equal numbers of words, or these moved to sentence ends (sentences)")  # fmt: skip
    parser.add_argument("--mask", default="_", metavar="TEXT", help="what stands in for a masked group (_)")
    parser.add_argument("--repeats", type=positive, default=1, metavar="N", help="ask each question N times (1)")
    parser.add_argument("--no-closed-book", action="store_true", help="do not ask without the passage")
    parser.add_argument("--paper", action="store_true", help="judge answers by the letter of the paper")


def study_of(args: argparse.Namespace) -> RunSpecification:
    if len(set(args.models)) < len(args.models):
        raise FaithfulnessError("--model names the same model twice.")
    return RunSpecification(args.data, profiles_of(args), plan_of(args), args.limit, args.skip_bad, args.paper, args.columns)


def plan_of(args: argparse.Namespace) -> Plan:
    return Plan(
        parts=args.parts, groups=args.groups, splitter=Splitter(args.splitter), mask=args.mask,
        closed_book=not args.no_closed_book, seed=args.seed, repeats=args.repeats, own_answer=args.own_answer,
    )  # fmt: skip


def profiles_of(args: argparse.Namespace) -> tuple[Profile, ...]:
    named = ("key", "protocol", "guide", "reply_tokens", "timeout", "deterministic", "dtype", "in_flight")
    overrides = {name: getattr(args, name) for name in named}
    profiles = tuple(profile_of(name, args.base_url, **overrides) for name in args.models)
    for each in profiles:
        each.open_protocol()  # says now what does not fit together
    return profiles


def run(args: argparse.Namespace) -> int:
    study, folder = study_of(args), RunFolder(args.out)
    if args.ray_address and args.backend != "ray":
        raise FaithfulnessError("--ray-address is for --backend ray.")
    for profile in study.profiles:
        profile.open()  # says now if it is not known where a model is; nothing is loaded
    for each in estimates(study, finished=folder.finished):
        print(f"To be asked at the least and at the most: {each.line()}", flush=True)
    failed = 0
    cluster = connected(args.ray_address or ANY) if args.backend == "ray" else nullcontext()
    with cluster as workers, stop_gently() as stopped:
        for name, bar in _bars(study, folder, stopped, workers):
            failed += bar.failed
            print(f"{name}: {bar.finished} of {bar.samples} samples finished, {bar.calls} calls made now"
                  + (f", ${bar.dollars:.2f}" if bar.dollars else "")
                  + (f"; {bar.failed} failed, see {folder.path}/results" if bar.failed else ""))  # fmt: skip
        if stopped.is_set():
            print("Stopped. The same command goes on from here.")
            return 130
    print(f"Next: python -m faithfulness report {folder.path}")
    return 1 if failed else 0


def _bars(
    study: RunSpecification, folder: RunFolder, stopped: threading.Event, workers: Workers | None
) -> "Iterator[tuple[str, RunProgress]]":
    """The last progress of each model, with a bar on the screen until then."""
    bar: tqdm[NoReturn] | None = None
    last: RunProgress | None = None
    for progress in run_study(study, folder, stopped.is_set, workers=workers, grace=GRACE):
        if last is None or progress.model != last.model:
            if bar is not None and last is not None:
                bar.close()
                yield last.model, last
            for each in progress.bad if last is None else ():
                tqdm.write(f"Left out: {each.reason}")
            bar = tqdm(total=progress.samples, initial=progress.finished, unit=" samples", desc=progress.model, disable=None)
        assert bar is not None
        bar.update(progress.finished - bar.n)
        bar.set_postfix_str(f"{progress.calls} calls" + (f", ${progress.dollars:.2f}" if progress.dollars else ""))
        last = progress
    if bar is not None and last is not None:
        bar.close()
        yield last.model, last


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


def columns(text: str) -> dict[str, str]:
    try:
        return parse_columns(text)
    except FaithfulnessError as error:
        raise argparse.ArgumentTypeError(error.message) from error


def positive(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return value


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def numbers(text: str) -> list[int]:
    """Whole numbers above 0 between commas, each once, in order."""
    return sorted({positive(part.strip()) for part in text.split(",")})
