"""The measurement of what guiding costs, without the models that it takes long to load."""

import pytest

from benchmarks.guided_decoding import questions, table
from benchmarks.guiding_overhead import Overhead
from tests.ttm.parsers.schemas import SCHEMAS


def test_questions_are_different_and_far_apart() -> None:
    asked = questions(SCHEMAS["churn"], 8)
    assert len(asked) == 8
    assert len({each.template for each in asked}) == 8


def test_the_table_tells_shares_and_times_each() -> None:
    one = Overhead(wrapping=0.25, compiling=0.01, masking=0.02, generating=2.0, grammars=5, masks=100)
    assert one.share == pytest.approx(0.015)
    head, row = table({"some model": one}).splitlines()
    assert "overhead" in head
    for figure in ("1.50%", "2.00", "2.0", "0.200", "0.25"):
        assert figure in row.split("  ") or figure in row
