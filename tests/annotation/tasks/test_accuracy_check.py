"""A share of the data, or what is suspect, is looked at; what is edited lowers the rate of errors."""

import pytest

from annotation.tasks.accuracy_check import AccuracyCheck, AccuracySettings, Rephrasing
from backend.errors import AnnotationError
from tests.annotation.tasks.task_results import result

TASK = AccuracyCheck()
ITEMS = [(f"q{n}", Rephrasing(template=f"Which place borders {n}?", rephrased=f"What is next to {n}?")) for n in range(1000)]


def test_a_random_twentieth_is_looked_at_and_the_same_one_each_time() -> None:
    chosen = TASK.prepare(ITEMS, AccuracySettings(), 0)
    assert len(chosen) == 50
    assert chosen == TASK.prepare(ITEMS, AccuracySettings(), 0)
    assert chosen != TASK.prepare(ITEMS, AccuracySettings(), 1)
    assert [ITEMS.index(item) for item in chosen] == sorted(ITEMS.index(item) for item in chosen)


def test_or_those_that_are_suspect_in_the_order_of_suspicion() -> None:
    chosen = TASK.prepare(ITEMS, AccuracySettings(flagged=("q7", "q3", "q7")), 0)
    assert [key for key, _ in chosen] == ["q7", "q3"]
    with pytest.raises(AnnotationError, match="'q1000'"):
        TASK.prepare(ITEMS, AccuracySettings(flagged=("q1000",)), 0)


def test_what_was_edited_is_final_and_the_rest_stays() -> None:
    # The paper found 4.4 % wrong in its sample; here 44 of 1,000 are, of which 33 are mended.
    settings = AccuracySettings()
    found = []
    for number, (key, content) in enumerate(ITEMS):
        wrong: dict[str, str] = {"accurate": "wrong"} | ({"edited": f"What lies beside {number}?"} if number < 33 else {})
        found.append(result(TASK, settings, content, wrong if number < 44 else {"accurate": "accurate"}, key=key))
    rows = TASK.rows(found, settings)
    assert rows[0]["final"] == "What lies beside 0?"
    assert rows[40]["final"] == rows[40]["rephrased"]
    assert sum(not row["accurate"] for row in rows) == 44
    assert sum(not row["accurate"] and not row["edited"] for row in rows) == 11


def test_an_edit_is_one_and_only_of_what_is_wrong() -> None:
    content = ITEMS[0][1]
    with pytest.raises(AnnotationError, match="change it, or leave it empty"):
        result(TASK, AccuracySettings(), content, {"accurate": "wrong", "edited": f" {content.rephrased} "})
    assert "edited" not in result(TASK, AccuracySettings(), content, {"accurate": "accurate", "edited": "ignored"}).answer
