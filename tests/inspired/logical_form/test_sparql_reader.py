"""Reading and writing: nothing is lost on the way there and back, and what cannot be read is named."""

import random
from contextlib import suppress

import pyoxigraph
import pytest
from hypothesis import given, settings

from backend.errors import LogicalFormError
from inspired.logical_form.forms import Entity, FunctionCall, Literal, LogicalForm, Variable, triples, walk
from inspired.logical_form.sparql_reader import (
    is_compact,
    read_compact,
    read_fragment,
    read_query,
    read_sparql,
    spellings_of,
)
from inspired.logical_form.sparql_writer import with_full_dates, write_compact, write_sparql
from inspired.logical_form.substitution import delexicalise, lexicalise
from tests.inspired.conftest import Query
from tests.inspired.logical_forms import logical_forms

# The paper's own examples of the compact form (tables 18 and 19).
PAPERS = [
    "<sparql-header-1> ?c ns:location.country.administrative_divisions #entity1# . "
    "?c ns:location.country.official_language ?x .",
    "<sparql-header-2> #entity1# ns:people.person.places_lived ?y . ?y ns:people.place_lived.location ?x . "
    "?x ns:location.country.capital #entity2# .",
    "<sparql-header-2> #entity1# ns:sports.professional_sports_team.draft_picks ?y . "
    "?y ns:sports.sports_league_draft_pick.player ?x . ?x ns:sports.pro_athlete.career_start ?num . } order by ?num limit 1",
]


@pytest.mark.slow
@given(logical_forms())
@settings(max_examples=400)
def test_what_is_written_is_read_again(form: LogicalForm) -> None:
    assert read_sparql(write_sparql(form)) == form
    assert read_sparql(write_sparql(form, prefixes=True)) == form


@pytest.mark.slow
@given(logical_forms())
@settings(max_examples=200)
def test_an_engine_reads_what_is_written(form: LogicalForm) -> None:
    pyoxigraph.Store().query(write_sparql(form))
    pyoxigraph.Store().query(write_sparql(with_full_dates(form)))


@pytest.mark.slow
@given(logical_forms())
@settings(max_examples=200)
def test_placeholders_and_back(form: LogicalForm) -> None:
    bare, entities = delexicalise(form)
    assert lexicalise(bare, entities) == form
    left = {each.id for each in walk(bare) if isinstance(each, Entity)}
    assert left <= {f"#entity{number}#" for number in range(1, len(entities) + 1)} | {"location.country"}
    numbers = [each.id for each in walk(bare) if isinstance(each, Entity) and each.is_placeholder]
    assert list(dict.fromkeys(numbers)) == [f"#entity{number}#" for number in range(1, len(entities) + 1)]


def test_compact_form_and_back(query: Query) -> None:
    form = read_sparql(query.sparql)
    compact = write_compact(form)
    assert "\n" not in compact
    assert not any(character.isupper() for character in compact.replace("?", ""))
    again = read_compact(compact, delexicalise(form)[1], spellings_of(form))
    assert again.patterns == form.patterns
    assert again.order == form.order


@pytest.mark.parametrize("compact", PAPERS)
def test_the_papers_compact_form_stays_as_it_is(compact: str) -> None:
    assert write_compact(read_compact(compact)) == compact


def test_quotes_of_the_compact_form() -> None:
    form = read_sparql('SELECT DISTINCT ?x WHERE { ?x ns:film.film.title "The End"@en . ?x ns:a.b.c "1899"^^xsd:dateTime . }')
    compact = write_compact(form)
    assert compact == "?x ns:film.film.title '' the end ``@en . ?x ns:a.b.c '' 1899 ``^^xsd:datetime ."
    assert read_compact(compact, spellings=["The End"]).patterns == form.patterns
    assert read_compact(compact.replace("''", "@@").replace("``", "''").replace("@@", "``")) == read_compact(compact)


