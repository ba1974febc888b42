"""Entities as placeholders: nothing is lost on the way there and back."""

import pytest
from hypothesis import given, settings

from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.sparql_reader import read_compact, read_sparql, spellings_of
from inspired.logical_form.sparql_writer import write_compact
from inspired.logical_form.substitution import delexicalise
from inspired.parsers.placeholders import LANGUAGE, Placeholders, asking_for_x, kinds_of, read_form, write_form
from tests.inspired.conftest import Query
from tests.inspired.logical_forms import logical_forms


def test_what_is_written_reads_as_the_same_query(query: Query):
    form = asking_for_x(read_sparql(query.sparql))
    for names in (query.names, dict(reversed(query.names.items())), {}):
        placeholders = Placeholders(names)
        placeholders.unmentioned()
        text = write_form(form, placeholders)
        assert "\n" not in text
        assert equivalent(read_form(text, placeholders.ids, spellings_of(form)), form)


@settings(max_examples=80)
@given(logical_forms())
@pytest.mark.slow
def test_every_query_comes_back_whatever_the_numbers_are(form):
    """As far as the compact form goes, which trims strings."""
    form = asking_for_x(form)
    _, ids = delexicalise(form)
    spellings = spellings_of(form)
    kept = read_compact(write_compact(form), ids, spellings)
    placeholders = Placeholders(dict.fromkeys(reversed(ids), "?"))
    placeholders.unmentioned()
    assert equivalent(read_form(write_form(form, placeholders), placeholders.ids, spellings), kept)


def test_another_answer_variable_is_renamed_and_taken_apart_from_one_that_was_called_x():
    asked = read_sparql("SELECT ?y { ?x ns:a.b.c ?y . ?y ns:a.b.d ns:m.a FILTER (?x != ?y) }")
    expected = read_sparql("SELECT DISTINCT ?x { ?y ns:a.b.c ?x . ?x ns:a.b.d ns:m.a FILTER (?y != ?x) }")
    assert asking_for_x(asked) == expected
    assert asking_for_x(expected) == expected


def test_the_papers_form_is_written_where_it_can_be():
    sparql = """SELECT DISTINCT ?x { FILTER (?x != ns:m.a)
      FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))
      ns:m.a ns:location.location.contains ?x . ?x ns:common.topic.notable_types ns:m.country .
      ?x ns:location.country.capital ns:m.b . }"""
    form = read_sparql(sparql)
    first, second = Placeholders({"m.a": "A", "m.b": "B"}, ["m.a"]), Placeholders({"m.a": "A", "m.b": "B"}, ["m.b"])
    assert write_form(form, first) == (
        "<sparql-header-2> #entity1# ns:location.location.contains ?x . ?x ns:common.topic.notable_types ns:m.country ."
        " ?x ns:location.country.capital #entity2# ."
    )
    assert write_form(form, second).startswith(f"filter ( ?x != #entity2# ) {LANGUAGE} #entity2# ns:location")
    assert kinds_of(form) == {"m.country"}


def test_names_are_found_in_any_case_the_longest_first_and_only_whole():
    placeholders = Placeholders({"m.1": "York", "m.2": "New York", "m.3": "São Tomé", "m.4": "Lima"})
    text = placeholders.in_text("Is new  york's port older than York's, yorks or são tomé's?")
    assert text == "Is #entity1#'s port older than #entity2#'s, yorks or #entity3#'s?"
    assert placeholders.ids == ["m.2", "m.1", "m.3"]
    assert placeholders.unmentioned() == " | #entity4# Lima"
    assert placeholders.restored("#entity1# and #entity4# and #entity9#") == "New York and Lima and #entity9#"
    assert placeholders.in_text("York again") == "#entity2# again"


def test_forms_are_numbered_by_what_came_up_and_keep_what_has_no_name():
    placeholders = Placeholders({"m.b": "B"}, ["m.z"])
    form = "#entity1# ns:a.b.c #entity2# . ?x ns:a.b.d #entity3# ."
    assert placeholders.in_form(form, ("m.a", "m.b")) == "ns:m.a ns:a.b.c #entity2# . ?x ns:a.b.d #entity3# ."
    assert placeholders.ids == ["m.z", "m.b", "#entity3#"]
