"""A small world that every test can know by heart."""

from pathlib import Path

import pytest

from inspired.knowledge_base.graph import Graph, embedded_graph, read_graph


@pytest.fixture(scope="session")
def village() -> Graph:
    """Rivers, towns and mayors of a world for which there are no wordings."""
    return read_graph(Path(__file__).with_name("village.ttl"))


@pytest.fixture(scope="session")
def world() -> Graph:
    return embedded_graph()
