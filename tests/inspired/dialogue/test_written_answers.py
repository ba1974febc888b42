"""Queries of Wikidata's shape over a small graph of that shape: every step has words without identifiers, and its answers."""

import re
from pathlib import Path

import pytest

from inspired.decomposition.decompose import decompose
from inspired.dialogue.intermediate_answers import final_answer, step_answers
from inspired.knowledge_base.engine import KnowledgeBase, open_knowledge_base
from inspired.knowledge_base.names import names_of
from inspired.logical_form.sparql_reader import read_sparql
from inspired.sub_questions.labels import to_look_up
from inspired.sub_questions.verbalise import verbalise

PREFIXES = """
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> . @prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
# A land of our own: three islands with towns, and who was mayor when.
GRAPH = (
    PREFIXES
    + """
wd:Q9001 rdfs:label "Norra"@en ; wdt:P31 wd:Q9100 ; wdt:P9036 wd:Q9011 .
wd:Q9002 rdfs:label "Sudra"@en ; wdt:P31 wd:Q9100 .
wd:Q9011 rdfs:label "Hafen"@en ; wdt:P31 wd:Q9101 ; wdt:P9017 wd:Q9001 ; wdt:P9082 900 ; p:P9006 wd:S1, wd:S2 .
wd:Q9012 rdfs:label "Fels"@en ; wdt:P31 wd:Q9101 ; wdt:P9017 wd:Q9001 ; wdt:P9082 300 .
wd:Q9013 rdfs:label "Sand"@en ; wdt:P31 wd:Q9102 ; wdt:P9017 wd:Q9002 ; wdt:P9082 700 .
wd:Q9102 rdfs:label "harbour town"@en ; wdt:P9279 wd:Q9101 .
wd:S1 ps:P9006 wd:Q9021 ; pq:P9580 "1990-01-01T00:00:00Z"^^xsd:dateTime .
wd:S2 ps:P9006 wd:Q9022 ; pq:P9580 "2004-01-01T00:00:00Z"^^xsd:dateTime .
wd:Q9021 rdfs:label "Ada Berg"@en . wd:Q9022 rdfs:label "Bo Tal"@en .
wd:Q9100 rdfs:label "island"@en . wd:Q9101 rdfs:label "town"@en .
wd:P9036 rdfs:label "main town"@en . wd:P9017 rdfs:label "island of location"@en . wd:P9082 rdfs:label "population"@en .
wd:P9006 rdfs:label "mayor"@en . wd:P9580 rdfs:label "start of office"@en . wd:P9279 rdfs:label "subclass of"@en .
"""
)
QUESTIONS = {
    "SELECT ?town WHERE { wd:Q9001 wdt:P9036 ?town }": {"Hafen"},
    "SELECT ?x ?xLabel WHERE { ?x wdt:P9017 wd:Q9001 SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' } }": {
        "Hafen",
        "Fels",
    },
    "ASK { wd:Q9001 wdt:P9036 wd:Q9012 }": {"no"},
    "SELECT (COUNT(?x) AS ?n) WHERE { ?x wdt:P9017 wd:Q9001 }": {"2"},
    "SELECT (SUM(?p) AS ?n) WHERE { ?x wdt:P9017 wd:Q9001 ; wdt:P9082 ?p }": {"1200"},
    "SELECT ?i (COUNT(?x) AS ?n) WHERE { ?x wdt:P9017 ?i } GROUP BY ?i HAVING (COUNT(?x) > 1)": {"Norra"},
    "SELECT ?i WHERE { ?x wdt:P9017 ?i ; wdt:P9082 ?p } GROUP BY ?i ORDER BY DESC(SUM(?p)) LIMIT 1": {"Norra"},
    "SELECT ?i WHERE { ?i wdt:P31 wd:Q9100 . FILTER NOT EXISTS { ?i wdt:P9036 ?t } }": {"Sudra"},
    "SELECT ?i WHERE { ?i wdt:P31 wd:Q9100 . MINUS { ?i wdt:P9036 wd:Q9011 } }": {"Sudra"},
    "SELECT ?x WHERE { VALUES ?i { wd:Q9002 } ?x wdt:P9017 ?i }": {"Sand"},
    "SELECT ?x WHERE { ?x wdt:P9082 ?p . BIND(?p * 2 AS ?twice) FILTER(?twice > 1500) }": {"Hafen"},
    "SELECT ?m WHERE { wd:Q9011 p:P9006 ?s . ?s ps:P9006 ?m ; pq:P9580 ?d FILTER(YEAR(?d) > 2000) }": {"Bo Tal"},
    "SELECT ?x WHERE { ?x wdt:P31/wdt:P9279* wd:Q9101 }": {"Hafen", "Fels", "Sand"},
    "SELECT ?x WHERE { { ?x wdt:P9017 wd:Q9002 } UNION { wd:Q9001 wdt:P9036 ?x } }": {"Hafen", "Sand"},
    "SELECT ?i ?t WHERE { ?i wdt:P31 wd:Q9100 . OPTIONAL { ?i wdt:P9036 ?t } }": {"Norra", "Sudra"},
    "SELECT ?x WHERE { { SELECT (MAX(?p) AS ?m) WHERE { ?y wdt:P9082 ?p } } ?x wdt:P9082 ?m }": {"Hafen"},
}


@pytest.fixture(scope="module")
def islands(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    path: Path = tmp_path_factory.mktemp("islands") / "islands.ttl"
    path.write_text(GRAPH, "utf-8")
    return open_knowledge_base(str(path))


@pytest.mark.parametrize("sparql", QUESTIONS)
def test_the_answer_is_the_engines(sparql: str, islands: KnowledgeBase) -> None:
    steps = decompose(read_sparql(sparql))
    names = names_of(islands, to_look_up(steps))
    result = final_answer(steps, islands, names)
    assert result.problem is None
    assert {each.name.replace(",", "") for each in result.answers} == QUESTIONS[sparql]


@pytest.mark.parametrize("sparql", QUESTIONS)
def test_each_step_is_answered_and_shows_no_identifier(sparql: str, islands: KnowledgeBase) -> None:
    steps = decompose(read_sparql(sparql))
    names = names_of(islands, to_look_up(steps))
    for question, answer in zip(verbalise(steps, names).questions, step_answers(steps, islands, names), strict=True):
        assert not re.search(r"(?i)\b[pq]9\d+|http|\?\w|node", question.removesuffix("?")), question
        assert answer.problem is None, (question, answer.problem)
        assert answer.answers, question
