"""How long a call from Python takes, beside the same question to a running app: `python -m benchmarks python-calls`.

About a data set with the model that is trained for it, or with `--model` about made rows and a model of that kind in memory.
Each side has a data set, a model and explanations of its own, so that neither finds what the other has computed. The app is
asked by its endpoint `/ttm_ask`, on this computer; a screen takes longer. Rows are asked about once.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.ports import free_port

if TYPE_CHECKING:
    from ttm.chat.interface.chat import ModelChat


NOISE = 0.05
MODELS = ("forest", "lightgbm", "network", "regression")


@dataclass(frozen=True)
class TimedCall:
    """Least processor seconds of a call and of the question, over `repeats`, of all threads, client and server together.

    Neither waits for anything else, and what else a computer does adds to the clock alone. `parse` is how the app understood
    the last question.
    """

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
    return next((feature.name for feature in chat.schema.features if feature.values), chat.schema.features[-1].name)


def _question(pair: Pair, chat: "ModelChat", id: Any) -> str:
    if pair.name == "errors(by=...)" and not chat.schema.target.is_classification:
        return f"compare {_column(chat)}"  # rates of right and wrong are of classes
    return pair.question.format(id=id, column=_column(chat))


def made_chat(kind: str) -> "ModelChat":
    """A chat about 400 made rows and a model of this kind, fitted on them. Raises ImportError where its library is missing."""
    import numpy as np
    import pandas as pd
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    import ttm

    draws = np.random.default_rng(0)
    frame = pd.DataFrame({name: draws.normal(size=400).round(2) for name in ("age", "income", "savings", "debt", "rent")})
    frame["sex"] = draws.integers(0, 2, 400)
    risk = frame["debt"] - frame["income"] + draws.normal(0, 0.5, 400)
    outcome: Any = risk.round(2) if kind == "regression" else np.where(risk > 0, "yes", "no")
    model: Any
    if kind == "network":
        model = _network(frame)
    elif kind == "lightgbm":
        from lightgbm import LGBMClassifier

        model = LGBMClassifier(verbose=-1).fit(frame, outcome)
    else:
        forest = RandomForestRegressor if kind == "regression" else RandomForestClassifier
        model = forest(100, random_state=0).fit(frame, outcome)
    return ttm.talk(model, frame.assign(churn=outcome), target="churn")


def _network(frame: Any) -> Callable[[Any], Any]:
    import torch

    module = torch.nn.Sequential(torch.nn.Linear(frame.shape[1], 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    return lambda rows: module(torch.tensor(rows.to_numpy(dtype="float32"))).softmax(-1)


def compare(make: Callable[[], "ModelChat"], repeats: int) -> list[TimedCall]:
    """Measure every pair on two chats of a kind. Raises a ParleyError if what they are about cannot be used."""
    chat, other = make(), make()
    app = other.app()
    app.launch(server_name="127.0.0.1", server_port=free_port(), prevent_thread_lock=True, quiet=True)
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
    questions = [_question(pair, chat, id) for id in ids]
    python: list[float] = []
    app: list[float] = []
    answers: list[dict[str, Any]] = []
    for turn, (id, words) in enumerate(zip(ids, questions, strict=True)):
        timed: list[tuple[list[float], Callable[[], Any]]] = [
            (python, partial(pair.call, chat, id)),
            (app, partial(_ask, client, words, answers)),
        ]
        for seconds, act in timed if turn % 2 else timed[::-1]:  # by turns: what else this computer does falls on both
            seconds.append(_seconds(act))
    return TimedCall(pair.name, questions[-1], answers[-1]["parse"], min(python), min(app), repeats)


def _ask(client: Any, words: str, answers: list[dict[str, Any]]) -> None:
    answers.append(client.predict(words, api_name="/ttm_ask"))


def _seconds(act: Callable[[], Any]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def markdown(rows: Sequence[TimedCall]) -> str:
    lines = ["| call | processor s | the question in the app | processor s | understood as |", "|---|---|---|---|---|"]
    lines += [f"| `{each.call}` | {each.python:.3f} | {each.question} | {each.app:.3f} | `{each.parse}` |" for each in rows]
    return "\n".join(lines)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="german", help="diabetes, german, compas or a folder with dataset.toml")
    parser.add_argument("--model", choices=MODELS, help="a model of this kind in memory, in place of a data set")
    parser.add_argument("--repeats", type=int, default=3, help="how often each is measured, on other rows (default 3)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the table. Ends with 1 if a call takes longer than its question by more than two like measurements differ."""
    import ttm

    rows = compare(partial(made_chat, args.model) if args.model else partial(ttm.talk, args.dataset), max(1, args.repeats))
    text = json.dumps([asdict(each) for each in rows], indent=2) if args.json else markdown(rows)
    sys.stdout.write(text + "\n")
    slower = [each.call for each in rows if each.python > (1 + NOISE) * each.app]
    if slower:
        sys.stderr.write(f"Slower than the question: {', '.join(slower)}.\n")
    return int(bool(slower))
