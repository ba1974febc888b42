"""Questions over RDF as people publish it, with no file of ours; the facts of `gallery.ttl` are planted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspired.decomposition.decompose import decompose
from inspired.dialogue.intermediate_answers import final_answer, step_answers
from inspired.knowledge_base.engine import KnowledgeBase, open_knowledge_base
from inspired.knowledge_base.graph import read_graph
from inspired.knowledge_base.published import local_words
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.sub_questions.verbalise import verbalise

GALLERY = Path(__file__).parents[2] / "knowledge_base" / "gallery.ttl"
ANSWERS = {
    "Who painted The Grey Harbour?": {"Ana Lindholm"},
    "Which paintings did Ana Lindholm paint?": {"The Grey Harbour", "Orchard at Dusk"},
    "When was Ben Okoro born?": {"30 November 1870"},
    "Where was Ana Lindholm born?": {"Vikstad"},
    "Which museum shows Orchard at Dusk?": {"Hill House"},
    "What is the height of Standing Heron?": {"210"},
    "Which works of art are shown in the Harbour Museum?": {"The Grey Harbour", "Die Brücke"},
    "Which paintings were created before 1890?": {"The Grey Harbour", "Orchard at Dusk"},
    "Which paintings are not shown in the Harbour Museum?": {"Orchard at Dusk"},
    "How many paintings are there?": {"3"},
    "Which painting is the tallest?": {"The Grey Harbour"},
    "What is the population of Sunbridge?": {"120,400"},
    "Which museum has the most visitors?": {"Harbour Museum"},
    "Does the Harbour Museum have more than 40000 visitors?": {"yes"},
    "Is The Grey Harbour painted by Ben Okoro?": {"no"},
    "What is the subject of Die Brücke?": {"river"},
    "Which persons were born after 1850?": {"Ben Okoro"},
    "Which town has more than 100000 inhabitants?": {"Solbruk"},
    "What is the postal code of the Harbour Museum?": {"4410"},
}


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    opened = open_knowledge_base(GALLERY)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def parser() -> DefaultParser:
    return DefaultParser(read_graph(GALLERY))


@pytest.mark.parametrize("question", ANSWERS)
def test_planted_facts_are_found(question: str, parser: DefaultParser, kb: KnowledgeBase) -> None:
    reading = parser.parse(question, 1)[0]
    assert {each.name for each in final_answer(decompose(reading.form), kb, reading.names).answers} == ANSWERS[question]


@pytest.mark.parametrize("question", ANSWERS)
def test_no_step_shows_an_address(question: str, parser: DefaultParser, kb: KnowledgeBase) -> None:
    reading = parser.parse(question, 1)[0]
    steps = decompose(reading.form)
    words = " ".join(verbalise(steps, reading.names).questions)
    assert "://" not in words
    assert "example" not in words
    assert all(answer.problem is None for answer in step_answers(steps, kb, reading.names))


@pytest.mark.parametrize(
    ("iri", "words"),
    [
        ("http://example.org/prop/flowsInto", "flows into"),
        ("http://example.org/ns#AirHandlerUnit", "Air Handler Unit"),
        ("http://example.org/x/has_part", "has part"),
        ("http://dbpedia.org", ""),
        ("http://dbpedia.org/", ""),
    ],
)
def test_nouns_never_come_from_hosts(iri: str, words: str) -> None:
    assert local_words(iri) == words


WELL_KNOWN = """
@prefix dct: <http://purl.org/dc/terms/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix x: <http://example.org/x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
x:ada a foaf:Person ; foaf:name "Ada" ; foaf:knows x:ben , x:cem . x:ben a foaf:Person ; foaf:name "Ben" ; foaf:knows x:cem .
x:cem a foaf:Person ; foaf:name "Cem" .
x:tides a x:Report ; rdfs:label "Tides of Norway" ; dct:creator x:ben ; dct:issued "2011-05-04"^^xsd:date .
x:winds a x:Report ; rdfs:label "Winds of Chad" ; dct:creator x:cem ; dct:issued "2014-01-09"^^xsd:date .
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who knows the most people?", "Ada"),
        ("Who is the author of Tides of Norway?", "Ben"),
        ("When was Winds of Chad published?", "9 January 2014"),
    ],
)
def test_words_that_people_use_for_well_known_properties(question: str, answer: str, tmp_path: Path) -> None:
    path = tmp_path / "reports.ttl"
    path.write_text(WELL_KNOWN, "utf-8")
    opened = open_knowledge_base(path)
    reading = DefaultParser(read_graph(path)).parse(question, 1)[0]
    assert [each.name for each in final_answer(decompose(reading.form), opened, reading.names).answers] == [answer]
    opened.close()
