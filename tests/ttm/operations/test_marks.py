"""A bar or a cell selects exactly the rows that it counts: each is clicked, and its rows are counted again."""

import html
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.operations.render import render
from ttm.operations.rendering.marks import FEATURES, ROWS

# What counts rows in its bars, so that a count can be held against the rows of the bar.
COUNTING = (
    "distribution age", "distribution bodymass", "distribution loanpurpose", "distribution smoker", "distribution target",
    "distribution probability", "countdata by smoker", "countdata by age", "countdata by since", "countdata by target",
    "countdata by prediction", "countdata by loanpurpose", "score confusion",
    "filter age greater than 40 and distribution bodymass", "likelihood", "predict",
)  # fmt: skip
OF_GROUPS = ("fairness smoker", "compare age", "compare since", "statistic age by smoker", "score default by loanpurpose")
OF_FEATURES = (
    "important all",
    "filter id 110 and explain features",
    "correlate age",
    "filter id 110 and contrast",
    "models tree",
)


def _figure(ask: Asker, text: str) -> Any:
    results = ask.all(text)
    return render(results[-1], ask.schema).figure


def _marks(figure: Any) -> Iterator[tuple[str, int | None]]:
    """The filters of each mark with the count that it shows."""
    for trace, marks in zip(figure.data, figure.layout.meta["marks"], strict=False):
        shown = trace.x if getattr(trace, "orientation", None) == "h" else trace.y
        counts = [cell for row in trace.customdata for cell in row] if trace.type == "heatmap" else shown
        yield from ((html.unescape(mark), count) for mark, count in zip(marks, counts, strict=True) if mark)


@pytest.mark.parametrize("kind", ["binary", "several", "regression"])
@pytest.mark.parametrize("text", COUNTING)
def test_a_mark_selects_the_rows_that_it_counts(kind: str, text: str) -> None:
    ask = Asker(awkward_engine(kind))
    if text == "score confusion" and kind == "regression":
        return
    figure = _figure(ask, text)
    if figure is None or not figure.layout.meta:
        assert text in ("predict", "distribution target", "likelihood", "distribution probability", "score confusion"), text
        return
    assert figure.layout.meta["asks"] == ROWS
    rows = text.split(" and ")[0] + " and " if text.startswith("filter") else ""
    for mark, count in _marks(figure):
        assert ask(f"{rows}{mark} and countdata").group.rows == count, mark


@pytest.mark.parametrize("text", OF_GROUPS)
def test_the_bars_of_groups_share_all_rows_among_them(text: str) -> None:
    ask = Asker(awkward_engine("binary"))
    figure = _figure(ask, text)
    sizes = [ask(f"{html.unescape(mark)} and countdata").group.rows for mark in figure.layout.meta["marks"][0] if mark]
    assert min(sizes) > 0
    # Rows without a loan purpose have no filter here, since "missing" is also one of its values.
    unnamed = ask.subject.dataset.frame["loan purpose"].isna().sum() if "loanpurpose" in text else 0
    assert sum(sizes) + unnamed == len(ask.subject.dataset.frame)


@pytest.mark.parametrize("text", OF_FEATURES)
def test_bars_of_features_name_them(text: str) -> None:
    ask = Asker(awkward_engine("binary"))
    figure = _figure(ask, text)
    assert figure.layout.meta["asks"] == FEATURES
    for marks, trace in zip(figure.layout.meta["marks"], figure.data, strict=True):
        assert len(marks) == len(trace.y)
        assert set(marks) <= {*ask.schema.by_token, ""}
        assert sum(map(bool, marks)) >= len(marks) - 1


def test_a_cell_under_another_threshold_is_that_of_its_own_rows() -> None:
    ask = Asker(awkward_engine("binary"))
    figure = _figure(ask, "threshold 0.3 and score confusion")
    for mark, count in _marks(figure):
        assert ask(f"{mark} and countdata").group.rows == count


def test_changed_rows_and_made_up_cases_cannot_be_clicked() -> None:
    ask = Asker(awkward_engine("binary"))
    assert not _figure(ask, "change age increase 5 and score confusion").layout.meta