def test_the_dialect_means_what_the_standard_means() -> None:
    wild = """#MANUAL SPARQL
    SELECT DISTINCT ?x WHERE { # a comment with { in it
      ?x ns:a.b.c "#no comment" ; ns:a.b.d ns:m.01, ns:m.02 .?x ns:a.b.e ?n
      FILTER (xsd:datetime(?n) < "1899"^^xsd:datetime OR NOT ?n = 5 AND str(?n) = 'x')
      FILTER NOT EXISTS { ?x ns:a.b.f [] }
    } order by desc(xsd:int(?n)) limit 1"""
    standard = """PREFIX free: <http://rdf.freebase.com/ns/> PREFIX x: <http://www.w3.org/2001/XMLSchema#>
    SELECT DISTINCT ?x { ?x free:a.b.c "#no comment" . ?x free:a.b.d free:m.01 . ?x free:a.b.d free:m.02 . ?x free:a.b.e ?n .
      FILTER ((x:dateTime(?n) < "1899"^^x:dateTime) || (!(?n = 5) && STR(?n) = "x"))
      FILTER (!EXISTS { ?x free:a.b.f [] . }) } ORDER BY DESC(x:integer(?n)) LIMIT 1"""
    assert read_sparql(wild) == read_sparql(standard)


def test_strings_keep_every_character() -> None:
    form = read_sparql(r'SELECT ?x WHERE { ?x ns:a.b.c "a \"b\" \\ \n é \u00e9 #c ?d { } \'e\'" }')
    literal = next(each for each in walk(form) if isinstance(each, Literal))
    assert literal.text == "a \"b\" \\ \n é é #c ?d { } 'e'"


def test_braces_without_meaning_go() -> None:
    assert read_sparql("SELECT ?x { { ?x ns:a.b.c ?y } { { ?y ns:a.b.d ?z FILTER(?z > 3) } } }") == read_sparql(
        "SELECT ?x { ?x ns:a.b.c ?y . ?y ns:a.b.d ?z FILTER(?z > 3) }"
    )


