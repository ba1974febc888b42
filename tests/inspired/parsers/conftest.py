"""Parsers over two graphs: a small made-up one of another domain, and the one that ships with Parley."""

import pytest

from inspired.knowledge_base.graph import Graph, embedded_graph
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.ranking.weights import Weights


@pytest.fixture(scope="session")
def film_parser(films: Graph) -> DefaultParser:
    return DefaultParser(films)


@pytest.fixture(scope="session")
def untaught_parser(films: Graph) -> DefaultParser:
    """With weights set by hand and no word learnt."""
    return DefaultParser(films, Weights())


@pytest.fixture(scope="session")
def world_parser() -> DefaultParser:
    return DefaultParser(embedded_graph())
