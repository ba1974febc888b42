"""Equal content has the equal key; any difference that could matter to a result changes it."""

import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import CacheError
from backend.storage.content_key import content_key


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Vector:
    x: float
    y: float


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def _same(one: Any, other: Any) -> bool:
    """Equal, with equal types and signs of zeros all the way down; a plain == takes 1, 1.0 and True as equal."""
    return repr(_sorted(one)) == repr(_sorted(other))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


@given(PLAIN, PLAIN)
@pytest.mark.slow
def test_keys_are_equal_exactly_when_contents_are(one: Any, other: Any) -> None:
    assert (content_key(one) == content_key(other)) == _same(one, other)


def _frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [45, 31, 60],
            "bmi": [31.5, np.nan, 22.0],
            "sex": ["f", "m", None],
            "seen": pd.to_datetime(["2024-01-01", "2024-01-02", None]),
            "grade": pd.Categorical(["a", "b", "a"], categories=["a", "b", "c"]),
            "mixed": pd.Series([1, "1", pd.NA], dtype=object),
        }
    )


def test_a_copy_of_a_frame_has_the_same_key() -> None:
    assert content_key(_frame()) == content_key(_frame().copy())


CHANGES = {
    "a value": lambda frame: frame.assign(age=[45, 31, 61]),
    "a missing value": lambda frame: frame.assign(bmi=[31.5, 0.0, 22.0]),
    "a text": lambda frame: frame.assign(sex=["f", "f", None]),
    "a type": lambda frame: frame.assign(age=frame["age"].astype(float)),
    "a date": lambda frame: frame.assign(seen=pd.to_datetime(["2024-01-01", "2024-01-03", None])),
    "an unused category": lambda frame: frame.assign(grade=pd.Categorical(["a", "b", "a"], categories=["a", "b"])),
    "the type of one object": lambda frame: frame.assign(mixed=pd.Series(["1", "1", pd.NA], dtype=object)),
    "the order of rows": lambda frame: frame.iloc[::-1],
    "the order of columns": lambda frame: frame[frame.columns[::-1]],
    "the name of a column": lambda frame: frame.rename(columns={"age": "Age"}),
    "the index": lambda frame: frame.set_axis([7, 8, 9]),
    "the number of rows": lambda frame: frame.head(2),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_to_a_frame_changes_its_key(change: str) -> None:
    assert content_key(CHANGES[change](_frame())) != content_key(_frame())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        ((1, 2), ((1, 2),)),
        (Point(1.0, 2.0), Vector(1.0, 2.0)),
        (Colour.RED, Colour.BLUE),
        (np.zeros(4), np.zeros((2, 2))),
        (np.zeros(2), np.zeros(2, np.float32)),
        (np.array(["a", "b"]), np.array(["a", "c"])),
        (Path("a"), "a"),
        (datetime(2024, 1, 1), datetime(2024, 1, 2)),
        ({1, 2}, {1, 3}),
    ],
)
def test_different_contents_have_different_keys(one: object, other: object) -> None:
    assert content_key(one) != content_key(other)


def test_memory_layout_and_order_of_dicts_do_not_count() -> None:
    square = np.arange(6).reshape(2, 3)
    assert content_key(square) == content_key(np.asfortranarray(square))
    assert content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})
    assert content_key(np.int64(3)) == content_key(3)


@pytest.mark.slow
def test_a_key_is_the_same_in_another_process() -> None:
    code = "from backend.storage.content_key import content_key as k; print(k('a', {'b': {1.5, 'c'}}, ('d', None)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == content_key("a", {"b": {"c", 1.5}}, ("d", None))


def test_content_that_cannot_be_known_is_refused() -> None:
    with pytest.raises(CacheError, match=r"builtins\.object"):
        content_key([object()])
