"""The slider shows what questions about each threshold answer, for the rows that an answer was about."""

from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

from backend.errors import ExecutionError
from tests.ttm.conftest import Asker, awkward_engine
from ttm.chat.conversation import Conversation
from ttm.chat.instruments.threshold_scale import HUNDREDTHS, _counted, threshold_question, threshold_scale
from ttm.operations.rows.context import Memory
from ttm.parsers import Parser

GROUPS = ("", "filter age greater than 50 and ", "filter age greater than 50 and change age decrease 20 and ")


@pytest.mark.parametrize("rows", GROUPS)
def test_each_position_is_what_the_operations_answer(asker: Callable[[str], Asker], rows: str) -> None:
    ask = asker("binary")
    ask(f"{rows}predict")
    scale = threshold_scale(ask.engine, ask.memory)
    for value in (0.0, 0.07, 0.5, 0.63, 1.0):
        index = HUNDREDTHS.index(value)
        assert scale.scores[index] == ask(f"{rows}threshold {value:g}").chosen
        counted = ask(f"{rows}threshold {value:g} and score confusion").confusion
        assert scale.matrices[index].tolist() == [list(row.values()) for row in counted.values()]
    assert scale.default == scale.scores[50]
    assert (scale.matrices.sum(axis=(1, 2)) == scale.rows).all()


def test_a_probability_on_a_hundredth_counts_as_reached() -> None:
    values = np.array(HUNDREDTHS)
    assert _counted(values)[:, 1].tolist() == list(range(101, 0, -1))


@pytest.mark.parametrize("kind", ["several", "regression", "unlabelled"])
def test_there_is_no_slider_where_a_threshold_means_nothing(kind: str) -> None:
    engine = awkward_engine(kind)
    with pytest.raises(ExecutionError):
        threshold_scale(engine, Memory())


def test_a_threshold_is_asked_about_the_rows_of_the_answer(ask: Asker) -> None:
    talk = Conversation(ask.engine, cast(Parser, None))  # nothing is asked in words
    for parse in ("threshold 0.4", "filter age greater than 50 and predict", "previousfilter and threshold", "data"):
        talk.ask_parse(ask.parse(parse))
    first, _, third, _ = (turn.number for turn in talk.turns)
    about = "filter age greater than 50 and threshold 0.3 [e]"
    assert threshold_question(talk.turns, third, 0.3) == (
        "What would a threshold of 0.3 do for people with age above 50?",
        about,
    )
    assert threshold_question(talk.turns, first, 0.3) == ("What would a threshold of 0.3 do?", "threshold 0.3 [e]")
    assert threshold_question(talk.turns, 0, 0.3)[1] == "threshold 0.3 [e]"
