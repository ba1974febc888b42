"""The parser that works at once, over a graph of another domain without a schema."""

import pytest

from backend.errors import InspiredError
from inspired.knowledge_base.graph import Graph
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Entity, walk
from inspired.logical_form.sparql_writer import write_compact, write_sparql
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.walk import answers
from tests.counted_calls import counted

QUESTIONS = {
    "Who directed Comet Season?": {"Ada Okafor"},
    "films directed by ada okafor": {"The Silent Harbour", "Comet Season"},
    "What is the runtime of the film directed by Jules Moreau?": {"87"},
    "Which film directed by Ada Okafor has the longest runtime?": {"The Silent Harbour"},
    "longest film": {"Orchard of Glass"},
    "which film is the shortest": {"Lantern Street"},
    "oldest film": {"Lantern Street"},
    "films released after 2000": {"Comet Season", "Orchard of Glass"},
    "films with a runtime of more than 100 minutes": {"The Silent Harbour", "Orchard of Glass"},
    "where was the director of orchard of glass born": {"Malmö"},
    "When was Lantern Street released?": {"1988-01-15T00:00:00"},
    "Who is the wife of Ada Okafor?": {"Morgan Bell"},
    "Who directed Commet Seasson?": {"Ada Okafor"},
}


def found(parser: DefaultParser, question: str) -> set[str]:
    """The names of what the best reading finds, before a superlative's ties are cut."""
    analysis = parser.analyse(question)
    _, state, _ = parser.ranked(analysis)[0]
    return {parser.graph.names[each.id] if isinstance(each, Entity) else each.text for each in state.nodes}


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_of_a_newcomer_are_read(film_parser: DefaultParser, question: str) -> None:
    assert found(film_parser, question) == QUESTIONS[question]


@pytest.mark.parametrize("question", ["Who directed Comet Season?", "longest film", "films released after 2000"])
def test_it_works_before_anything_is_learnt(untaught_parser: DefaultParser, question: str) -> None:
    assert found(untaught_parser, question) == QUESTIONS[question]


def test_what_a_reading_finds_is_what_its_form_says(film_parser: DefaultParser, films: Graph) -> None:
    for question in QUESTIONS:
        for _, state, _ in film_parser.ranked(film_parser.analyse(question))[:5]:
            # The walk to compare with sorts and compares only what the whole question asks for.
            inner = any(use.role in ("order", "compare") and use.level for use in state.uses)
            if not state.thing.kind and not inner:
                assert set(answers(films, state.thing)) == set(state.nodes), question


def test_readings_are_distinct_sorted_and_sum_to_at_most_one(film_parser: DefaultParser) -> None:
    readings = film_parser.parse("Which films star Inés Reyes and were directed by Ada Okafor?", 10)
    assert len({canonical(each.form) for each in readings}) == len(readings)
    confidences = [each.confidence for each in readings]
    assert confidences == sorted(confidences, reverse=True)
    assert 0 < sum(confidences) <= 1 + 1e-9


def test_n_is_kept_to_and_every_entity_has_its_name(film_parser: DefaultParser) -> None:
    for n in (1, 3):
        readings = film_parser.parse("Who directed Comet Season?", n)
        assert len(readings) == n
        named = {each.id for reading in readings for each in walk(reading.form) if isinstance(each, Entity)}
        assert named - {"film.film", "people.person"} <= {id_ for reading in readings for id_ in reading.names}


def test_the_form_is_the_canonical_one(film_parser: DefaultParser) -> None:
    (reading,) = film_parser.parse("Who directed Comet Season?", 1)
    assert "FILTER (?x != <http://rdf.freebase.com/ns/m.comet>)" in write_sparql(reading.form)
    assert write_compact(reading.form).endswith("#entity1# ns:film.film.directed_by ?x .")


def test_words_without_a_use_are_told(film_parser: DefaultParser) -> None:
    (reading,) = film_parser.parse("Who directed the marvellous Comet Season?", 1)
    assert reading.unused == ("marvellous",)


def test_a_name_of_two_things_is_reported(film_parser: DefaultParser) -> None:
    (reading,) = film_parser.parse("When was Lantern Street released?", 1)
    assert [(each.text, set(each.ids)) for each in reading.ambiguous] == [("Lantern Street", {"m.lantern", "m.lantern_film"})]


@pytest.mark.parametrize(
    ("question", "told"),
    [("", "no question"), ("x" * 601, "601 characters"), ("What is the meaning of it all?", "cannot be read")],
)
def test_what_cannot_be_read_is_refused_in_words(film_parser: DefaultParser, question: str, told: str) -> None:
    with pytest.raises(InspiredError, match=told):
        film_parser.parse(question)


def test_an_unknown_name_is_answered_with_near_ones(film_parser: DefaultParser) -> None:
    with pytest.raises(InspiredError, match="Did you mean Tove Lindqvist"):
        film_parser.parse("Tuve Lundquest?")


def test_the_same_question_is_read_in_the_same_way_again(film_parser: DefaultParser) -> None:
    one, other = (film_parser.parse("Which film directed by Ada Okafor has the longest runtime?") for _ in range(2))
    assert [(each.form, each.confidence) for each in one] == [(each.form, each.confidence) for each in other]


def test_a_long_row_of_names_is_no_more_work_than_any_long_question(film_parser: DefaultParser) -> None:
    question = "Which film " + " and ".join(["Ada Okafor", "Tove Lindqvist", "Jules Moreau", "Morgan Bell"] * 6) + "?"
    _, calls = counted(lambda: film_parser.parse(question))
    assert calls < 2_000_000
