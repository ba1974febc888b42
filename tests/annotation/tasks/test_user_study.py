"""Two interfaces compared: orders are balanced, and the tables are those of TalkToModel (tables 3 and 4, appendix B.5)."""

from collections import Counter
from typing import Any

import pytest

from annotation.tasks.task_type import TaskResult
from annotation.tasks.user_study import (
    LAST,
    UNDETERMINED,
    StudyQuestion,
    UserStudy,
    UserStudySettings,
    comparison_table,
    completion_table,
    statement_table,
)
from backend.errors import AnnotationError
from tests.annotation.tasks.task_results import result

TASK = UserStudy()
SETTINGS = UserStudySettings.model_validate({
    "interfaces": [{"name": "chat", "tutorial": "Type."}, {"name": "dashboard", "tutorial": "Click."}],
    "comparisons": [
        {"name": "ease", "text": "I found the {better} interface easier to use than the {worse} interface"},
        {"name": "speed", "text": "Faster than with the {worse} interface I found answers with the {better} interface"},
    ],
    "statements": ["I am sure of my answer."],
    "groups": ["health", "students"],
})  # fmt: skip
QUESTIONS = [
    (f"{block}{n}", StudyQuestion(block=block, question=f"How many are over {n}?", options=("1", "2"), correct="1"))
    for block in ("A", "B")
    for n in range(5)
]
ITEMS = TASK.prepare(QUESTIONS, SETTINGS, 0)


def _way(place: int) -> Any:
    stops = TASK.order(ITEMS, SETTINGS, place, 3)
    assert stops is not None
    return stops


def test_everybody_answers_everything_one_block_with_each_interface() -> None:
    for place in range(20):
        way = _way(place)
        assert sorted(stop.key for stop in way) == sorted(key for key, _ in ITEMS)
        assert way[-1].key == LAST
        by_interface = Counter((stop.key[0], stop.shown["interface"]) for stop in way[:-1])
        assert sorted(by_interface.values()) == [5, 5]
        assert len({stop.shown["interface"] for stop in way[:5]}) == 1
        assert [stop.shown["number"] for stop in way[:-1]] == [1, 2, 3, 4, 5] * 2
        assert way == _way(place)


def test_orders_are_balanced_in_every_four_and_questions_are_shuffled() -> None:
    for first in range(0, 40, 4):
        ways = {(way[0].shown["interface"], way[0].key[0]) for way in map(_way, range(first, first + 4))}
        assert ways == {("chat", "A"), ("chat", "B"), ("dashboard", "A"), ("dashboard", "B")}
    assert len({tuple(stop.key for stop in _way(place)[:5]) for place in range(40)}) > 20
    chat_first = [_way(place)[-1].shown["studied_first"]["ease"] for place in range(200)]
    assert 70 <= sum(chat_first) <= 130


def test_the_tutorial_comes_with_the_first_question_of_an_interface() -> None:
    contents = dict(ITEMS)
    for number, stop in enumerate(_way(0)[:-1]):
        texts = [part.text for part in TASK.parts(contents[stop.key], SETTINGS, stop.shown)]
        assert ("Type." in texts or "Click." in texts) == (number in (0, 5))


def test_could_not_determine_is_always_offered_last() -> None:
    asked = TASK.parts(QUESTIONS[0][1], SETTINGS, {"interface": "chat", "number": 2})
    assert [part.options[-1] for part in asked if part.kind == "choose"] == [UNDETERMINED]


def _answers(workers: int, group: str, agree: int, undetermined: int) -> list[TaskResult]:
    """`agree` workers find the chat easier; the first `undetermined` answers with the dashboard are given up."""
    found: list[TaskResult] = []
    contents = dict(ITEMS)
    given_up = 0
    for place in range(workers):
        for stop in _way(place):
            worker = f"{group}{place}"
            if stop.key == LAST:
                wants = 6 if place < agree else 3
                answer: dict[str, Any] = {"group": group}
                for number, each in enumerate(("ease", "speed"), 1):
                    answer[f"comparison_{number}"] = wants if stop.shown["studied_first"][each] else 8 - wants
            else:
                on_chat = stop.shown["interface"] == "chat"
                gives_up = not on_chat and given_up < undetermined
                given_up += gives_up
                choice = UNDETERMINED if gives_up else "1" if on_chat or stop.key.endswith("0") else "2"
                answer = {"choice": choice, "statement_1": 6 if on_chat else 3 + place % 2}
            found.append(result(TASK, SETTINGS, contents[stop.key], answer, worker, stop.key, shown=stop.shown,
                                seconds=76.3 if stop.shown.get("interface") == "chat" else 158.8))  # fmt: skip
    return found


