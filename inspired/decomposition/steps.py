"""A question split into steps: the sub-logical forms of the paper (section 3.1), as values.

Put together again by `compose`; taken apart by `inspired.decomposition.decompose`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from backend.errors import LogicalFormError
from inspired.logical_form.arrangement import hidden
from inspired.logical_form.forms import (
    Aggregate,
    Asking,
    Bind,
    Entity,
    Filter,
    LabelService,
    LogicalForm,
    Minus,
    OptionalGroup,
    Order,
    Pattern,
    Returns,
    SubQuery,
    Table,
    Triple,
    Union,
    ValueRows,
    Values,
    Variable,
    variables,
    walk,
)
from inspired.logical_form.sparql_reader import ANSWER
from inspired.logical_form.sparql_writer import (
    compact_order,
    compact_patterns,
    readable_order,
    readable_patterns,
    readable_returns,
)

OwnGroup = Minus | Values | ValueRows | Aggregate | OptionalGroup | Bind | SubQuery


@dataclass(frozen=True, slots=True)
class Step:
    """One sub-logical form.

    `main` holds one triple, or the two that a mediating node joins; a group of alternatives has `union` instead; what is
    excluded, listed or counted has `group`. The last step of a superlative has only `order`, that of a question for a
    number or for yes or no only `returns`. `restrictions` and `conditions` narrow what the step finds.
    """

    main: tuple[Triple, ...] = ()
    restrictions: tuple[Triple, ...] = ()
    conditions: tuple[Filter, ...] = ()
    union: Union | None = None
    order: Order | None = None
    group: OwnGroup | None = None
    returns: Returns | None = None

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        groups = tuple(each for each in (self.union, self.group) if each is not None)
        return (*self.main, *groups, *self.restrictions, *self.conditions)

    @property
    def finds(self) -> bool:
        """Whether the step is about things, and not about what to do with those that others find."""
        return self.order is None and self.returns is None

    @property
    def joint(self) -> Variable | None:
        """The mediating node between the two main triples."""
        joint = self.main[0].object if len(self.main) == 2 else None
        return joint if isinstance(joint, Variable) else None

    @property
    def predicates(self) -> tuple[str, ...]:
        """Every predicate of the step, in order of appearance."""
        named = [each.predicate for each in walk(self.patterns) if isinstance(each, Triple)]
        return tuple(dict.fromkeys(named))

    @property
    def nodes(self) -> tuple[Variable, ...]:
        """The variables that other steps can share: all but the mediating nodes, and what stands inside a group."""
        inside: set[Variable] = hidden(self.group) if isinstance(self.group, SubQuery) else set()
        if isinstance(self.group, Aggregate):
            inside = set(variables(self.group.patterns)) - {self.group.by, self.group.result}
        return tuple(each for each in variables(self.patterns) if each != self.joint and each not in inside)

    def compact(self) -> str:
        """The sub-logical form in the notation of the paper."""
        return " ".join([compact_patterns(self.patterns), *([compact_order(self.order)] if self.order else [])]).strip()

    def readable(self) -> str:
        """The sub-logical form as SPARQL, one pattern a line."""
        lines = [*readable_patterns(self.patterns), *([readable_order(self.order)] if self.order else [])]
        return "\n".join([*lines, *([readable_returns(self.returns, ANSWER)] if self.returns else [])])


@dataclass(frozen=True, slots=True)
class Frame:
    """What belongs to the whole query and to no step; `columns` are those of an answer that has several."""

    answer: Variable
    filters: tuple[Filter, ...] = ()
    distinct: bool = True
    limit: int | None = None
    offset: int = 0
    columns: tuple[Variable, ...] = ()
    labels: LabelService | None = None


@dataclass(frozen=True, slots=True)
class Decomposition:
    frame: Frame
    steps: tuple[Step, ...]

    def with_steps(self, steps: Iterable[Step]) -> "Decomposition":
        """The same question with other steps, as a correction leaves it.

        Filters of the frame about a variable that no step has any more are dropped: an engine would let them remove
        every answer. So are those that exclude an entity which is no longer spoken of.
        """
        steps = tuple(steps)
        spoken = {each for step in steps for each in walk(step.patterns) if isinstance(each, Variable | Entity)}
        before = {each for step in self.steps for each in walk(step.patterns) if isinstance(each, Entity)}

        def stands(condition: Filter) -> bool:
            named = {each for each in walk(condition) if isinstance(each, Variable | Entity)}
            return not any(isinstance(each, Variable) or each in before for each in named - spoken)

        kept = tuple(each for each in self.frame.filters if stands(each))
        columns = self.frame.columns if self.frame.labels else tuple(each for each in self.frame.columns if each in spoken)
        return Decomposition(replace(self.frame, filters=kept, columns=columns), steps)


def compose(decomposition: Decomposition) -> LogicalForm:
    """The whole query; `compose(decompose(query))` is equivalent to `query`.

    Raises LogicalFormError if two steps sort the answers.
    """
    frame = decomposition.frame
    orders = [step.order for step in decomposition.steps if step.order is not None]
    returns = [step.returns for step in decomposition.steps if step.returns is not None]
    if len(orders) > 1:
        raise LogicalFormError("Two steps sort the answers; a question can have one such step.")
    if len(returns) > 1:
        raise LogicalFormError(
            "Two steps say what to do with all answers, count or test them; a question can have one such step."
        )
    patterns = (*frame.filters, *(pattern for step in decomposition.steps for pattern in step.patterns))
    patterns += () if frame.labels is None else (frame.labels,)
    returns += [Table(frame.columns)] if frame.columns and not returns else []
    order = orders[0] if orders else None
    limit, offset = (None, 0) if order else (frame.limit, frame.offset)
    return LogicalForm(frame.answer, patterns, order, frame.distinct, limit, offset, returns[0] if returns else None)


def problems(decomposition: Decomposition) -> list[str]:
    """What makes a corrected question unanswerable, in plain sentences; empty for every readable query that hangs together.

    A correction may take out the step that others rest on. A knowledge base would answer such a query with a product of
    unrelated rows, which looks like an answer.
    """
    asks = any(isinstance(step.returns, Asking) and not step.returns.members for step in decomposition.steps)
    return [*([] if asks else _answer_problems(decomposition)), *_order_problems(decomposition)]


def _answer_problems(decomposition: Decomposition) -> Iterator[str]:
    answer = decomposition.frame.answer
    steps = [step for step in decomposition.steps if step.finds]
    if not any(answer in step.nodes for step in steps):
        yield f"No step finds ?{answer.name}, the answer."
    # What is taken away of something else takes nothing away, and makes no product of unrelated rows either.
    loose = [step for group in connected(steps, answer)[1:] for step in group if not isinstance(step.group, Minus)]
    if loose and not _several_columns(decomposition):
        numbers = ", ".join(str(decomposition.steps.index(step) + 1) for step in loose)
        yield f"Nothing links the answer to step {numbers}: no variable is shared."


def _order_problems(decomposition: Decomposition) -> Iterator[str]:
    known = set(decomposition.frame.columns)
    for step in decomposition.steps:
        known |= {*variables(step.patterns if step.finds else ()), *variables(step.returns or ())}
    for number, step in enumerate(decomposition.steps, 1):
        missing = [each.name for each in variables(step.order or ()) if each not in known]
        if missing:
            yield f"Step {number} sorts by ?{missing[0]}, which no other step finds."


def _several_columns(decomposition: Decomposition) -> bool:
    """Whether what is asked for stands side by side, linked or not."""
    return bool(decomposition.frame.columns) or any(isinstance(step.returns, Table) for step in decomposition.steps)


def connected(steps: Iterable[Step], answer: Variable) -> list[list[Step]]:
    """The steps in groups that share variables; the group that finds the answer comes first."""
    groups: list[tuple[set[Variable], list[Step]]] = []
    for step in steps:
        names, members, apart = set(variables(step.patterns)), [step], []
        for group in groups:
            if group[0] & names:
                names |= group[0]
                members = group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (names, members)]
    groups.sort(key=lambda group: answer not in group[0])
    return [members for _, members in groups]
