"""SPARQL 1.1 as people write it: split into steps, put together again, and answered as before by the store itself."""

from collections import Counter
from pathlib import Path

import pyoxigraph
import pytest

from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import compose
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.sparql_reader import read_sparql
from inspired.logical_form.sparql_writer import write_sparql
from inspired.sub_questions.verbalise import verbalise

FACTS = Path(__file__).parents[1] / "knowledge_base"
PREFIXES = """PREFIX on: <http://data.gallery.example.org/ontology#> PREFIX ex: <http://data.gallery.example.org/id/>
PREFIX dct: <http://purl.org/dc/terms/> PREFIX sdo: <https://schema.org/> PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX p: <http://www.wikidata.org/prop/> PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
QUERIES = [
    "ASK { ex:p1 on:paintedBy ex:ana }",
    "ASK { ex:p1 on:paintedBy ex:ben }",
    "ASK WHERE { ?x on:shownIn ex:m1 ; on:heightInCm ?h . FILTER (?h > 100) }",
    "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { ?x a/rdfs:subClassOf* on:Work }",
    "SELECT (COUNT(*) AS ?n) WHERE { ?x on:shownIn ?m }",
    "SELECT (AVG(?h) AS ?mean) WHERE { ?x on:heightInCm ?h }",
    "SELECT (MAX(?h) AS ?most) WHERE { ?x on:heightInCm ?h ; on:shownIn ex:m1 }",
    "SELECT ?m (COUNT(?x) AS ?n) WHERE { ?x on:shownIn ?m } GROUP BY ?m",
    "SELECT ?p (COUNT(DISTINCT ?x) AS ?n) WHERE { ?x on:paintedBy ?p } GROUP BY ?p HAVING (COUNT(DISTINCT ?x) > 1)",
    "SELECT ?m (SUM(?h) AS ?all) WHERE { ?x on:shownIn ?m ; on:heightInCm ?h } GROUP BY ?m ORDER BY DESC(?all) LIMIT 1",
    "SELECT ?x WHERE { ?x on:shownIn ?m MINUS { ?x on:shownIn ex:m1 } }",
    "SELECT ?x WHERE { ?x on:shownIn ?m FILTER NOT EXISTS { ?x on:paintedBy ex:ana } }",
    "SELECT ?x ?who WHERE { ?x on:shownIn ex:m2 OPTIONAL { ?x on:paintedBy ?who } }",
    "SELECT ?x WHERE { VALUES ?m { ex:m1 ex:m2 } ?x on:shownIn ?m ; on:paintedBy ex:ana }",
    "SELECT ?x ?h WHERE { VALUES (?x ?h) { (ex:p1 UNDEF) (ex:p2 64.0) } ?x on:heightInCm ?h }",
    "SELECT ?x WHERE { ?x on:paintedBy ?who FILTER (?who IN (ex:ana, ex:m1)) }",
    "SELECT ?x WHERE { ?x on:shownIn ?m FILTER (?x NOT IN (ex:p1)) } ORDER BY ?m DESC(?x)",
    "SELECT ?x ?y WHERE { ?x on:heightInCm ?h BIND (?h / 100 AS ?y) FILTER (?y > 1) }",
    "SELECT ?town WHERE { ?m sdo:address/sdo:addressLocality ?town }",
    "SELECT ?x WHERE { ex:m1 ^on:shownIn ?x }",
    "SELECT ?c WHERE { ex:sea skos:broader* ?c }",
    "SELECT ?x WHERE { ?x (on:paintedBy|on:madeBy) ex:ben }",
    'SELECT ?x WHERE { ?m sdo:address [ sdo:postalCode "4410" ; sdo:addressLocality ?x ] }',
    'SELECT ?x WHERE { ?x dct:title ?t FILTER (CONTAINS(LCASE(STR(?t)), "harbour") || REGEX(STR(?t), "^die", "i")) }',
    "SELECT ?x WHERE { ?who sdo:birthDate ?d . ?x on:paintedBy ?who FILTER (YEAR(?d) < 1850) }",
    "SELECT * WHERE { ?x on:studentOf ?y }",
    "SELECT ?y WHERE { ex:p1 ?y ex:ana }",
    "SELECT ?x WHERE { { SELECT ?x WHERE { ?x on:heightInCm ?h } ORDER BY DESC(?h) LIMIT 2 } ?x on:shownIn ex:m1 }",
    "SELECT ?x WHERE { { ?x on:paintedBy ex:ben } UNION { ?x on:madeBy ex:ben MINUS { ?x on:shownIn ex:m1 } } }",
    'SELECT (IF(?h > 100, "large", "small") AS ?size) WHERE { ex:p1 on:heightInCm ?h }',
    "SELECT ?who WHERE { ?who p:P39 ?held . ?held ps:P39 wd:Q401 ; pq:P580 ?since } ORDER BY ?since LIMIT 1",
    "SELECT ?x WHERE { ?x wdt:P31/wdt:P279* wd:Q6 ; wdt:P1082 ?n FILTER (?n >= 1000000) }",
]


@pytest.fixture(scope="module")
def store() -> pyoxigraph.Store:
    made = pyoxigraph.Store()
    for name in ("gallery.ttl", "wikidata_shape.ttl"):
        made.bulk_load(path=FACTS / name)
    return made


def answers(store: pyoxigraph.Store, sparql: str) -> object:
    result = store.query(sparql)
    if isinstance(result, pyoxigraph.QueryBoolean):
        return bool(result)
    assert isinstance(result, pyoxigraph.QuerySolutions)
    return Counter(tuple(str(row[index]) for index in range(len(result.variables))) for row in result)


@pytest.mark.parametrize("sparql", QUERIES)
def test_steps_put_together_answer_as_the_query_did(sparql: str, store: pyoxigraph.Store) -> None:
    form = read_sparql(PREFIXES + sparql)
    again = compose(decompose(form))
    assert equivalent(again, form)
    assert equivalent(read_sparql(write_sparql(again)), form)
    before = answers(store, PREFIXES + sparql)
    assert before != Counter()
    assert answers(store, write_sparql(again)) == before


@pytest.mark.parametrize("sparql", QUERIES)
def test_every_step_has_words(sparql: str) -> None:
    steps = decompose(read_sparql(PREFIXES + sparql))
    questions = verbalise(steps, {}).questions
    assert len(questions) == len(steps.steps) > 0
    assert all(each.endswith("?") for each in questions)
