"""What a question asks, as a tree of things and ties, and the one canonical logical form that says it.

The form follows ComplexWebQuestions, made independent of the order in which conditions are named, so that two people
(or a parser and a generator) who mean the same write equivalent forms:

- The answer is ?x. Facts run from what is known (an entity, or the thing farther from ?x) towards ?x where the schema
  has a predicate in that direction, else from ?x.
- First `FILTER (?x != N)` for every thing N, named or not, that a tie links directly to ?x; then the language filter.
- A number or date is compared without a cast, by < or >: an integer if whole, else xsd:decimal; "before 1960" is
  `< "1960-01-01T00:00:00"^^xsd:dateTime`, "after 1960" is `> "1960-12-31T00:00:00"^^xsd:dateTime`.
- A superlative sorts by the plain variable and keeps one row.
- A notable type stands only where other kinds of things would fit as well.
- "in 1995" about a relation that has a beginning and an end is the pair of NOT EXISTS/EXISTS filters of the data.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspired.decomposition.decompose import compared, decompose, group
from inspired.decomposition.steps import Decomposition, Frame, Step
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.forms import (
    Aggregate,
    AnyOf,
    Entity,
    Exists,
    Filter,
    Literal,
    LogicalForm,
    Minus,
    Order,
    Pattern,
    RelationalExpression,
    SubQuery,
    Triple,
    Union,
    Values,
    Variable,
)
from inspired.logical_form.schema import is_mediator, type_of
from inspired.logical_form.sparql_reader import ANSWER, header

ON_THE_WAY = "c"
NOTHING = Literal("0", "integer")


@dataclass(frozen=True, slots=True)
class Bound:
    """A value below or above `value`."""

    operator: str
    value: Literal


@dataclass(frozen=True, slots=True)
class Extreme:
    """The largest value, or the smallest; the first `many` of the row."""

    largest: bool
    many: int = 1


@dataclass(frozen=True, slots=True)
class Either:
    options: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many things the tie leads to, of the notable type `kind` if one is meant, compared with a number or sorted by."""

    test: "Bound | Extreme"
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Than:
    """A value above or below the one that `entity` has."""

    operator: str
    entity: Entity


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever it is: that there is something is what counts."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """What else holds of the mediating node of a tie: the title of an office, the share of a religion."""

    predicate: str
    value: Entity | Literal | Bound | Extreme


@dataclass(frozen=True, slots=True)
class Tie:
    """One step of a question: what links a thing to `other` along `path`, a predicate or two joined by a mediating node.

    The thing stands at the end of the path, or, if `outward`, at its start. In `year` the relation held.
    """

    path: tuple[str, ...]
    other: "Entity | Literal | Thing | Either | Bound | Extreme | Tally | Than | Anything | Variable"
    outward: bool = False
    attributes: tuple[Attribute, ...] = ()
    year: int | None = None

    @property
    def finds(self) -> bool:
        """Whether the tie leads to things by itself, and does not only look at values of things found otherwise."""
        return not isinstance(self.other, Bound | Extreme | Tally | Than | Anything)


@dataclass(frozen=True, slots=True)
class Thing:
    """Something described by ties and, in `kind`, by the id of its notable type.

    The next two are for its words only: whether `several` are so described, and the notable type that all of them have.
    It is nothing that one of `without` describes, and, if there are any, one of `options`. The `chosen` is the
    first (or second, ...) of a row, before a question goes on from it: all languages of the largest country, not one of them.
    """

    ties: tuple[Tie, ...]
    kind: str | None = None
    several: bool = False
    called: str | None = None
    without: "tuple[Thing, ...]" = ()
    options: tuple[Entity, ...] = ()
    chosen: int = 0


def meaning(thing: Thing) -> Hashable:
    """What things share that say the same of the same nodes, in whatever order and with whatever kinds that hold anyhow."""
    ties = frozenset(
        (
            each.path,
            each.outward,
            meaning(each.other) if isinstance(each.other, Thing) else each.other,
            each.attributes,
            each.year,
        )
        for each in thing.ties
    )
    return ties, frozenset(map(meaning, thing.without)), thing.options, thing.chosen, "" if thing.ties else thing.kind


def logical_form(thing: Thing) -> LogicalForm:
    """The canonical form of the question for `thing`."""
    return framed(unframed(thing))


def unframed(thing: Thing) -> LogicalForm:
    """What `thing` describes, without the filters that open a question."""
    writer = _Writer()
    patterns = tuple(writer.thing(thing, ANSWER))
    return LogicalForm(ANSWER, patterns, writer.order)


def linked(tie: Tie, node: Variable, taken: Iterable[str]) -> tuple[Pattern, ...]:
    """What links `node` to the variable of `tie`; no variable is called as one of `taken`."""
    writer = _Writer()
    writer.taken = set(taken)
    return tuple(writer.tie(tie, node))


def framed(form: LogicalForm) -> LogicalForm:
    """`form` with the canonical opening filters in place of those it has."""
    steps = decompose(form)
    rest = tuple(each for each in form.patterns if each not in steps.frame.filters)
    return replace(form, patterns=(*opening(steps.steps, form.answer), *rest), distinct=True)


def reframed(decomposition: Decomposition) -> Decomposition:
    """The same steps with the canonical frame, as the steps of a corrected question need it."""
    answer = decomposition.frame.answer
    return Decomposition(Frame(answer, opening(decomposition.steps, answer)), decomposition.steps)


def opening(steps: Sequence[Step], answer: Variable = ANSWER) -> tuple[Filter, ...]:
    """The filters that open a form with these steps: the answer is none of the things it is tied to; text is English."""
    values = compared(Decomposition(Frame(answer), tuple(steps)))
    ends = dict.fromkeys(end for step in steps for end in _ends(step, answer))
    _, language = header(answer)
    return (*(Filter(RelationalExpression(answer, "!=", end)) for end in ends if end not in values), language)


def _ends(step: Step, answer: Variable) -> Iterator[Entity | Variable]:
    if step.main and step.main[0].predicate != NOTABLE:
        yield from _other_end(step.main, answer)
    # What is excluded takes the thing that is named with it: Brazil is no country that does not border Brazil. What stands
    # between has no value outside.
    for inner in group(step.group.patterns) if isinstance(step.group, Minus) else ():
        if inner.main:
            yield from (end for end in _other_end(inner.main, answer) if isinstance(end, Entity))


def _other_end(main: tuple[Triple, ...], answer: Variable) -> Iterator[Entity | Variable]:
    first, last = main[0].subject, main[-1].object
    if answer not in (first, last):
        return
    other = first if last == answer else last
    # Two triples may also be a chain that ends at a value or an entity; what stands beside the answer is then its middle.
    if len(main) == 2 and not is_mediator(type_of(main[1].predicate)):
        other = main[0].object
    if isinstance(other, Entity | Variable):
        yield other


class _Writer:
    """One run of writing; variables are named as the data names them, and numbered when a name is taken."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.order: Order | None = None

    def thing(self, thing: Thing, node: Variable) -> Iterator[Pattern]:
        if thing.options:
            yield Values(node, thing.options)
        yield from self.described(thing, node)
        for other in thing.without:
            yield Minus(tuple(self.thing(other, node)))

    def described(self, thing: Thing, node: Variable) -> Iterator[Pattern]:
        for tie in thing.ties:
            yield from self.tie(tie, node)
            if tie is thing.ties[0] and thing.kind is not None:
                yield Triple(node, NOTABLE, Entity(thing.kind))
        if not thing.ties and thing.kind is not None:
            yield Triple(node, NOTABLE, Entity(thing.kind))

    def tie(self, tie: Tie, node: Variable) -> Iterator[Pattern]:
        match tie.other:
            case Either(options):
                yield Union(tuple(tuple(self.link(replace(tie, other=each), node, each)) for each in options))
            case Thing() as other:
                between = self.variable(ON_THE_WAY)
                yield from self.chosen(other, between) if other.chosen else self.thing(other, between)
                yield from self.link(tie, node, between)
            case Tally() as tally:
                yield from self.tallied(tie, node, tally)
            case Than(operator, entity):
                value, limit = self.variable("num"), self.variable("num")
                yield from self.link(tie, entity, limit)
                yield from self.link(tie, node, value)
                yield Filter(RelationalExpression(value, operator, limit))
            case Anything():
                yield from self.link(tie, node, self.variable("some"))
            case Bound() | Extreme() as test:
                value = self.variable("num")
                yield from self.link(tie, node, value)
                yield from self.tested(value, test)
            case Entity() | Literal() | Variable() as other:
                yield from self.link(tie, node, other)

    def chosen(self, thing: Thing, node: Variable) -> Iterator[Pattern]:
        """The first of a row, by a query inside the query."""
        inner = _Writer()
        inner.taken = self.taken
        form = LogicalForm(node, tuple(inner.thing(thing, node)))
        yield SubQuery(replace(form, order=inner.order and replace(inner.order, offset=thing.chosen - 1)))

    def tallied(self, tie: Tie, node: Variable, tally: Tally) -> Iterator[Pattern]:
        over, number = self.variable("some"), self.variable("num")
        kind = (Triple(over, NOTABLE, Entity(tally.kind)),) if tally.kind is not None else ()
        yield Aggregate("count", over, number, node, (*self.link(tie, node, over), *kind))
        yield from self.tested(number, tally.test)

    def link(self, tie: Tie, node: Variable | Entity, other: Entity | Literal | Variable) -> Iterator[Triple | Filter]:
        first, last = (node, other) if tie.outward else (other, node)
        if len(tie.path) == 1:
            yield Triple(first, tie.path[0], last)
            return
        middle = self.variable("y")
        yield Triple(first, tie.path[0], middle)
        yield Triple(middle, tie.path[1], last)
        for attribute in tie.attributes:
            if isinstance(attribute.value, Bound | Extreme):
                value = self.variable("num")
                yield Triple(middle, attribute.predicate, value)
                yield from self.tested(value, attribute.value)
            else:
                yield Triple(middle, attribute.predicate, attribute.value)
        if tie.year is not None:
            yield from self.window(middle, tie.path[1].rpartition(".")[0], tie.year)

    def tested(self, value: Variable, test: Bound | Extreme) -> Iterator[Filter]:
        if isinstance(test, Extreme):
            self.order = Order(value, test.largest, test.many)
        else:
            yield Filter(RelationalExpression(value, test.operator, test.value))

    def window(self, node: Variable, type_: str, year: int) -> Iterator[Filter]:
        ends = (("from", "<=", f"{year:04}-12-31"), ("to", ">=", f"{year:04}-01-01"))
        for predicate, operator, day in ends:
            free, bound = self.variable("sk"), self.variable("sk")
            limit = RelationalExpression(bound, operator, Literal(f"{day}T00:00:00", "dateTime"))
            inside = Exists((Triple(node, f"{type_}.{predicate}", bound), Filter(limit)))
            yield Filter(AnyOf((Exists((Triple(node, f"{type_}.{predicate}", free),), negated=True), inside)))

    def variable(self, name: str) -> Variable:
        number = 0
        while (name_tried := f"{name}{number or ''}") in self.taken:
            number += 1
        self.taken.add(name_tried)
        return Variable(name_tried)
