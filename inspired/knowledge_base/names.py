"""What things are called in English, in whichever vocabulary a knowledge base names them."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from inspired.knowledge_base.published import LABELS, MORE_LABELS, is_telling, label_rank, local_words
from inspired.logical_form.forms import FREEBASE, Entity, Literal

if TYPE_CHECKING:
    from inspired.knowledge_base.engine import KnowledgeBase

# Best first: Freebase's, and those of nearly everybody else.
NAMING = (f"{FREEBASE}type.object.name", *LABELS, *MORE_LABELS[:2])
BATCH = 200
_MOST_NAMES = 100
_FOREIGN = 2 * _MOST_NAMES
_MANY = 10  # names of one thing at most, on average
_IRI = re.compile(r"[^\x00-\x20<>\"{}|\\^`]+")


def names_of(kb: "KnowledgeBase", ids: Iterable[str], seconds: float = 10.0) -> dict[str, str]:
    """A name for each id, best in English, else in any language; one that has none is called by the end of its IRI.

    Raises what `kb.select` raises; `seconds` are for each `BATCH` of ids.
    """
    wanted = list(dict.fromkeys(ids))
    result: dict[str, tuple[int, str]] = {}
    askable = [each for each in wanted if _is_askable(each)]
    for start in range(0, len(askable), BATCH):
        batch = askable[start : start + BATCH]
        for id_, rank, name in _named(kb, batch, seconds):
            if id_ not in result or (rank, name) < result[id_]:
                result[id_] = (rank, name)
    return {each: _best(each, result.get(each)) for each in wanted}


def _best(id_: str, named: tuple[int, str] | None) -> str:
    """The name, unless it is in another language and the address in English words."""
    if named is None or (named[0] >= _FOREIGN and "://" in id_ and is_telling(id_)):
        return local_words(id_) if "://" in id_ and is_telling(id_) else last_part(id_)
    return named[1]


def last_part(id_: str) -> str:
    """`m.03_dwn` stays as it is; `http://example.org/prop/flowsInto` is `flowsInto`."""
    if "://" not in id_:
        return id_
    return unquote(re.split(r"[/#:]", id_.rstrip("/#"))[-1]).replace("_", " ") or id_


def _spoken(name: Literal) -> int:
    return label_rank("", name)[0]


def _is_askable(id_: str) -> bool:
    return not id_.startswith(("#", "_:")) and _IRI.fullmatch(id_) is not None


def _named(kb: "KnowledgeBase", ids: list[str], seconds: float) -> list[tuple[str, int, str]]:
    """Id, place of the predicate and language in the order of preference, and name."""
    things = " ".join(f"<{each if '://' in each else FREEBASE + each}>" for each in ids)
    # Oxigraph looks each thing up in a union; given the predicates as a second VALUES it reads every name there is.
    either = " UNION ".join(f"{{ ?thing <{each}> ?name BIND(<{each}> AS ?naming) }}" for each in NAMING)
    query = f"SELECT ?thing ?naming ?name WHERE {{ VALUES ?thing {{ {things} }} {either} FILTER (isLiteral(?name)) }}"
    rows = kb.select(query, len(ids) * _MANY, seconds).rows
    ranks = {each.removeprefix(FREEBASE): rank for rank, each in enumerate(NAMING)}
    return [
        (thing.id, _MOST_NAMES * _spoken(name) + ranks[naming.id], name.text)
        for thing, naming, name in rows
        if isinstance(thing, Entity) and isinstance(naming, Entity) and isinstance(name, Literal)
    ]