@pytest.mark.parametrize(
    ("sparql", "names"),
    [
        ("SELECT ?x WHERE {\n ?x ns:a.b.c ?y .\n GRAPH ?g { ?y ns:a.b.d ?z } }", "GRAPH is not covered line 3, column 2"),
        ("SELECT ?x WHERE { SERVICE <http://e.org> { ?x ns:a.b.c ?y } }", "SERVICE http://e.org line 1"),
        ("SELECT ?x FROM <http://e.org/g> WHERE { ?x ns:a.b.c ?y }", "FROM is not covered"),
        ("SELECT ?x WHERE { ?x ns:a.b.c (1 2) }", "list in parentheses"),
        ("CONSTRUCT { ?x ns:a.b.c ?y } WHERE { ?x ns:a.b.d ?y }", "CONSTRUCT is not covered SELECT ASK"),
        ("DESCRIBE ns:m.01", "DESCRIBE is not covered"),
        ("BASE <http://e.org/> SELECT ?x WHERE { ?x ns:a.b.c ?y }", "BASE is not covered"),
        ("SELECT ?x WHERE { INCLUDE %part }", "INCLUDE %part names no part"),
        ("SELECT * WHERE { }", "SELECT * no variable"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y FILTER near(?y, 'a') }", "function near SPARQL"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y FILTER (ABS(DISTINCT ?y) > 3) }", "DISTINCT inside ABS"),
        ("SELECT (SUM() AS ?n) WHERE { ?x ns:a.b.c ?y }", "SUM of nothing"),
        ("SELECT ?x WHERE { VALUES (?x ?y) { (1) } }", "VALUES as many values"),
        ("SELECT ?x WHERE { BIND(IF(EXISTS { ?x ns:a.b.c ?y }, 1, 2) AS ?z) }", "EXISTS inside an expression"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y FILTER (?y) }", "comparison is missing"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y FILTER (?y > ) }", "value is missing"),
        ("SELECT ?x WHERE { ?x foo:a ?y }", "prefix foo: PREFIX"),
        ("SELECT ?x WHERE { ?x ns:a.b.c }", "object is missing"),
        ("SELECT ?x WHERE { ?x }", "predicate is missing"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y", "} is missing end of the text"),
        ("SELECT ?x WHERE ?x ns:a.b.c ?y", "{ is missing column 17"),
        ("SELECT WHERE { ?x ns:a.b.c ?y }", "variable is missing"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y } ORDER ?x", "BY is missing"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y } and more", "'and' follows"),
        ('SELECT ?x WHERE { ?x ns:a.b.c "open }', "Cannot read"),
        ("?x ns:a.b.c ?y", "SELECT is missing"),
        ("", "SELECT is missing"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y } LIMIT many", "whole number"),
        ("SELECT ?x WHERE { ?x ns:a.b.c ?y } LIMIT 2.5", "whole number"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(sparql: str, names: str) -> None:
    with pytest.raises(LogicalFormError) as caught:
        read_sparql(sparql)
    assert all(word in caught.value.message for word in names.split(" ") if word)
    assert "line" in caught.value.message or "end of the text" in caught.value.message


@pytest.mark.slow
def test_damaged_queries_give_an_error_and_nothing_else(queries: list[Query]) -> None:
    draw = random.Random(1)
    for query in queries:
        for _ in range(60):
            start, length = draw.randrange(len(query.sparql)), draw.randint(1, 9)
            damaged = (
                query.sparql[:start]
                + draw.choice(["", "{", "}", '"', "?", "FILTER", "<", "'", "# "])
                + query.sparql[start + length :]
            )
            with suppress(LogicalFormError):
                read_sparql(damaged)


def test_braces_with_meaning_stay() -> None:
    form = read_sparql("SELECT ?x { ?y ns:a.b.c ?x { ?x ns:a.b.d ?z FILTER(?y > 3) } }")
    assert form != read_sparql("SELECT ?x { ?y ns:a.b.c ?x . ?x ns:a.b.d ?z FILTER(?y > 3) }")
    assert read_sparql(write_sparql(form)) == form


def test_a_fragment_needs_no_frame() -> None:
    patterns, order = read_fragment("?c ns:a.b.c ?x . order by desc ( xsd:integer ( ?x ) ) limit 1")
    assert len(triples(patterns)) == 1
    assert order is not None
    assert order.key == FunctionCall("xsd:integer", (Variable("x"),))
    with pytest.raises(LogicalFormError, match="at least one triple"):
        read_fragment("  ")


@pytest.mark.slow
def test_queries_of_others_can_be_read_and_written(cwq_forms: list[LogicalForm]) -> None:
    for form in cwq_forms:
        assert read_sparql(write_sparql(form)) == form
        assert read_compact(write_compact(form), delexicalise(form)[1], spellings_of(form)) == form


@pytest.mark.parametrize("text", [
    "ASK { ns:m.1 ns:a.b ns:m.2 }",
    "ask{ns:m.1 ns:a.b ns:m.2}",
    "# is it so?\nPREFIX ns: <http://rdf.freebase.com/ns/>\nASK { ns:m.1 ns:a.b ns:m.2 }",
    "SELECT ?x { ?x ns:a.b ns:m.2 }",
])  # fmt: skip
def test_standard_queries_of_either_kind_are_told_from_the_compact_form(text: str) -> None:
    assert not is_compact(text)
    assert read_query(text) == read_sparql(text)


@pytest.mark.parametrize("text", ["#entity1# ns:a.b ?x .", "<sparql-header-1> ?c ns:a.select ?x .", "?x ns:ask.a #entity1# ."])
def test_the_compact_form_is_read_as_such(text: str) -> None:
    assert is_compact(text)
    assert read_query(text, ("m.1",)) == read_compact(text, ("m.1",))
