"""Answers are checked against the parts that were asked; every task type keeps to the same small protocol."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasks.task_type import ItemPart, check_answer, known_passed
from annotation.tasks.task_types import TASK_TYPES
from backend.errors import AnnotationError

PARTS = (
    ItemPart("show", "Read this"),
    ItemPart("choose", "Right?", "right", options=("yes", "no")),
    ItemPart("write", "Else how?", "better", when=("right", "no")),
    ItemPart("rate", "How sure?", "sure", scale=(1, 7)),
    ItemPart("mark", "Where?", "where", tokens=("a", "b", "c", "d")),
    ItemPart("write", "Remarks", "remark", required=False),
)
GOOD: dict[str, Any] = {"right": "yes", "sure": 7, "where": [[0, 1], [2, 4]]}

values = st.recursive(st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=5),
                      lambda inner: st.lists(inner, max_size=3), max_leaves=6)  # fmt: skip


def test_what_was_not_asked_after_all_is_left_out() -> None:
    assert check_answer(PARTS, GOOD | {"better": "not needed", "remark": "  "}) == GOOD
    other = GOOD | {"right": "no", "better": "so", "remark": "odd"}
    assert check_answer(PARTS, other) == other


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"right": "perhaps"}, "choose one of yes, no"),
        ({"right": None}, "choose one of yes, no"),
        ({"right": "no"}, "better.*write a text"),
        ({"sure": 8}, "from 1 to 7"),
        ({"sure": True}, "from 1 to 7"),
        ({"sure": 3.0}, "from 1 to 7"),
        ({"where": []}, "spans"),
        ({"where": [[2, 1]]}, "spans"),
        ({"where": [[0, 5]]}, "spans"),
        ({"where": [[0, 2], [1, 3]]}, "in order and apart"),
        ({"where": "a"}, "spans"),
        ({"wherefore": 1}, "Nothing is called 'wherefore'"),
    ],
)
def test_each_wrong_value_is_named(change: dict[str, Any], says: str) -> None:
    with pytest.raises(AnnotationError, match=says):
        check_answer(PARTS, GOOD | change)


@given(answer=st.dictionaries(st.sampled_from([part.name or "none" for part in PARTS]), values))
def test_any_answer_is_either_kept_or_refused_in_words(answer: dict[str, Any]) -> None:
    try:
        kept = check_answer(PARTS, answer)
    except AnnotationError:
        return
    assert check_answer(PARTS, kept) == kept


def test_known_answers_are_compared_without_regard_to_case_and_blanks() -> None:
    assert known_passed({"a": " Yes  please ", "b": 3}, {"a": "yes please"})
    assert not known_passed({"a": "yes"}, {"a": "yes", "b": 3})


@pytest.mark.parametrize("name", TASK_TYPES)
def test_a_task_type_names_itself(name: str) -> None:
    task = TASK_TYPES[name]
    assert task.title
    assert task.level in ("nominal", "ordinal", "interval")
    assert task.content.model_config["extra"] == task.settings.model_config["extra"] == "forbid"
    assert all("." in file for file in task.files)
