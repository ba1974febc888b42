"""What things are called in English, in whichever vocabulary a knowledge base names them."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from backend.errors import KnowledgeBaseError
from inspired.knowledge_base.published import (
    LABELS,
    MORE_LABELS,
    NAMING_ENDS,
    RDF_TYPE,
    is_telling,
    label_rank,
    local_name,
    local_words,
    names_a_kind,
)
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

    Where no vocabulary of names is used, a property whose own name says that it holds names is one, as in `Graph`.

    Raises what `kb.select` raises; `seconds` are for each `BATCH` of ids.
    """
    wanted = list(dict.fromkeys(ids))
    result: dict[str, tuple[int, str]] = {}
    askable = [each for each in wanted if _is_askable(each)]
    for start in range(0, len(askable), BATCH):
        batch = askable[start : start + BATCH]
        _keep_best(result, _named(kb, batch, seconds))
        _keep_best(result, _named_by_property(kb, [each for each in batch if each not in result and "://" in each], seconds))
    return {each: _best(each, result.get(each)) for each in wanted}


def _keep_best(result: dict[str, tuple[int, str]], named: Iterable[tuple[str, int, str]]) -> None:
    for id_, rank, name in named:
        if id_ not in result or (rank, name) < result[id_]:
            result[id_] = (rank, name)


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


def _named_by_property(kb: "KnowledgeBase", ids: list[str], seconds: float) -> list[tuple[str, int, str]]:
    """As `_named`, by properties that are called names in any vocabulary, else by those that name a whole kind."""
    if not ids:
        return []
    things = " ".join(f"<{each}>" for each in ids)
    held = f'?thing ?naming ?name FILTER (isLiteral(?name) && REGEX(STR(?naming), "({"|".join(NAMING_ENDS)})$", "i"))'
    rows = kb.select(
        f"SELECT ?thing ?naming ?name WHERE {{ VALUES ?thing {{ {things} }} {held} }}", len(ids) * _MANY, seconds
    ).rows
    texts = [
        (thing.id, naming.id, name)
        for thing, naming, name in rows
        if isinstance(thing, Entity) and isinstance(naming, Entity) and isinstance(name, Literal) and name.datatype is None
    ]
    clear = [each for each in texts if local_name(each[1]).lower() in NAMING_ENDS]
    named = {id_ for id_, *_ in clear}
    others = [each for each in texts if each[0] not in named and not is_telling(each[0])]
    of_a_kind = {each: _named_kinds(kb, each, things, seconds) for each in dict.fromkeys(naming for _, naming, _ in others)}
    clear += [each for each in others if each[0] in of_a_kind[each[1]]]
    return [(id_, _MOST_NAMES * _spoken(name), name.text) for id_, _, name in clear]


def _named_kinds(kb: "KnowledgeBase", naming: str, things: str, seconds: float) -> set[str]:
    """Which of the things are of a kind that the property names; none where that takes too long to count."""
    kinds = f"SELECT DISTINCT ?kind {{ VALUES ?thing {{ {things} }} ?thing <{RDF_TYPE}> ?kind }}"
    counts = "(COUNT(DISTINCT ?other) AS ?things) (COUNT(DISTINCT ?named) AS ?having) (COUNT(DISTINCT ?name) AS ?names)"
    optional = f"OPTIONAL {{ ?other <{naming}> ?name BIND(?other AS ?named) }}"
    try:
        counted = kb.select(
            f"SELECT ?kind {counts} WHERE {{ {{ {kinds} }} ?other <{RDF_TYPE}> ?kind {optional} }} GROUP BY ?kind",
            BATCH,
            seconds,
        ).rows
        fitting = [f"<{row[0].id}>" for row in counted if isinstance(row[0], Entity) and names_a_kind(*map(_whole, row[1:]))]
        if not fitting:
            return set()
        members = f"VALUES ?thing {{ {things} }} VALUES ?kind {{ {' '.join(fitting)} }} ?thing <{RDF_TYPE}> ?kind"
        rows = kb.select(f"SELECT DISTINCT ?thing WHERE {{ {members} }}", BATCH, seconds).rows
    except KnowledgeBaseError:
        return set()
    return {thing.id for (thing,) in rows if isinstance(thing, Entity)}


def _whole(cell: object) -> int:
    return int(cell.text) if isinstance(cell, Literal) else 0
