"""A model that is judged on the rows it was trained on is said to be."""

import numpy as np
import pandas as pd
import pytest

from ttm.explain.explainer import Explainer
from ttm.language.grammar import grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render_turn
from ttm.tabular.subject import Subject, load_subject, subject_from_csv


def answer(subject: Subject, parse: str) -> str:
    results = ExecutionEngine(subject, Explainer(subject)).execute(grammar_of(subject.schema).read(parse)).results
    return render_turn(results, subject.schema)[-1].text


@pytest.mark.slow
def test_scores_on_the_rows_of_the_training_say_so_once(tmp_path):
    draw = np.random.default_rng(0)
    table = pd.DataFrame({"age": draw.integers(18, 80, 300), "weight": draw.normal(70, 10, 300)})
    table["ill"] = np.where(table["age"] + draw.normal(0, 15, 300) > 50, "yes", "no")
    table.to_csv(tmp_path / "ill.csv", index=False)
    subject = subject_from_csv(tmp_path / "ill.csv", "ill")
    assert answer(subject, "score accuracy and mistake count").count("trained on these very rows") == 1
    assert f"{subject.model.scores.means['accuracy']:.1%}" in answer(subject, "score accuracy")
    assert "trained on these" not in answer(subject, "countdata")


def test_scores_on_held_out_rows_need_no_warning():
    assert "trained on these" not in answer(load_subject("diabetes"), "score accuracy")
