"""What things are called where no vocabulary of names is used: the same by a graph in memory and by the engine."""

from pathlib import Path

import pytest

from inspired.knowledge_base.graph import read_graph
from inspired.knowledge_base.local_store import LocalStore
from inspired.knowledge_base.names import names_of

STAFF = """
@prefix s: <http://clinic.example/schema#> . @prefix e: <http://clinic.example/export/> .
e:w_1 a s:Ward ; s:name "Intensivstation"@de, "Intensive Care"@en .
e:m_101 a s:Nurse ; s:vollerName "Anke Bühler" ; s:vorname "Anke" ; s:since 2001 .
e:m_102 a s:Nurse ; s:vollerName "Anke Groß" ; s:vorname "Anke" ; s:since 2002 .
e:m_103 a s:Nurse ; s:vollerName "Bo Thomsen" ; s:vorname "Bo" ; s:since 2003 .
e:d_1 a s:Doctor ; s:vollerName "Ida Berg" . e:d_2 a s:Doctor . e:d_3 a s:Doctor .
e:Recovery a s:Room ; s:codename "R7" .
e:v_1 a s:Visit ; s:filename 17 .
"""
CALLED = {
    "w_1": "Intensive Care",  # called a name, in English first
    "m_101": "Anke Bühler",  # each nurse has one, and no two the same
    "m_102": "Anke Groß",
    "d_1": "d 1",  # most doctors have none
    "Recovery": "Recovery",  # its address is a word already
    "v_1": "v 1",  # a number is no name
}


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    (tmp_path / "staff.ttl").write_text(STAFF, "utf-8")
    return tmp_path / "staff.ttl"


def test_what_has_no_label_is_called_by_what_names_its_kind(staff: Path) -> None:
    graph = read_graph(staff)
    assert {end: graph.names[f"http://clinic.example/export/{end}"] for end in CALLED} == CALLED
    assert "m_101" in graph.aliases["http://clinic.example/export/m_101"], "people may copy the address"


def test_the_engine_calls_things_as_the_graph_does(staff: Path) -> None:
    kb = LocalStore(staff, "staff")
    try:
        names = names_of(kb, [f"http://clinic.example/export/{end}" for end in CALLED])
    finally:
        kb.close()
    assert {iri.rpartition("/")[2]: name for iri, name in names.items()} == CALLED
