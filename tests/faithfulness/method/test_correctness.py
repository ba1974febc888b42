"""The hybrid metric of section 3.3 on answers judged by hand."""

import numpy as np
import pytest

from faithfulness.method.correctness import Metric, MetricClause, norm
from faithfulness.method.dates import DateOrder, agree, canonical


class Lookup:
    """An embedder for which texts that fold to the same last word are the same."""

    def embed(self, texts):
        last = [text.casefold().split()[-1] for text in texts]
        return np.array([[1.0, 0.0] if word == last[0] else [0.0, 1.0] for word in last], dtype=np.float32)


@pytest.mark.parametrize(
    ("gold", "answer", "clause"),
    [
        ("August 11 to 16, 1965", "11–16 August 1965", MetricClause.NORM),
        ("1965-08-11", "August 11, 1965", MetricClause.NORM),
        ("August 11, 1965", "August 12, 1965", None),
        ("1947", "1948", None),
        ("December 15, 2017", "December 2017", None),
        ("Michael Jordan", "Michael Jordon", MetricClause.FUZZY),
        ("Copernicus", "Nicolaus Copernik", None),
        ("World War II", "World War II (1939-1945)", None),
        ("Yes", "No", None),
        ("x", "", None),
        ("the Beatles", "Beatles", MetricClause.NORM),
        ("May 2018", "in May, 2018.", MetricClause.NORM),
        ("Café Central", "cafe central", MetricClause.NORM),
        ("1,000,000", "1000000", MetricClause.NORM),
        ("Paris", 'The answer is "Paris".', MetricClause.NORM),
        ("Paris", "Paris\nBecause it is the capital.", MetricClause.NORM),
        ("Paris", "Paris", MetricClause.EXACT),
    ],
)
def test_judges_as_decided(gold, answer, clause):
    assert Metric().judge([gold], answer).clause == clause
    assert Metric(paper=True).judge([gold], answer).clause == clause


def test_numbers_are_a_veto_that_the_paper_does_not_have():
    assert not Metric().judge(["1,776 feet"], "1,775 feet").correct
    assert Metric(paper=True).judge(["1,776 feet"], "1,775 feet").correct


def test_all_clauses_must_hold_for_the_same_accepted_answer():
    # The words agree with one accepted answer and the date with the other: that is no match.
    assert not Metric().judge(["in Springfield on 1 May 1990", "2 June 1991"], "in Springfield on 2 June 1991").correct


def test_embeddings_accept_only_when_dates_agree():
    metric = Metric(Lookup())
    assert metric.judge(["2026"], "the year 2026").clause is MetricClause.EMBED
    assert not metric.judge(["Nicolaus of 1473 Copernicus"], "Copernicus").correct


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("March on Washington", set()),
        ("May", set()),
        ("10", set()),
        ("room 1204b", set()),
        ("the 1990s", {"1990s"}),
        ("3rd of July, 1812", {"1812-07-03"}),
        ("August 11", {"--08-11"}),
        ("25/12/2001", {"2001-12-25"}),
        ("8/11/1965", {"8/11/1965"}),
        ("1939-1945", {"1939", "1945"}),
    ],
)
def test_finds_the_dates_of_a_text(text, dates):
    assert canonical(text)[1] == dates


def test_an_ambiguous_numeric_date_needs_an_order():
    assert not agree("8/11/1965", "August 11, 1965")
    assert agree("8/11/1965", "August 11, 1965", DateOrder.MONTH_FIRST)
    assert agree("8/11/1965", "8 November 1965", DateOrder.DAY_FIRST)


def test_norm_is_idempotent():
    for text in ["The  Café, in 12,345 days!", "On August 11 to 16, 1965.", "well-known “thing”"]:
        assert norm(norm(text)) == norm(text)
