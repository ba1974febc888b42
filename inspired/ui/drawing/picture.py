"""A query as a graph for people: what stands for what, how it hangs together, and the same in plain sentences.

`inspired.ui.drawing.svg` draws it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

from backend.text.words import listed
from inspired.decomposition.decompose import group
from inspired.decomposition.steps import Decomposition, Step
from inspired.logical_form.forms import (
    Aggregate,
    Bind,
    Blank,
    Entity,
    Filter,
    FunctionCall,
    Literal,
    Minus,
    OptionalGroup,
    Order,
    Pattern,
    SubQuery,
    Term,
    Triple,
    Values,
    Variable,
    variables,
    walk,
)
from inspired.logical_form.schema import is_kind
from inspired.sub_questions.conditions import bound, condition_words, key_variable, simple_comparison, window_words
from inspired.sub_questions.expressions import computed
from inspired.sub_questions.labels import called, with_labels
from inspired.sub_questions.naming import as_noun
from inspired.sub_questions.templates import known_names, own_corpus, property_words, type_words
from inspired.sub_questions.value_words import DATE, article, compared, extreme, is_date, quoted
from inspired.sub_questions.verbalise import verbalise

Kind = OneOf["answer", "unknown", "thing", "value", "joint"]
_SIGNS = {"<": "less than", ">": "more than", "<=": "at most", ">=": "at least", "=": "exactly", "!=": "not"}
_ONE_WAY = " (one of several ways)"
# A second predicate with such a name only says that the first one leads to a value.
_BARE = ("number", "amount", "rate", "value", "adjusted value", "index value")


@dataclass(frozen=True)
class GraphNode:
    """`notes` narrow or sort it: "more than 5,000,000", "the largest". A joint has no words: it links others."""

    key: str
    kind: Kind
    text: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphEdge:
    """From the subject's node to the object's; `step` counts from 1, an edge with `choice` is one of alternatives."""

    start: str
    end: str
    text: str
    step: int
    choice: bool = False


@dataclass(frozen=True)
class QueryGraph:
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]

    def sentences(self) -> tuple[str, ...]:
        """The graph without a picture: one sentence a link, and one a node that is narrowed or sorted."""
        words = {each.key: each.text or "something that links them" for each in self.nodes}
        lines = [
            f"Step {each.step}: {words[each.start]} – {each.text} – {words[each.end]}{_ONE_WAY if each.choice else ''}."
            for each in self.edges
        ]
        return (*lines, *(f"{words[each.key]}: {'; '.join(each.notes)}." for each in self.nodes if each.notes))


def query_graph(decomposition: Decomposition, names: Mapping[str, str]) -> QueryGraph:
    """The graph of a query; `names` are those of entities, and of predicates where the knowledge base names them, by id."""
    building = _Building(with_labels(decomposition, names, own_corpus()), names)
    for number, step in enumerate(decomposition.steps, 1):
        building.take(step, number)
    return QueryGraph(tuple(building.nodes.values()), tuple(building.edges))


@dataclass
class _Building:
    decomposition: Decomposition
    names: Mapping[str, str]
    nodes: dict[str, GraphNode] = field(default_factory=dict)
    edges: list[GraphEdge] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.nouns = dict(verbalise(self.decomposition, self.names).nouns)
        for step in self.decomposition.steps:
            for triple in (each for each in walk(step.patterns) if isinstance(each, Triple)):
                if isinstance(triple.object, Variable):
                    self.nouns.setdefault(triple.object, _value_words(self._words(triple.predicate), triple.predicate))
        self.node(self.decomposition.frame.answer)

    def take(self, step: Step, number: int, choice: bool = False) -> None:
        rest = step.restrictions
        if step.joint is not None and not self._is_telling(step):
            first, second = step.main
            start, end = self.node(first.subject), self.node(second.object)
            self.edges.append(GraphEdge(start, end, self._pair(first.predicate, second.predicate), number, choice))
        else:
            rest = (*step.main, *rest)
        for triple in rest:
            if self._only_says_the_kind(triple):
                continue
            start, end = self.node(triple.subject, step.joint), self.node(triple.object, step.joint)
            self.edges.append(GraphEdge(start, end, self._words(triple.predicate), number, choice))
        for branch in step.union.branches if step.union else ():
            for inner in group(branch):
                self.take(inner, number, choice=True)
        for inner in group(_inside(step)):
            self.take(inner, number, choice=True)
        if isinstance(step.group, Bind):
            words = computed(step.group.expression, self._pointing)
            self._note(self.node(step.group.variable), words)
        if isinstance(step.group, Values):
            self._note(self.node(step.group.variable), listed((self._term(each) for each in step.group.options), None, "or"))
        self._narrow(step.conditions, step.joint)
        if step.order is not None:
            self._sort(step.order)

    def node(self, term: Term, joint: Variable | None = None) -> str:
        """The key of the term's node, which is made if it is not there; values are not shared, things are."""
        shared = isinstance(term, Variable | Entity)
        key = f"?{term.name}" if isinstance(term, Variable) else term.id if isinstance(term, Entity) else f"={len(self.nodes)}"
        if not shared or key not in self.nodes:
            kind = self._kind(term, joint)
            self.nodes[key] = GraphNode(key, kind, "" if kind == "joint" else self._term(term))
        return key

    def _kind(self, term: Term, joint: Variable | None) -> Kind:
        if term == self.decomposition.frame.answer:
            return "answer"
        if isinstance(term, Variable):
            return "joint" if term == joint else "unknown"
        return "thing" if isinstance(term, Entity) else "value"

    def _term(self, term: Term) -> str:
        match term:
            case Variable(name):
                return self.nouns.get(term) or f"?{name}"
            case Entity(id_):
                named = self.names.get(id_) or known_names().get(id_)
                return named or (called(id_) if "://" in id_ else type_words(id_) if term.is_type else id_)
            case Literal():
                return quoted(term)
            case Blank():
                return "anything"

    def _words(self, predicate: str) -> str:
        return as_noun(self.names[predicate]) if predicate in self.names else property_words(predicate)

    def _pair(self, first: str, second: str) -> str:
        one, other = self._words(first), self._words(second)
        return one if property_words(second) in (*_BARE, property_words(first)) or one == other else f"{one} › {other}"

    def _only_says_the_kind(self, triple: Triple) -> bool:
        """Kinds are noted at the node and not drawn; what the node is called anyhow is not repeated."""
        if not (is_kind(triple.predicate) and isinstance(triple.subject, Variable) and isinstance(triple.object, Entity)):
            return False
        kind = as_noun(self._term(triple.object))
        if kind != self._term(triple.subject):
            self._note(self.node(triple.subject), article(kind))
        return True

    def _is_telling(self, step: Step) -> bool:
        """Whether anything but the two main triples speaks of the mediating node."""
        return step.joint in variables([*step.restrictions, *step.conditions])

    def _narrow(self, conditions: Iterable[Filter], joint: Variable | None) -> None:
        bounds = [each for each in map(bound, conditions) if each is not None]
        if bounds:
            self._note(self.node(bounds[0].node, joint), window_words(bounds))
        for each in conditions:
            if bound(each) is not None:
                continue
            if (test := simple_comparison(each)) is not None:
                self._note(self.node(test[0], joint), _test_words(test[1], test[2]))
            elif names := variables(each):
                self._note(self.node(names[0], joint), condition_words(each.condition, self._pointing))

    def _pointing(self, term: Term) -> str:
        return f"that {self._term(term)}" if isinstance(term, Variable) else self._term(term)

    def _sort(self, order: Order) -> None:
        key = key_variable(order.key)
        if key is None:
            return
        casts = {each.function for each in walk(order) if isinstance(each, FunctionCall)}
        dated = casts & {"xsd:dateTime", "xsd:date"} or {"date", "year"} & set(self._term(key).split())
        most = extreme(DATE if dated else None, order.descending)
        kept = f"{most} first" if order.limit is None else f"the {most}" if order.limit == 1 else f"the {order.limit} {most}"
        skipped = f", after leaving out {order.offset}" if order.offset else ""
        self._note(self.node(key), f"{kept}{skipped}")

    def _note(self, key: str, note: str) -> None:
        node = self.nodes[key]
        self.nodes[key] = replace(node, notes=tuple(dict.fromkeys([*node.notes, note])))


def _inside(step: Step) -> tuple[Pattern, ...]:
    """The patterns of what a step excludes, looks for where it can, or asks in a query of its own."""
    match step.group:
        case Minus(patterns) | OptionalGroup(patterns) | Aggregate(patterns=patterns):
            return patterns
        case SubQuery(form):
            return form.patterns
        case _:
            return ()


def _value_words(words: str, predicate: str) -> str:
    """What a value is called: by the predicate that leads to it, or by the one before where that says only "number"."""
    if words not in _BARE:
        return words
    return type_words(predicate.rpartition(".")[0]).removeprefix("dated ")


def _test_words(operator: str, value: Literal) -> str:
    return compared(DATE, operator, value) if is_date(value) else f"{_SIGNS[operator]} {quoted(value)}"
