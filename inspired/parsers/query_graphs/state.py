"""A part of a query graph while it grows: what it says so far, what that finds, and which words it makes use of."""

import heapq
import zlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity
from inspired.parsers.linking.entities import EntityMention
from inspired.parsers.linking.relations import Relation
from inspired.parsers.query_graphs.query_graph import Thing

_SAMPLE = 40
Role = Literal["start", "hop", "kind", "compare", "order", "attribute", "tally", "deny", "claim", "context"]


@dataclass(frozen=True, slots=True)
class Use:
    """One part of the graph and the tokens from `start` to before `end` that call for it, if any do by themselves.

    `level` counts the relations between this part and what is asked for.
    """

    role: Role
    start: int
    end: int
    relation: Relation | None = None
    level: int = 0
    mention: EntityMention | None = None

    @property
    def places(self) -> range:
        return range(self.start, self.end)


@dataclass(frozen=True)
class PartialQueryGraph:
    """`thing` describes the node that the graph has grown to, and `nodes` is what the knowledge base has for it.

    `taken` are the tokens of names and values, `levels` counts the relations from the farthest name, and of what is
    sorted the one at `rank` is kept. A `vacuous` state says something that takes nothing away.
    """

    thing: Thing
    nodes: frozenset[Node]
    uses: tuple[Use, ...]
    taken: frozenset[int] = field(default=frozenset())
    levels: int = 0
    ordered: bool = False
    literal: bool = False
    rank: int = 1
    vacuous: bool = False

    def some(self, n: int = _SAMPLE) -> tuple[Node, ...]:
        """Up to `n` of the nodes (at most 40), by chance and yet the same in every run."""
        return sample(self.nodes)[:n]

    @property
    def names(self) -> tuple[EntityMention, ...]:
        return tuple(each.mention for each in self.uses if each.mention is not None)

    def as_context(self, places: range) -> "PartialQueryGraph":
        """What was found before, as what a question goes on from by the words at `places`."""
        uses = (Use("context", places.start, places.stop),)
        return replace(self, uses=uses, taken=frozenset(places), levels=0)

    @property
    def last_relation(self) -> Relation | None:
        """The one that leads to what is asked for."""
        return next((use.relation for use in self.uses if use.role in ("start", "hop") and use.level == 0), None)


@lru_cache(maxsize=1024)
def sample(nodes: frozenset[Node]) -> tuple[Node, ...]:
    """Some of many, drawn by their names: sets run in another order in every process, and a question is to be read alike."""
    return tuple(heapq.nsmallest(_SAMPLE, nodes, key=_drawn))


def _drawn(node: Node) -> tuple[int, str]:
    text = node.id if isinstance(node, Entity) else node.text
    return zlib.crc32(text.encode()), text
