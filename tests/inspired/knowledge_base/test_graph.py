"""The graph in memory against the same file read by an independent engine."""

import gzip
from pathlib import Path

import pyoxigraph
import pytest

from backend.errors import KnowledgeBaseError
from inspired.knowledge_base.graph import read_graph
from inspired.knowledge_base.vocabulary import Edge
from inspired.logical_form.forms import Entity, Literal

HOSPITAL = """
@prefix ns: <http://rdf.freebase.com/ns/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ns:care.ward ns:type.object.type ns:type.type ; ns:type.object.name "Ward"@en .
ns:care.doctor ns:type.object.type ns:type.type ; ns:type.object.name "Doctor"@en ;
  ns:freebase.type_hints.included_types ns:people.person .
ns:people.person ns:type.object.type ns:type.type ; ns:type.object.name "Person"@en .
ns:care.shift ns:type.object.type ns:type.type ; ns:freebase.type_hints.mediator true .
ns:care.ward.shifts ns:type.object.type ns:type.property ; ns:type.object.name "Shifts"@en ;
  ns:type.property.schema ns:care.ward ; ns:type.property.expected_type ns:care.shift .
ns:care.shift.doctor ns:type.object.type ns:type.property ; ns:type.object.name "Doctor"@en ;
  ns:type.property.schema ns:care.shift ; ns:type.property.expected_type ns:people.person .
ns:care.shift.hours ns:type.object.type ns:type.property ; ns:type.object.name "Hours"@en ;
  ns:type.property.schema ns:care.shift ; ns:type.property.expected_type ns:type.int .
ns:care.ward.head ns:type.object.type ns:type.property ; ns:type.object.name "Head"@en ;
  ns:type.property.schema ns:care.ward ; ns:type.property.expected_type ns:care.doctor .
ns:m.north ns:type.object.type ns:care.ward ; ns:type.object.name "North ward"@en , "Station Nord"@de ;
  ns:common.topic.alias "Ward 3"@en ; ns:care.ward.head ns:m.anna ; ns:care.ward.shifts ns:g.1 , ns:g.2 .
ns:g.1 ns:care.shift.doctor ns:m.anna ; ns:care.shift.hours 8 .
ns:g.2 ns:care.shift.doctor ns:m.ben , ns:m.anna ; ns:care.shift.hours 4 .
ns:m.anna ns:type.object.type ns:care.doctor ; ns:type.object.name "Anna Roth"@en .
ns:m.ben ns:type.object.type ns:care.doctor ; ns:type.object.name "Ben Osei"@en .
"""
SHIFT_OF = Edge(("care.ward.shifts", "care.shift.doctor"), "care.ward", "people.person")


@pytest.fixture(params=["plain.ttl", "packed.ttl.gz"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = tmp_path / request.param
    path.write_bytes(gzip.compress(HOSPITAL.encode()) if path.suffix == ".gz" else HOSPITAL.encode())
    return path


def test_names_aliases_and_types_are_kept_apart_from_facts(file: Path) -> None:
    graph = read_graph(file)
    assert graph.names["m.north"] == "North ward"
    assert graph.aliases["m.north"] == ("Ward 3",)
    assert graph.members("care.doctor") == ("m.anna", "m.ben")
    assert set(graph.predicates) == {"care.ward.head", "care.ward.shifts", "care.shift.doctor", "care.shift.hours"}


def test_the_schema_tells_edges_through_mediating_nodes(file: Path) -> None:
    schema = read_graph(file).schema
    assert schema.edges == (
        Edge(("care.ward.head",), "care.ward", "care.doctor"),
        SHIFT_OF,
        Edge(("care.ward.shifts", "care.shift.hours"), "care.ward", "type.int"),
    )
    assert [edge.to_number for edge in schema.edges] == [False, False, True]
    assert schema.fits("care.doctor", "people.person")
    assert not schema.fits("people.person", "care.doctor")


def test_following_an_edge_finds_what_an_engine_finds(file: Path) -> None:
    graph = read_graph(file)
    store = pyoxigraph.Store()
    store.load(HOSPITAL, pyoxigraph.RdfFormat.TURTLE)
    first, second = (f"<http://rdf.freebase.com/ns/{predicate}>" for predicate in SHIFT_OF.path)
    found = store.query(f"SELECT DISTINCT ?x {{ <http://rdf.freebase.com/ns/m.north> {first} ?s . ?s {second} ?x }}")
    assert isinstance(found, pyoxigraph.QuerySolutions)
    expected = {str(row["x"]).strip("<>").removeprefix("http://rdf.freebase.com/ns/") for row in found}
    assert {node.id for node in graph.follow("m.north", SHIFT_OF) if isinstance(node, Entity)} == expected
    assert graph.follow_back(Entity("m.ben"), SHIFT_OF) == ("m.north",)


def test_literals_keep_their_type(file: Path) -> None:
    graph = read_graph(file)
    assert set(graph.predicates_to(Literal("8", "integer"))) == {"care.shift.hours"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("facts.csv", "a,b", "names no RDF syntax"),
        ("facts.ttl", "ns:a ns:b", "Cannot read facts.ttl"),
        ("facts.ttl.gz", "not packed", "Cannot read facts.ttl.gz"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(KnowledgeBaseError, match=said):
        read_graph(tmp_path / name)


def test_a_packed_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(HOSPITAL.encode()))
    packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "facts.ttl.gz").write_bytes(bytes(packed))
    with pytest.raises(KnowledgeBaseError, match=r"Cannot read facts\.ttl\.gz"):
        read_graph(tmp_path / "facts.ttl.gz")


def test_relative_names_are_read_as_the_engine_reads_them(tmp_path: Path) -> None:
    (tmp_path / "facts.ttl").write_text("<a> <b> <c> .")
    assert read_graph(tmp_path / "facts.ttl").predicates == ("http://example.org/b",)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"Cannot read gone\.ttl: No such file"):
        read_graph(tmp_path / "gone.ttl")
