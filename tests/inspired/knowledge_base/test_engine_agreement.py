"""The same answers from engines that share no code: ours, and rdflib, to queries as found and as put together again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rdflib

from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import compose
from inspired.knowledge_base.engine import KnowledgeBase, Node, open_knowledge_base
from inspired.knowledge_base.graph import WORLD, Graph, embedded_graph, read_graph, read_triples
from inspired.knowledge_base.seam import entity, literal
from inspired.logical_form.forms import FREEBASE, XSD, Entity, Literal
from inspired.logical_form.sparql_reader import read_sparql
from inspired.logical_form.sparql_writer import with_full_dates, write_sparql
from tests.inspired.knowledge_base.world_queries import FEATURES, world_query
from tests.inspired.standard_sparql import cleaned
from tests.inspired.standard_sparql import with_full_dates as dates_in_full

CODES = "fr de be nl lu ch at it es pt pl cz sk hu dz ml ne td sn bf ci ng gh tg bj"
COUNTRIES = {f"m.country_{code}" for code in CODES.split()}
LEFT_OUT = (
    "location.statistical_region.",
    "location.location.contains",
    "location.country.first_level_divisions",
    "location.location.time_zones",
)
KEPT = "location.statistical_region.population"
# rdflib 7.6 calls pyparsing by names that pyparsing 3.3 is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib", "ignore::DeprecationWarning:pyparsing")


def recomposed(sparql: str) -> str:
    return write_sparql(with_full_dates(compose(decompose(read_sparql(sparql)))))


@pytest.fixture(scope="module")
def world() -> Iterator[KnowledgeBase]:
    kb = open_knowledge_base()
    yield kb
    kb.close()


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the world graph says of a few countries: small enough for rdflib."""
    path = tmp_path_factory.mktemp("some") / "some.nt"
    told = [
        (subject, predicate, object_)
        for subject, predicate, object_ in read_triples(WORLD)
        if predicate == KEPT or not predicate.startswith(LEFT_OUT)
    ]
    near = {object_.id for subject, _, object_ in told if subject in COUNTRIES and isinstance(object_, Entity)} | COUNTRIES
    kept = [each for each in told if each[0] in near and not (each[0].startswith("m.country") and each[0] not in COUNTRIES)]
    path.write_text("".join(f"{_n3(Entity(s))} {_n3(Entity(p))} {_n3(o)} .\n" for s, p, o in kept), "utf-8")
    assert 1000 < len(kept) < 20_000
    return path


@pytest.fixture(scope="module")
def oracle(some: Path) -> rdflib.Graph:
    return rdflib.Graph().parse(some, format="nt")


@pytest.fixture(scope="module")
def ours(some: Path) -> Iterator[KnowledgeBase]:
    kb = open_knowledge_base(some)
    yield kb
    kb.close()


@pytest.fixture(scope="module")
def small(some: Path) -> Graph:
    return read_graph(some)


def _n3(node: Node) -> str:
    if isinstance(node, Entity):
        return f"<{node.id if '://' in node.id else FREEBASE + node.id}>"
    datatype = rdflib.URIRef(XSD + node.datatype) if node.datatype else None
    return rdflib.Literal(node.text, datatype=datatype, lang=node.language, normalize=False).n3()


def _answers_of_rdflib(oracle: rdflib.Graph, sparql: str) -> list[Node]:
    return [_node(row[0]) for row in oracle.query(sparql)]


def _node(term: Any) -> Node:
    if isinstance(term, rdflib.Literal):
        return literal(str(term), term.datatype and str(term.datatype), term.language)
    return entity(str(term))


def _values(nodes: list[Node]) -> list[str]:
    """Nodes as texts that are equal where numbers are: engines write `1.50` and `1.5`."""
    return [
        str(float(each.text)) if isinstance(each, Literal) and each.datatype in ("decimal", "double") else str(each)
        for each in nodes
    ]


@pytest.mark.slow
@pytest.mark.parametrize("feature", FEATURES)
def test_rdflib_agrees(oracle: rdflib.Graph, ours: KnowledgeBase, small: Graph, feature: str) -> None:
    answered = 0
    for seed in range(8):
        found = world_query(small, feature, seed)
        expected = _values(_answers_of_rdflib(oracle, dates_in_full(cleaned(found))))
        assert sorted(_values(_answers_of_rdflib(oracle, recomposed(found)))) == sorted(expected), found
        rows = ours.select(recomposed(found)).rows
        assert sorted(_values([row[0] for row in rows if row[0] is not None])) == sorted(expected), found
        answered += bool(expected)
    assert answered


@pytest.mark.slow
@pytest.mark.parametrize("feature", FEATURES)
def test_the_whole_world_answers_what_is_put_together_again_as_the_query(world: KnowledgeBase, feature: str) -> None:
    answered = 0
    for seed in range(15):
        found = world_query(embedded_graph(), feature, seed)
        expected = world.select(dates_in_full(cleaned(found)))
        again = world.select(recomposed(found))
        assert set(again.rows) == set(expected.rows), found
        assert again.columns == expected.columns == ("x",)
        answered += bool(expected.rows)
    assert answered >= 3
