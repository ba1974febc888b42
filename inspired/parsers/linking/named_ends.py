"""At which end of a relation the thing stands that a question names, where a fact could be read in both directions."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from inspired.knowledge_base.published import UPWARD, WORDS
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity
from inspired.parsers.linking.label_grammar import End, LabelGrammar, Role, called, label_grammar
from inspired.parsers.linking.relations import THING, Relation, Relations
from inspired.sub_questions.templates import property_words

_SAMPLE = 200
# Of so many facts is counted what stands at either end, and by how many times they differ where one end has groups.
_MANY, _TIMES = 5000, 2


class NamedEnds:
    """The ends that the names of the relations of one graph speak of; what was found is kept."""

    def __init__(self, relations: Relations) -> None:
        self.relations = relations

    def is_open(self, relation: Relation) -> bool:
        """Whether things of one kind stand at both ends, so that only words tell which end is asked for."""
        if relation.leads_to != THING or self.relations.reverses.get(relation.path) == relation.path:
            return False
        if relation.path not in self._open:
            self._open[relation.path] = self._meets(relation)
        return self._open[relation.path]

    def agrees(self, relation: Relation, role: Role | None, words: Sequence[str]) -> bool | None:
        """Whether a thing with the `role` to `words` stands where `relation` begins; None where that is left open."""
        ends = {end for each in self._grammars(relation.path) if role and (end := _end(each, role, words))}
        return None if len(ends) != 1 else ends == {"end" if relation.outward else "start"}

    def leads_to_members(self, relation: Relation) -> bool | None:
        """Whether a relation leads from a group to what belongs to it, by how many there are at either end of its facts; None
        where both are about as many."""
        if relation.leads_to != THING or relation.mediated:
            return None
        if relation.path[0] in UPWARD:
            return relation.outward
        if relation not in self._members:
            pairs = set(islice(self.relations.graph.pairs(relation.path[0]), _MANY))
            starts, ends = len({start for start, _ in pairs}), len({end for _, end in pairs})
            groups, members = (ends, starts) if relation.outward else (starts, ends)
            self._members[relation] = members > groups if max(starts, ends) >= _TIMES * min(starts, ends) else None
        return self._members[relation]

    def _meets(self, relation: Relation) -> bool:
        graph = self.relations.graph
        pairs = islice(graph.pairs(relation.path[0]), _SAMPLE)
        starts = {Entity(each) for each, _ in pairs if each not in self.relations.mediators}
        ends = {end for each in starts for end in graph.follow(each.id, relation.edge) if isinstance(end, Entity)}
        return bool(starts & ends) or bool(self._kinds(starts) & self._kinds(ends))

    def _kinds(self, nodes: set[Entity]) -> set[Node | str]:
        return {kind for each in nodes if (kind := self.relations.kind_of(each)) is not None}

    def _grammars(self, path: tuple[str, ...]) -> tuple[LabelGrammar, ...]:
        if path not in self._known:
            back = self.relations.reverses.get(path)
            turned = [each.turned() for each in self._of_path(back)] if back is not None else []
            self._known[path] = (*self._of_path(path), *turned)
        return self._known[path]

    def _of_path(self, path: tuple[str, ...]) -> Iterator[LabelGrammar]:
        """By the name of a predicate; of two joined by a node between them, by that of the second."""
        graph = self.relations.graph
        declared = graph.schema.properties.get(path[-1])
        names = (graph.names.get(path[-1], ""), declared.name if declared else "", property_words(path[-1]))
        yield from (each for name in dict.fromkeys(names) if name and (each := label_grammar(name)) is not None)
        for words, end in zip(WORDS.get(path[0], ()) if len(path) == 1 else (), _ENDS, strict=False):
            yield called(words, end)

    @cached_property
    def _open(self) -> dict[tuple[str, ...], bool]:
        return {}

    @cached_property
    def _members(self) -> dict[Relation, bool | None]:
        return {}

    @cached_property
    def _known(self) -> dict[tuple[str, ...], tuple[LabelGrammar, ...]]:
        return {}


_ENDS: tuple[End, End] = ("end", "start")  # of what a property is called, from the thing that has it and from the other


def _end(grammar: LabelGrammar, role: Role, words: Sequence[str]) -> End | None:
    """By the word for the other end, if there is one ("super class" beside "sub class of"), else by any."""
    ordered = sorted(words, key=lambda each: not grammar.turns(each))
    return next((end for each in ordered if (end := grammar.end_of(role, each)) is not None), None)
