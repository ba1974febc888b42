"""Points are the rows themselves: their values, their classes and what the model gets wrong, read off the tables."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from tests.ttm.conftest import Asker
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.operations.scatter import run
from ttm.operations.scatter.run import RowPoints


def test_points_are_the_rows_with_both_values(ask: Asker) -> None:
    result = ask("filter age greater than 40 and scatter age bodymass by label")
    assert isinstance(result, RowPoints)
    frame = ask.subject.dataset.frame
    wanted = frame[(frame["Age"] > 40) & frame["body_mass"].notna()]
    assert (result.ids, result.known) == (tuple(wanted.index), len(wanted))
    assert (result.x, result.y) == (tuple(wanted["Age"]), tuple(wanted["body_mass"]))
    classes, labels = ask.schema.target.classes, pd.Series(ask.subject.dataset.labels, frame.index)[wanted.index]
    assert result.colours == tuple("unknown" if label < 0 else classes[label] for label in labels)


@pytest.mark.parametrize("kind", ["binary", "several"])
def test_wrong_points_are_those_that_the_accuracy_counts(asker: Callable[[str], Asker], kind: str) -> None:
    ask = asker(kind)
    colours = ask("scatter age probability by error").colours
    assert colours.count("right") / (len(colours) - colours.count("unknown")) == pytest.approx(ask("score accuracy").value)


def test_the_errors_of_a_quantity_are_its_residuals(asker: Callable[[str], Asker]) -> None:
    ask = asker("regression")
    result = ask("scatter target probability by error")
    assert np.abs(result.colours).mean() == pytest.approx(ask("score mae").value)
    assert np.array(result.x) - np.array(result.y) == pytest.approx(np.array(result.colours))


def test_many_rows_are_drawn_at_random_and_said_to_be(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_POINTS", 10)
    result = ask("scatter since smoker")
    assert len(result.ids) == len(set(result.ids)) == 10
    assert f"Drawn are 10 of {result.known}" in render(result, ask.schema).text
    assert {type(value) for value in (*result.x, *result.y)} == {str}


def test_what_has_no_points_is_refused_in_words(asker: Callable[[str], Asker]) -> None:
    assert isinstance(asker("unlabelled")("scatter age target"), Refused)
    assert isinstance(asker("binary")("filter bodymass missing and scatter age bodymass"), Refused)
    assert asker("unlabelled")("scatter age bodymass").by == "prediction"
