"""Parsers over a small made-up graph of another domain, the one that ships with Parley, and graphs that a test writes."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspired.knowledge_base.graph import Graph, embedded_graph, read_graph
from inspired.logical_form.forms import Entity
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


@pytest.fixture(scope="session")
def parser_over(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], DefaultParser]:
    """A parser over a graph in Turtle; the same for the same text."""
    parsers: dict[str, DefaultParser] = {}

    def over(turtle: str) -> DefaultParser:
        if turtle not in parsers:
            path = tmp_path_factory.mktemp("graph") / "graph.ttl"
            path.write_text(turtle, encoding="utf-8")
            parsers[turtle] = DefaultParser(read_graph(path))
        return parsers[turtle]

    return over


@pytest.fixture(scope="session")
def likeliest() -> Callable[[DefaultParser, str], set[str]]:
    """What the likeliest reading of a question finds: values, and the ends of the addresses of things."""

    def nodes(parser: DefaultParser, question: str) -> set[str]:
        state = parser.state_of(replace(parser.parse(question)[0].form, returns=None))
        assert state is not None
        return {each.id.rpartition("/")[2] if isinstance(each, Entity) else each.text for each in state.nodes}

    return nodes
