"""Where things are on earth, as the usual vocabularies say it: geo, schema.org, Wikidata, GeoSPARQL, GeoRSS and Freebase."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from backend.errors import KnowledgeBaseError
from inspired.dialogue.answer_rows.rows import Position
from inspired.dialogue.intermediate_answers import IntermediateAnswer
from inspired.knowledge_base.engine import KnowledgeBase, Node
from inspired.knowledge_base.graph import Fact, Graph
from inspired.knowledge_base.in_place.facts import iri
from inspired.knowledge_base.published import SCHEMA, WIKIDATA
from inspired.logical_form.forms import Entity, Literal

_GEO, _SPARQL, _RSS = (
    "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "http://www.opengis.net/ont/geosparql#",
    "http://www.georss.org/georss/",
)
LATITUDE = (f"{_GEO}lat", *(f"{each}latitude" for each in SCHEMA), "location.geocode.latitude")
LONGITUDE = (f"{_GEO}long", *(f"{each}longitude" for each in SCHEMA), "location.geocode.longitude")
POINT = (f"{WIKIDATA}P625", f"{_SPARQL}asWKT", f"{_RSS}point", f"{_GEO}lat_long")
# From a thing to what holds its coordinates.
HOLDER = (*(f"{each}geo" for each in SCHEMA), f"{_SPARQL}hasGeometry", f"{_SPARQL}defaultGeometry", f"{_GEO}location",
          "location.location.geolocation")  # fmt: skip
ABOUT_PLACES = frozenset((*LATITUDE, *LONGITUDE, *POINT, *HOLDER))
SECONDS = 3.0
_MOST = 100  # things
_NUMBER = r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_WKT = re.compile(rf"\s*(?:<[^>]*>\s*)?POINT\s*Z?\s*\(\s*{_NUMBER}\s+{_NUMBER}[^)]*\)\s*", re.IGNORECASE)
_PAIR = re.compile(rf"\s*{_NUMBER}[\s,]+{_NUMBER}\s*")
Objects = Callable[[str, str], Sequence[Node]]


def places_of(
    answers: Iterable[IntermediateAnswer], kb: KnowledgeBase, graph: Graph | None, sample: Sequence[Fact]
) -> dict[str, Position]:
    """The places of those answers that have one, by id.

    Of a graph in memory they are looked up there; a knowledge base that is asked in place is asked once, and only if its
    sample has places. What it does not answer in time is left out.
    """
    ids = list(islice(dict.fromkeys(each.node.id for each in answers if isinstance(each.node, Entity)), _MOST))
    objects = graph.objects if graph is not None else _looked_up(ids, kb, sample)
    return {id_: point for id_ in ids if (point := position(id_, objects))}


def position(id_: str, objects: Objects) -> Position | None:
    """Where a thing is: by what itself has, or else by what holds its coordinates."""
    holders = [each.id for predicate in HOLDER for each in objects(id_, predicate) if isinstance(each, Entity)]
    for holder in (id_, *holders):
        pairs = zip(_texts(holder, LATITUDE, objects), _texts(holder, LONGITUDE, objects), strict=False)
        points = map(read_point, _texts(holder, POINT, objects))
        for point in (*(_checked(*each) for each in pairs), *points):
            if point is not None:
                return point
    return None


def _texts(id_: str, predicates: Iterable[str], objects: Objects) -> list[str]:
    return [each.text for predicate in predicates for each in objects(id_, predicate) if isinstance(each, Literal)]


def read_point(text: str) -> Position | None:
    """A point as well-known text, longitude first, or as latitude and longitude; None for another place, as on the moon."""
    if match := _WKT.fullmatch(text):
        elsewhere = text.lstrip().startswith("<") and "crs" not in text.lower() and "epsg" not in text.lower()
        return None if elsewhere else _checked(match[2], match[1])
    match = _PAIR.fullmatch(text)
    return _checked(match[1], match[2]) if match else None


def _checked(latitude: str, longitude: str) -> Position | None:
    with suppress(ValueError):
        point = float(latitude), float(longitude)
        if abs(point[0]) <= 90 and abs(point[1]) <= 180:
            return point
    return None


def _looked_up(ids: Sequence[str], kb: KnowledgeBase, sample: Sequence[Fact]) -> Objects:
    """What a knowledge base has about the places of the things, by one query."""
    used = ABOUT_PLACES & {predicate for _, predicate, _ in sample}
    facts: Mapping[tuple[str, str], list[Node]] = defaultdict(list)
    askable = [each for each in ids if not each.startswith("_:") and not set(each) & set('<>"{}|^`\\ \n\t')]
    if used and askable:
        with suppress(KnowledgeBaseError):
            for row in kb.select(_query(askable, used), 4 * _MOST, SECONDS).rows:
                subject, predicate, node = row
                if isinstance(subject, Entity) and isinstance(predicate, Entity) and node is not None:
                    facts[subject.id, predicate.id].append(node)
    return lambda id_, predicate: facts.get((id_, predicate), ())


def _query(ids: Sequence[str], used: Iterable[str]) -> str:
    """The coordinates of the things; those of what holds them as if they were their own."""
    things = " ".join(map(iri, ids))
    ends = [each for each in sorted(used) if each not in HOLDER]
    holders = "|".join(map(iri, sorted(set(used) & set(HOLDER))))
    direct = [f"{{ ?s {iri(end)} ?o BIND({iri(end)} AS ?p) }}" for end in ends]
    held = [f"{{ ?s {holders} ?b . ?b {iri(end)} ?o BIND({iri(end)} AS ?p) }}" for end in ends] if holders else []
    return f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {things} }} {' UNION '.join([*direct, *held])} }}"
