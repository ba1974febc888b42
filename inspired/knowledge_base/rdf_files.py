"""The files and folders that can be opened as a graph, and how a large file becomes a folder."""

import gzip
import shutil
import tempfile
import zlib
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast

from backend.errors import KnowledgeBaseError

# By ending, the one that Oxigraph knows the syntax by.
SYNTAXES = {
    ".ttl": "ttl",
    ".nt": "nt",
    ".nq": "nq",
    ".trig": "trig",
    ".n3": "n3",
    ".rdf": "rdf",
    ".owl": "rdf",
    ".xml": "rdf",
    ".jsonld": "jsonld",
}
BASE = "http://example.org/"  # what relative IRIs in a file are relative to
LOADED_AT_ONCE = 500_000  # triples
_MARK = "CURRENT"  # every folder with a store has this file


def checked_source(path: Path) -> Path:
    """`path` in full. Raises KnowledgeBaseError if it is no RDF file and no folder with a store."""
    try:
        is_folder, is_there = path.is_dir(), path.is_file() or (path / _MARK).is_file()
    except OSError as error:
        raise KnowledgeBaseError(f"The knowledge base {path} cannot be opened: {error.strerror}.") from error
    if is_folder and not is_there:
        raise KnowledgeBaseError(f"The folder {path} holds no store; make one from an RDF file: python -m inspired load-kb.")
    if not is_there:
        raise KnowledgeBaseError(f"There is no knowledge base {path}: no such file or folder.")
    if not is_folder:
        syntax_of(path)
    return path.resolve()


def is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def syntax_of(path: Path) -> str:
    """The ending that Oxigraph knows the file's syntax by. Raises KnowledgeBaseError for other files."""
    plain = path.with_suffix("") if is_packed(path) else path
    syntax = SYNTAXES.get(plain.suffix.lower())
    if syntax is None:
        known = ", ".join(SYNTAXES)
        raise KnowledgeBaseError(f"The ending of {path.name} names no RDF syntax; known are {known}, each also with .gz.")
    return syntax


def load_store(source: Path, folder: Path) -> int:
    """Make `folder` a store with what is in the RDF file `source`; returns how many triples that are.

    Nothing is left behind if that fails. Raises KnowledgeBaseError, with the line for an error in the file.
    """
    if not checked_source(source).is_file():
        raise KnowledgeBaseError(f"{source} is a folder; only an RDF file can be loaded.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise KnowledgeBaseError(f"{folder} exists and is not empty; name a new folder.")
    made: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        count = _fill(made, source)
        made.chmod(0o755)
        made.replace(folder)
    except (OSError, ValueError, SyntaxError, EOFError, zlib.error) as error:
        raise KnowledgeBaseError(f"{source.name} cannot be loaded: {' '.join(str(error).split())}.") from error
    finally:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
    return count


def _fill(folder: Path, source: Path) -> int:
    """A function of its own, so that the store is closed before its folder is moved."""
    import pyoxigraph

    store, syntax = pyoxigraph.Store(str(folder)), pyoxigraph.RdfFormat.from_extension(syntax_of(source))
    with gzip.open(source) if is_packed(source) else source.open("rb") as file:
        quads = pyoxigraph.parse(input=cast("IO[bytes]", file), format=syntax, base_iri=BASE)
        while first := next(quads, None):  # in parts: 5 million triples at once take 1.4 GB
            store.bulk_extend(chain([first], islice(quads, LOADED_AT_ONCE - 1)))
    store.optimize()
    store.flush()
    return len(store)
