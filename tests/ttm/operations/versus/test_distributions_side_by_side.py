"""Distributions of several groups: numbers of each against pandas, and a figure that has all groups."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.ttm.conftest import Asker
from ttm.operations.render import Answer, render_turn
from ttm.operations.rendering.figure_table import figure_table

GROUPS = "filter smoker true versus filter smoker false"


def answer(conversation: Asker, text: str) -> Answer:
    (only,) = render_turn(conversation.all(text), conversation.schema)
    return only


def figure_of(conversation: Asker, text: str) -> Any:
    return answer(conversation, text).figure


def test_every_group_has_a_box_with_its_own_quartiles(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    figure = figure_of(ask, f"{GROUPS} and distribution age")
    assert len(figure.data) == 2
    for value, box in zip(("yes", "no"), figure.data, strict=True):
        ages = frame.loc[frame["smoker"] == value, "Age"]
        five = [box.lowerfence[0], box.q1[0], box.median[0], box.q3[0], box.upperfence[0]]
        assert five == pytest.approx(np.quantile(ages.dropna(), (0, 0.25, 0.5, 0.75, 1)))
        assert f"({len(ages):,})" in box.name
    table = figure_table(figure)
    assert table is not None
    assert [row[0] for row in table.rows] == [box.name for box in figure.data]


def test_the_sentence_tells_both_medians(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    medians = [frame.loc[frame["smoker"] == value, "Age"].median() for value in ("yes", "no")]
    text = answer(ask, f"{GROUPS} and distribution age").text.replace("*", "")
    assert text.startswith("The median of age is ")
    first, second = text.split(" against ")
    assert f"is {medians[0]:.0f} for" in first
    assert second.startswith(f"{medians[1]:.0f} for")


def test_categories_are_compared_by_the_share_of_each_value(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    figure = figure_of(ask, f"{GROUPS} and distribution loanpurpose")
    shares = [frame.loc[frame["smoker"] == value, "loan purpose"].value_counts(normalize=True) for value in ("yes", "no")]
    assert len(figure.data) == 2
    for bars, share in zip(figure.data, shares, strict=True):
        values = bars.x if bars.orientation == "h" else bars.y
        assert sorted(values) == pytest.approx(sorted(share))


@pytest.mark.parametrize("kind", ["binary", "several", "regression"])
def test_outputs_of_the_model_are_compared_too(kind: str, asker: Callable[[str], Asker]) -> None:
    shown = answer(asker(kind), f"{GROUPS} and distribution probability")
    assert shown.figure is not None
    assert len(shown.figure.data) == 2
    assert " against " in shown.text


def test_an_empty_group_leaves_the_figure_to_the_other(ask: Asker) -> None:
    shown = answer(ask, "filter age greater than 300 versus filter smoker true and distribution age")
    assert "no people with age above 300" in shown.text
    assert shown.figure is not None
