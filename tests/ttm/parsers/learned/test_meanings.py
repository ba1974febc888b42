"""Readings that say the same in other words share what is likely about them."""

import numpy as np
import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers.learned.assumption import operations_of
from ttm.parsers.learned.meanings import meaning_of, shared_probabilities
from ttm.parsers.understanding import ALONE, DialogueContext

GRAMMAR = grammar_of(SCHEMAS["titanic"])
BEFORE = GRAMMAR.read("filter sex female and score accuracy [e]")
CONTEXT = DialogueContext(parse=BEFORE, rows=rows_after(BEFORE, None), operations=operations_of(BEFORE, ALONE))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("previousfilter and predict [e]", "filter sex female and predict [e]"),
        ("previousfilter and previousoperation [e]", "filter sex female and score accuracy [e]"),
        (
            "previousfilter and filter age less than 9 and predict [e]",
            "filter age less than 9 and filter sex female and predict [e]",
        ),
        ("filter sex male and previousoperation [e]", "filter sex male and score accuracy [e]"),
    ],
)
def test_what_is_taken_from_before_means_what_it_stands_for(one: str, other: str) -> None:
    assert meaning_of(GRAMMAR.read(one), CONTEXT) == meaning_of(GRAMMAR.read(other), CONTEXT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("previousfilter and predict [e]", "predict [e]"),
        ("predict [e]", "likelihood [e]"),
        ("filter age less than 9 and predict [e]", "change age set 9 and predict [e]"),
        ("filter sex female versus filter sex male and predict [e]", "filter sex female or filter sex male and predict [e]"),
    ],
)
def test_other_rows_and_other_requests_mean_another_thing(one: str, other: str) -> None:
    assert meaning_of(GRAMMAR.read(one), CONTEXT) != meaning_of(GRAMMAR.read(other), CONTEXT)


def test_probabilities_are_shared_by_meaning_request_and_rows() -> None:
    parses = (
        "previousfilter and predict [e]",
        "filter sex female and predict [e]",
        "predict [e]",
        "previousfilter and likelihood [e]",
    )
    meanings = [meaning_of(GRAMMAR.read(parse), CONTEXT) for parse in parses]
    shared = shared_probabilities(meanings, np.array([0.4, 0.3, 0.2, 0.1]))
    assert shared == pytest.approx(np.array([[0.7, 0.9, 0.8], [0.7, 0.9, 0.8], [0.2, 0.9, 0.2], [0.1, 0.1, 0.8]]))
