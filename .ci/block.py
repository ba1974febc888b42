# ruff: noqa: E402 - when each import happens is what is tested
"""What a newcomer types in Python, line by line, where nothing but the wheel is installed: any kind of model, each part."""

import sys
import time

began = time.perf_counter()
import annotation
import faithfulness
import inspired
import ttm

seconds = time.perf_counter() - began
assert not {"torch", "gradio", "pandas"} & set(sys.modules), "import ttm brings something heavy"

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

MODELS = {
    "forest": (RandomForestClassifier(20, random_state=0).fit(read, frame["churn"]), data, "churn"),
    "LightGBM": (lightgbm.LGBMClassifier(n_estimators=20, verbose=-1).fit(read, frame["churn"]), data, "churn"),
    "function": (lambda rows: 1 / (1 + np.exp((rows["age"] - 40) / 5)), data, "churn"),
    "regression": (
        RandomForestRegressor(20, random_state=0).fit(read, frame["income"]),
        frame[["age", "sex", "income"]],
        "income",
    ),
}


def main() -> None:
    for name, (model, rows, target) in MODELS.items():
        chat = ttm.talk(model, rows, target=target)
        assert chat.ask("who is the model wrong about?").parse == "mistake sample [e]"
        assert chat.explain(row=12).table.index[0] == "age"
        assert chat.importance().table.index[0] == "age"
        assert len(chat.errors(by="sex").table) == 2
        assert chat.counterfactuals(12, keep=["age"]).text
        assert chat.report("model.html").stat().st_size > 1_000_000
        print(f"{name}: {chat}", flush=True)  # noqa: T201
    chat.app().close(verbose=False)
    answer = inspired.ask("Which rivers flow through countries that border Austria?")
    assert "France" in answer.correct(1, "Which country borders Germany?").steps[0].answers
    answer.dialogue.save("dialogue.json")
    question, context = "where does the river end", "The river rises in the hills. It ends in Lake Quill."
    try:
        assert faithfulness.explain(question, context, parts=2, groups=2).result["stages"]["done"]
    except LanguageModelError as error:  # the wheel has no language model, and this run no network to fetch one
        if "is not on this computer" not in error.message:
            raise
    study = annotation.Study(annotation.example("study"))
    assert study.items["work"] > 0
    assert study.export("jsonl") == ""
    print(f"import takes {seconds:.2f} s.", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
