"""The facts that questions in words are read from, wherever they are: the graph that ships with Parley, or a file."""

from pathlib import Path

from backend.errors import KnowledgeBaseError
from inspired.knowledge_base.graph import Graph, embedded_graph, read_graph
from inspired.knowledge_base.seam import KnowledgeBase


def open_graph(where: str | Path | None, kb: KnowledgeBase) -> Graph:
    """The facts of the knowledge base at `where`, for parsers. Raises KnowledgeBaseError if they cannot be read."""
    if where is None:
        return embedded_graph()
    path = Path(where)
    if not path.is_file():
        raise KnowledgeBaseError(f"{kb.label} is no file; questions in words are read over an RDF file such as facts.ttl.")
    return read_graph(path)
