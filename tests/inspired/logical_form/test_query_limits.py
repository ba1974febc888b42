"""A query that would keep a core busy for long is refused at once, with what would fit."""

import pytest

from backend.errors import LogicalFormError
from inspired.decomposition.decompose import decompose
from inspired.dialogue.dialogue import add_step, start
from inspired.logical_form.query_limits import DEEPEST, LONGEST_QUERY, MOST_PATTERNS, MOST_TOKENS
from inspired.logical_form.sparql_reader import read_fragment, read_sparql


def _query(inside: str) -> str:
    return f"SELECT DISTINCT ?x WHERE {{ {inside} }}"


def _star(count: int) -> str:
    return " ".join(f"?x ns:a.b.c{number} ?y{number} ." for number in range(count))


def test_as_many_triples_as_fit_are_split_and_one_more_is_refused_by_its_number() -> None:
    assert len(decompose(read_sparql(_query(_star(MOST_PATTERNS)))).steps) > 1
    for read in (lambda text: read_sparql(_query(text)), read_fragment):
        with pytest.raises(LogicalFormError, match=f"{MOST_PATTERNS + 1} triples and filters; up to {MOST_PATTERNS}"):
            read(_star(MOST_PATTERNS + 1))


def test_triples_hidden_in_alternatives_and_filters_count() -> None:
    union = " UNION ".join(f"{{ {_star(1)} }}" for _ in range(MOST_PATTERNS + 1))
    hidden = f"?x ns:a.b.c ?y . FILTER(NOT EXISTS {{ {_star(MOST_PATTERNS)} }})"
    for inside in (union, hidden):
        with pytest.raises(LogicalFormError, match="triples and filters"):
            read_sparql(_query(inside))


@pytest.mark.parametrize(
    "inside", ["FILTER(" + "(" * 5_000, "FILTER(" + "!" * 700, "FILTER(" + "not " * 350, "{" * 400, "?x ns:a.b.c [" * 300]
)
def test_what_stands_deep_inside_is_refused_before_it_is_read(inside: str) -> None:
    with pytest.raises(LogicalFormError):
        read_sparql(_query(inside))


def test_the_depth_that_is_allowed_is_read() -> None:
    depth = DEEPEST - 2
    form = read_sparql(_query(f"?x ns:a.b.c ?y . FILTER({'(' * depth}?y > 1{')' * depth})"))
    assert len(form.patterns) == 2


def test_long_texts_and_many_words_are_refused() -> None:
    conditions = " || ".join("?y = 1" for _ in range(MOST_TOKENS))
    with pytest.raises(LogicalFormError, match="words and signs"):
        read_sparql(_query(f"?x ns:a.b.c ?y . FILTER({conditions[:9_000]})"))
    with pytest.raises(LogicalFormError, match=f"up to {LONGEST_QUERY:,}"):
        read_sparql(_query("#" + "x" * LONGEST_QUERY))


def test_corrections_do_not_make_a_question_grow_past_the_limit() -> None:
    dialogue = start(_query(_star(MOST_PATTERNS)), {})
    more = decompose(read_sparql(_query("?x ns:d.e.f ?z ."))).steps
    with pytest.raises(LogicalFormError, match="up to"):
        add_step(dialogue, len(dialogue.current.steps), more)


@pytest.mark.parametrize("parts", [700, 3_000])
def test_a_sum_of_too_many_parts_is_refused_in_words(parts: int) -> None:
    with pytest.raises(LogicalFormError, match="levels inside each other"):
        read_sparql(_query(f"?x ns:a.b.c ?n FILTER({'+'.join(['?n'] * parts)} > 3)"))
    assert decompose(read_sparql(_query(f"?x ns:a.b.c ?n FILTER({'+'.join(['?n'] * 50)} > 3)"))).steps
