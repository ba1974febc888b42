"""The queries that ship with the tests, a small graph of another domain, and data of others where it is at hand."""

import gzip
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inspired.knowledge_base.graph import Graph, read_graph
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.sparql_reader import read_sparql

HERE = Path(__file__).parent
# Beside a checkout, never in it.
OTHERS_DATA = HERE.parents[2] / "shared" / "data" / "inspired"


@dataclass(frozen=True)
class Query:
    id: str
    sparql: str
    type: str
    steps: int
    names: dict[str, str]
    says: tuple[str, ...]


def own_queries() -> list[Query]:
    listed = tomllib.loads((HERE / "queries.toml").read_text("utf-8"))["query"]
    return [Query(**{**each, "says": tuple(each["says"])}) for each in listed]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "query" in metafunc.fixturenames:
        queries = own_queries()
        metafunc.parametrize("query", queries, ids=[each.id.replace(" ", "_") for each in queries])


@pytest.fixture(scope="session")
def queries() -> list[Query]:
    return own_queries()


@pytest.fixture(scope="session")
def films() -> Graph:
    return read_graph(HERE / "parsers" / "films.ttl")


@pytest.fixture(scope="session")
def cwq() -> list[dict[str, Any]]:
    """Records of ComplexWebQuestions; the test is skipped where they are not at hand."""
    path = OTHERS_DATA / "cwq_dev.jsonl.gz"
    if not path.exists():
        pytest.skip("no ComplexWebQuestions file beside this checkout")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def cwq_forms(cwq: list[dict[str, Any]]) -> list[LogicalForm]:
    """The queries of these records, read."""
    return [read_sparql(record["sparql"]) for record in cwq]


@pytest.fixture(scope="session")
def papers_templates() -> Path:
    """The template corpora of the paper's authors; the test is skipped where they are not at hand."""
    if not (OTHERS_DATA / "template_corpus.json").exists():
        pytest.skip("no template corpora beside this checkout")
    return OTHERS_DATA