def test_the_share_that_prefers_the_studied_interface() -> None:
    # Table 3 of the paper: 37 of 45 are 82.2 %, 11 of 13 are 84.6 %.
    found = _answers(45, "health", 37, 0) + _answers(13, "students", 11, 0)
    table = comparison_table(found, SETTINGS)
    assert {key: round(value, 1) for key, value in table.items()} == {
        ("ease", "health"): 82.2, ("speed", "health"): 82.2, ("ease", "students"): 84.6, ("speed", "students"): 84.6,
    }  # fmt: skip


def test_completion_accuracy_and_time() -> None:
    # Table 4: 57 of 225 answers given up leave 74.7 % completed.
    table = {row["interface"]: row for row in completion_table(_answers(45, "health", 37, 57), SETTINGS)}
    assert (table["chat"]["completed"], table["chat"]["accuracy"], table["chat"]["median_seconds"]) == (100, 100, 76.3)
    assert round(table["dashboard"]["completed"], 1) == 74.7
    assert table["dashboard"]["median_seconds"] == 158.8
    assert table["dashboard"]["accuracy"] < 50


def test_statements_are_followed_from_question_to_question() -> None:
    rows = statement_table(_answers(8, "health", 8, 0), SETTINGS)
    each = [(name, number) for name in ("chat", "dashboard") for number in range(1, 6)]
    assert [(row["interface"], row["number"]) for row in rows] == each
    assert {row["mean"] for row in rows} == {6.0, 3.5}
    assert {round(row["sd"], 4) for row in rows} == {0.0, 0.5345}  # of 3, 4 four times each


@pytest.mark.parametrize("change", [{"block": ""}, {"correct": "3"}, {"options": ()}])
def test_a_question_is_whole(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a question needs"):
        StudyQuestion.model_validate(QUESTIONS[0][1].model_dump() | change)


def test_there_are_two_blocks() -> None:
    with pytest.raises(AnnotationError, match="in 1 blocks"):
        TASK.prepare(QUESTIONS[:5], SETTINGS, 0)


def _opened(**interface: Any) -> list[Any]:
    first = {"name": "<b>chat</b>", **interface}
    settings = UserStudySettings.model_validate({"interfaces": [first, {"name": "other"}], "comparisons": []})
    parts = TASK.parts(QUESTIONS[0][1], settings, {"interface": first["name"], "number": 2})
    return [(part.kind, part.text, part.source) for part in parts if part.kind in ("link", "frame")]


def test_the_interface_under_test_is_a_click_away_or_inside_the_page() -> None:
    assert _opened() == []
    assert _opened(address="https://lab.example/a?b=1") == [("link", "<b>chat</b>", "https://lab.example/a?b=1")]
    assert _opened(address="/?dataset=german", embedded=True) == [("frame", "<b>chat</b>", "/?dataset=german")]
    with pytest.raises(ValueError, match="needs its address"):
        _opened(embedded=True)


@pytest.mark.parametrize("address", [
    "javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x",
    "//evil.example",
    "/\\evil.example", "\\\\evil.example", "https:evil", "http://", "ftp://a/b", "file:///etc/passwd", "chat", "https://a\"onload=x",
    "vbscript:x", "https://a b", "http://[", "/\t/evil.example",
])  # fmt: skip
def test_a_browser_is_sent_nowhere_else(address: str) -> None:
    with pytest.raises(ValueError, match=r"address begins with https|Invalid IPv6"):
        _opened(address=address)
