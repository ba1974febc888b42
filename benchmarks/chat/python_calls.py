"""How long a call from Python takes, beside the same question to a running app: `python -m benchmarks python-calls`.

Each side has a data set, a model and explanations of its own, so that neither finds what the other has computed. The app is
asked by its endpoint `/ttm_ask`, on this computer; a screen takes longer. Rows are asked about once.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.ports import free_port

if TYPE_CHECKING:
    from ttm.chat.interface.chat import ModelChat


@dataclass(frozen=True)
class TimedCall:
    """Median seconds of a call and of the question, over `repeats`; `parse` is how the app understood the last one."""

    call: str
    question: str
    parse: str | None
    python: float
    app: float
    repeats: int


@dataclass(frozen=True)
class Pair:
    """A call and the same in words; `{id}` is a row of its own in each repeat."""

    name: str
    call: Callable[["ModelChat", Any], Any]
    question: str


PAIRS = (
    Pair("ask(...)", lambda chat, id: chat.ask(f"what does the model predict for id {id}?"),
         "what does the model predict for id {id}?"),
    Pair("explain(row)", lambda chat, id: chat.explain(id), "why is the prediction for id {id} what it is?"),
    Pair("counterfactuals(row)", lambda chat, id: chat.counterfactuals(id), "what would change the prediction for id {id}?"),
    Pair("importance()", lambda chat, id: chat.importance(), "how important are the features?"),
    Pair("errors()", lambda chat, id: chat.errors(), "where is the model typically wrong?"),
    Pair("errors(by=...)", lambda chat, id: chat.errors(by=_column(chat)), "is the model fair by {column}?"),
)  # fmt: skip


def _column(chat: "ModelChat") -> str:
    return next(feature.name for feature in chat.schema.features if feature.values)


def compare(dataset: str, repeats: int) -> list[TimedCall]:
    """Measure every pair. Raises a ParleyError if the data set cannot be used."""
    import ttm

    chat, other = ttm.talk(dataset), ttm.talk(dataset)
    app = other.app()
    app.launch(server_name="127.0.0.1", server_port=free_port(), prevent_thread_lock=True, quiet=True, _frontend=False)
    try:
        from gradio_client import Client  # type: ignore[import-untyped]

        client = Client(app.local_url, verbose=False, analytics_enabled=False)  # type: ignore[attr-defined]
        warm = "how many rows are there?"  # what is loaded with the first question is no part of any
        chat.ask(warm)
        _ask(client, warm, [])
        return [_compared(pair, chat, client, repeats) for pair in PAIRS]
    finally:
        app.close(verbose=False)


def _compared(pair: Pair, chat: "ModelChat", client: Any, repeats: int) -> TimedCall:
    ids = list(chat.frame.index[:repeats])
    questions = [pair.question.format(id=id, column=_column(chat)) for id in ids]
    python, app = [], []
    answers: list[dict[str, Any]] = []
    for id, words in zip(ids, questions, strict=True):  # by turns, so that what else this computer does falls on both
        python.append(_seconds(partial(pair.call, chat, id)))
        app.append(_seconds(partial(_ask, client, words, answers)))
    return TimedCall(pair.name, questions[-1], answers[-1]["parse"], statistics.median(python), statistics.median(app), repeats)


def _ask(client: Any, words: str, answers: list[dict[str, Any]]) -> None:
    answers.append(client.predict(words, api_name="/ttm_ask"))


def _seconds(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def markdown(rows: Sequence[TimedCall]) -> str:
    lines = ["| call | s | the question in the app | s | understood as |", "|---|---|---|---|---|"]
    lines += [f"| `{each.call}` | {each.python:.3f} | {each.question} | {each.app:.3f} | `{each.parse}` |" for each in rows]
    return "\n".join(lines)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="german", help="diabetes, german, compas or a folder with dataset.toml")
    parser.add_argument("--repeats", type=int, default=3, help="how often each is measured, on other rows (default 3)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the table. Ends with 1 if a call takes longer than its question."""
    rows = compare(args.dataset, max(1, args.repeats))
    text = json.dumps([asdict(each) for each in rows], indent=2) if args.json else markdown(rows)
    sys.stdout.write(text + "\n")
    slower = [each.call for each in rows if each.python > each.app]
    if slower:
        sys.stderr.write(f"Slower than the question: {', '.join(slower)}.\n")
    return int(bool(slower))
