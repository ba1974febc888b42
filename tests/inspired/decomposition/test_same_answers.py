"""A query put together from its steps answers as the query itself does, judged by an engine that is not ours."""

from typing import Any

import pyoxigraph
import pytest

from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import compose
from inspired.logical_form.sparql_reader import read_compact, read_sparql, spellings_of
from inspired.logical_form.sparql_writer import with_full_dates, write_compact, write_sparql
from inspired.logical_form.substitution import delexicalise
from tests.inspired.conftest import Query
from tests.inspired.standard_sparql import answers, cleaned, graph_for
from tests.inspired.standard_sparql import with_full_dates as dates_in_full

pytestmark = pytest.mark.slow

SEEDS = range(6)


def recomposed(sparql: str, full_dates: bool = False) -> str:
    form = compose(decompose(read_sparql(sparql)))
    return write_sparql(with_full_dates(form) if full_dates else form)


def standard(sparql: str) -> str:
    return dates_in_full(cleaned(sparql))


def test_own_queries_answer_the_same(query: Query) -> None:
    answered = False
    for seed in SEEDS:
        store = graph_for(query.sparql, seed)
        expected = answers(store, standard(query.sparql))
        assert same(answers(store, recomposed(query.sparql, full_dates=True)), expected, query.sparql)
        assert same(answers(store, recomposed(query.sparql)), answers(store, cleaned(query.sparql)), query.sparql)
        answered = answered or bool(expected)
    assert answered, "a graph made for the query should answer it"


def test_the_compact_form_answers_the_same(query: Query) -> None:
    form = read_sparql(query.sparql)
    if not form.distinct or form.limit is not None:
        return  # the compact form has no place for these
    _, entities = delexicalise(form)
    again = read_compact(write_compact(form), entities, spellings_of(form))
    for seed in SEEDS:
        store = graph_for(query.sparql, seed)
        assert same(answers(store, write_sparql(again)), answers(store, cleaned(query.sparql)), query.sparql)


@pytest.mark.parametrize("prefixes", [False, True])
def test_the_text_is_what_an_engine_reads(query: Query, prefixes: bool) -> None:
    form = read_sparql(query.sparql)
    assert read_sparql(write_sparql(form, prefixes)) == form
    pyoxigraph.Store().query(write_sparql(form))


@pytest.mark.slow
def test_queries_of_others_answer_the_same(cwq: list[dict[str, Any]]) -> None:
    answered = 0
    for number, record in enumerate(cwq):
        store = graph_for(record["sparql"], number)
        expected = answers(store, standard(record["sparql"]))
        assert same(answers(store, recomposed(record["sparql"], full_dates=True)), expected, record["sparql"]), record["ID"]
        answered += bool(expected)
    assert answered > 0.9 * len(cwq)


def same(found: list[str], expected: list[str], sparql: str) -> bool:
    """Equal answers; where rows are cut off without a full order, equally many."""
    if "LIMIT" in sparql.upper():
        return len(found) == len(expected) and (set(found) == set(expected) or "ORDER" in sparql.upper())
    return sorted(found) == sorted(expected)
