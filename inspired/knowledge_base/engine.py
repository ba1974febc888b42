"""One way to ask a knowledge base, be it the graph that ships with Parley, a file, a folder or a SPARQL endpoint."""

from pathlib import Path

from inspired.knowledge_base.endpoint import Endpoint
from inspired.knowledge_base.graph import WORLD
from inspired.knowledge_base.local_store import LocalStore
from inspired.knowledge_base.remembered import Remembered
from inspired.knowledge_base.seam import KnowledgeBase, QueryResult
from inspired.knowledge_base.vocabulary import Node

__all__ = ["KnowledgeBase", "Node", "QueryResult", "open_knowledge_base"]


def open_knowledge_base(where: str | Path | None = None) -> KnowledgeBase:
    """The knowledge base at `where`; it is read at the first query, and remembers what it was asked lately.

    None is the graph that ships with Parley; an http or https address is a SPARQL endpoint; a folder is a store made
    by `load_store`; any other path is an RDF file (Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD; also .gz).
    Raises KnowledgeBaseError if there is no such thing.
    """
    if where is None:
        return Remembered(LocalStore(WORLD, "the graph that ships with Parley"))
    text = str(where).strip()
    return Remembered(Endpoint(text) if "://" in text else LocalStore(Path(text)))
