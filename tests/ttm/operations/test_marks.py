"""A bar or a cell selects exactly the rows that it counts: each is clicked, and its rows are counted again."""

import html
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import numpy as np
import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.chat.conversation import Conversation
from ttm.chat.instruments.chosen_rows import ChosenMark, mark_question
from ttm.operations.exploration.bin_edges import date_edges
from ttm.operations.exploration.run import NumberDistribution
from ttm.operations.render import render
from ttm.operations.rendering.marks import FEATURES, ROWS, WHOLE, date_bins

# What counts rows in its bars, so that a count can be held against the rows of the bar.
COUNTING = (
    "distribution age", "distribution since", "distribution bodymass", "distribution loanpurpose", "distribution smoker",
    "distribution target",
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


DAYS = {  # first and last day with the number of bins: single days, weeks, months, years, and the ends of the calendar
    ("2024-02-28", "2024-02-28"): 1, ("2024-02-28", "2024-03-10"): 12, ("2023-12-30", "2024-04-02"): 15,
    ("2023-01-05", "2024-12-20"): 24, ("1950-03-01", "2023-01-05"): 15, ("9999-12-01", "9999-12-31"): 5,
    ("0001-01-01", "9999-12-31"): 20,
}  # fmt: skip


@pytest.mark.parametrize(("first", "last"), DAYS)
def test_dates_are_counted_by_whole_days_and_each_day_is_in_one_bin(first: str, last: str) -> None:
    low, high = (float(date.fromisoformat(day).toordinal()) for day in (first, last))
    edges = date_edges(np.array([low, high]))
    assert len(edges) - 1 == DAYS[first, last]
    assert all(edge == int(edge) for edge in edges)
    between = np.linspace(low, high, 500).round()
    chosen = [_in_bin(mark, between) for mark in date_bins("filter since", edges.tolist())]
    assert np.sum(chosen, axis=0).tolist() == [1] * 500
    assert [int(one.sum()) for one in chosen] == np.histogram(between, edges)[0].tolist()


def _in_bin(mark: str, days: np.ndarray) -> np.ndarray:
    low, high = (float(date.fromisoformat(day).toordinal()) for day in re.findall(r"\d{4}-\d\d-\d\d", mark))
    return (days >= low) & ((days <= high) if "less equal" in mark else (days < high))


BESIDE = "filter smoker true versus filter age greater than 40 or filter ismember true versus filter age greater than 300 and"


@pytest.mark.parametrize("kind", ["binary", "several"])
@pytest.mark.parametrize("operation", ["predict", "label", "countdata", "score default", "statistic loanpurpose",
                                       "distribution since", "threshold 0.3 and predict"])  # fmt: skip
def test_a_bar_of_a_group_side_by_side_has_the_share_of_its_rows_that_it_shows(kind: str, operation: str) -> None:
    """One group is alternatives, one is empty: neither disturbs which group a bar is of."""
    if kind == "several" and "threshold" in operation:
        return
    talk = Conversation(awkward_engine(kind), None)  # type: ignore[arg-type]  # asked by parses alone
    before, _, asked = operation.rpartition(" and ")
    turn = talk.ask_parse(Asker(talk.engine).parse(" and ".join(filter(None, [before, f"{BESIDE} {asked}"]))))
    figure: Any = render(turn.results[-1], talk.engine.schema).figure
    results = turn.results[-1].results  # type: ignore[attr-defined]
    for trace, marks, group in zip(figure.data, figure.layout.meta["marks"], figure.layout.meta["groups"], strict=True):
        shown = trace.x if trace.orientation == "h" else trace.y
        for mark, bar in ((one, bar) for one, bar in zip(marks, shown, strict=True) if one):
            chosen = ChosenMark(turn=1, mark=mark, asks="show", group=group)
            rows = Asker(talk.engine)(mark_question(chosen, talk.turns, talk.engine.schema).parse).group.rows
            assert rows == pytest.approx(_rows_of_bar(mark, bar, results[group])), mark


def _rows_of_bar(mark: str, bar: float, result: Any) -> float:
    """A bar of a histogram counts rows; of others it is a share of those whose outcome or value is known."""
    if mark == WHOLE:
        return int(result.group.rows)
    return bar if isinstance(result, NumberDistribution) else bar * sum(result.counts.values())


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
