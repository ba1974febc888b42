"""Split a logical form into sub-logical forms, and say what type of question it is (section 3.1, appendix A.3)."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from inspired.decomposition.steps import Decomposition, Frame, Step
from inspired.logical_form.forms import (
    Aggregate,
    AnyOf,
    Bind,
    Filter,
    FunctionCall,
    LabelService,
    LogicalForm,
    Minus,
    Not,
    OptionalGroup,
    Order,
    Pattern,
    RelationalExpression,
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
from inspired.logical_form.schema import is_kind, is_mediator, type_of
from inspired.logical_form.sparql_reader import ANSWER, read_fragment

COMPOSITION, CONJUNCTION, COMPARATIVE, SUPERLATIVE, SIMPLE = (
    "composition",
    "conjunction",
    "comparative",
    "superlative",
    "simple",
)


def decompose(form: LogicalForm) -> Decomposition:
    """The steps of a query, in an order in which each can be asked once those before it are answered.

    A step is a single predicate, two predicates joined by a mediating node, or a group of alternatives, with what
    restricts it; a superlative adds its own last step.
    """
    framing = tuple(each for each in form.patterns if isinstance(each, Filter) and _frames(each, form.answer))
    rest: list[Pattern] = [each for each in form.patterns if each not in framing and not isinstance(each, LabelService)]
    table = form.returns if isinstance(form.returns, Table) else None
    grouped = table is not None and (table.groups or bool(table.having))
    steps, loose = _Split(rest, form.answer, None if grouped else form.order).steps()
    if len(steps) == 1 and form.returns is None:
        steps = _kind_apart(steps[0])
    if grouped:
        steps.append(Step(returns=form.returns))
    if form.order is not None:
        steps.append(Step(order=form.order))
    if form.returns is not None and table is None:
        steps.append(Step(returns=form.returns))
    columns = () if table is None or grouped else table.columns
    return Decomposition(_frame(form, (*framing, *loose), columns), tuple(steps))


def _frame(form: LogicalForm, filters: tuple[Filter, ...], columns: tuple[Variable | Bind, ...]) -> Frame:
    """What a query says of no single step. The step that sorts has the limit, where there is one."""
    limit, offset = (None, 0) if form.order else (form.limit, form.offset)
    named = tuple(each for each in columns if isinstance(each, Variable))
    labels = next((each for each in form.patterns if isinstance(each, LabelService)), None)
    return Frame(form.answer, filters, form.distinct, limit, offset, named, labels)


def read_steps(text: str, spellings: Iterable[str] = ()) -> tuple[Step, ...]:
    """The steps that a piece of SPARQL, standard or compact, stands for; `spellings` as for `read_compact`.

    Raises LogicalFormError if it cannot be read.
    """
    patterns, order = read_fragment(text, spellings)
    steps = group(patterns, order) if patterns else ()
    return (*steps, *([Step(order=order)] if order else []))


def group(patterns: Iterable[Pattern], order: Order | None = None) -> tuple[Step, ...]:
    """The steps that patterns fall into by themselves; `order` tells which variables they will be sorted by."""
    steps, loose = _Split(list(patterns), ANSWER, order).steps()
    if loose and steps:
        steps[-1] = replace(steps[-1], conditions=(*steps[-1].conditions, *loose))
    elif loose:
        steps = [Step(conditions=loose)]
    return tuple(steps)


def question_type(decomposition: Decomposition) -> str:
    """One of the four types of ComplexWebQuestions, or `simple` for a question of one step.

    A composition asks for something on the way to the answer, and stays one where it also sorts or compares.
    """
    steps = [step for step in decomposition.steps if step.finds]
    values = compared(decomposition)
    seen: dict[Variable, int] = defaultdict(int)
    for step in steps:
        for node in step.nodes:
            seen[node] += node != decomposition.frame.answer and node not in values
    if any(count > 1 for count in seen.values()):
        return COMPOSITION
    if any(step.order is not None for step in decomposition.steps):
        return SUPERLATIVE
    if any(_compares(condition) for step in steps for condition in step.conditions):
        return COMPARATIVE
    return CONJUNCTION if len(steps) > 1 else SIMPLE


def compared(decomposition: Decomposition) -> set[Variable]:
    """The variables that stand for a value: they are compared or sorted by."""
    conditions = [each for step in decomposition.steps for each in step.conditions]
    orders = [step.order for step in decomposition.steps if step.order is not None]
    grouped = any(isinstance(step.returns, Table) for step in decomposition.steps)
    return {*variables(conditions), *variables([] if grouped else orders)}


def _kind_apart(step: Step) -> list[Step]:
    """The only step of a query and what kind of thing it finds: that makes two steps, each worth looking at."""
    kinds = [each for each in step.restrictions if is_kind(each.predicate) and each.subject != step.joint]
    if not kinds:
        return [step]
    value = kinds[-1].object
    about = [each for each in step.conditions if isinstance(value, Variable) and value in variables(each)]
    first = replace(
        step,
        restrictions=tuple(each for each in step.restrictions if each != kinds[-1]),
        conditions=tuple(each for each in step.conditions if each not in about),
    )
    return [first, Step(main=(kinds[-1],), conditions=tuple(about))]


def _compares(condition: Filter) -> bool:
    return isinstance(condition.condition, RelationalExpression) and condition.condition.operator in ("<", ">", "<=", ">=")


def _frames(condition: Filter, answer: Variable) -> bool:
    """Whether the filter says only what the answer must not be, or in which language its text is."""
    inner = condition.condition
    if isinstance(inner, RelationalExpression):
        return inner.operator == "!=" and answer in (inner.left, inner.right)
    about_text = {"isliteral", "lang", "langmatches"}
    calls = {each.function for each in walk(inner) if isinstance(each, FunctionCall)}
    return (
        isinstance(inner, AnyOf | Not | FunctionCall) and bool(calls) and calls <= about_text and variables(inner) == [answer]
    )


def _excluding(steps: list[Step], minus: Minus) -> list[Step]:
    """The steps with one that takes something away, right behind those that find what it is taken from."""
    about = set(variables(minus.patterns))
    last = max((number for number, step in enumerate(steps, 1) if about & set(variables(step.patterns))), default=len(steps))
    return [*steps[:last], Step(group=minus), *steps[last:]]


_Reached = tuple[Step, set[Variable]]  # a step and its nodes
_JOINED = Values | ValueRows | Aggregate | SubQuery
_SEQUENTIAL = Minus | OptionalGroup | Bind


class _Split:
    """One run of splitting; the steps it makes are values."""

    def __init__(self, patterns: list[Pattern], answer: Variable, order: Order | None) -> None:
        self.answer = answer
        self.triples = list(dict.fromkeys(each for each in patterns if isinstance(each, Triple)))
        self.filters = [each for each in patterns if isinstance(each, Filter)]
        self.unions = [each for each in patterns if isinstance(each, Union)]
        self.groups = [each for each in patterns if isinstance(each, _JOINED | _SEQUENTIAL)]
        self.order = {pattern: number for number, pattern in reversed(list(enumerate(patterns)))}
        self.incoming: dict[Variable, list[Triple]] = defaultdict(list)
        self.leaving: dict[Variable, list[Triple]] = defaultdict(list)
        for triple in self.triples:
            if isinstance(triple.object, Variable):
                self.incoming[triple.object].append(triple)
            if isinstance(triple.subject, Variable):
                self.leaving[triple.subject].append(triple)
        compared = set(variables([*self.filters, *([order] if order else [])]))
        self.values = {each for each in compared if not self.leaving[each]} - {answer}
        self.sorted_by = set(variables(order)) if order else set()
        self.taken: set[Triple] = set()

    def steps(self) -> tuple[list[Step], tuple[Filter, ...]]:
        """The steps in order, and the filters that no step has the variables for."""
        made = self._joined() + [Step(union=each) for each in self.unions]
        made += [Step(group=each) for each in self.groups if isinstance(each, _JOINED)]
        kinds = [each for each in self.triples if each not in self.taken and self._is_kind(each)]
        made += [Step(main=(each,)) for each in self.triples if each not in self.taken and each not in kinds]
        steps = self._in_order(made)
        for kind in kinds:
            steps = self._restrict(steps, kind)
        steps += [Step(group=each) for each in self.groups if isinstance(each, OptionalGroup | Bind)]
        steps, loose = self._with_conditions(steps)
        for each in self.groups:
            steps = _excluding(steps, each) if isinstance(each, Minus) else steps
        return steps, loose

    def _is_kind(self, triple: Triple) -> bool:
        held = not isinstance(triple.object, Variable) or triple.object in self.values - self.sorted_by
        return is_kind(triple.predicate) and held and isinstance(triple.subject, Variable)

    def _joined(self) -> list[Step]:
        """A step for each mediating node, with all that hangs on it, and then one for each chain that ends."""
        result = []
        for first in sorted(self.triples, key=lambda each: not self._leads_to_mediator(each)):
            node = first.object
            if first in self.taken or not isinstance(node, Variable) or not self._is_joint(node):
                continue
            others = [each for each in self.leaving[node] if each not in self.taken]
            if not others:
                continue
            second = min(others, key=lambda each: (self._rank(each), self.order[each]))
            hanging = [each for each in others if each != second]
            for each in tuple(hanging):
                hanging += self._only_behind(each)
            self.taken |= {first, second, *hanging}
            result.append(Step(main=(first, second), restrictions=tuple(hanging)))
        return result

    def _is_joint(self, node: Variable) -> bool:
        telling = [each for each in self.leaving[node] if not self._is_kind(each)]
        if node == self.answer or len(self.incoming[node]) != 1 or not telling:
            return False
        apart = [*self.unions, *self.groups]
        if self.incoming[node][0].subject == node or any(node in variables(each) for each in apart):
            return False
        if self._leads_to_mediator(self.incoming[node][0]):
            return True
        # A chain that ends here, such as a genre known only by one of its films, makes one step of its own.
        ends = len(telling) == 1 and (not isinstance(telling[0].object, Variable) or telling[0].object in self.values)
        return ends and isinstance(self.incoming[node][0].subject, Variable)

    def _leads_to_mediator(self, triple: Triple) -> bool:
        leaving = self.leaving[triple.object] if isinstance(triple.object, Variable) else []
        telling = [each for each in leaving if not self._is_kind(each)]
        return bool(telling) and all(is_mediator(type_of(each.predicate)) for each in telling)

    def _rank(self, triple: Triple) -> int:
        """Which of the triples that leave a mediating node is the main one: smallest first."""
        if triple.object == self.answer:
            return 0
        if isinstance(triple.object, Variable) and triple.object not in self.values:
            return 1 if not self._only_behind(triple) else 3
        return 3 if isinstance(triple.object, Variable) and self._is_sorted_only(triple.object) else 2

    def _is_sorted_only(self, value: Variable) -> bool:
        return value in self.sorted_by and not any(value in variables(each) for each in self.filters)

    def _only_behind(self, triple: Triple) -> list[Triple]:
        """The triples that can only be reached through `triple`, and that name no further variable."""
        node = triple.object
        if not isinstance(node, Variable) or node == self.answer or len(self.incoming[node]) != 1:
            return []
        behind = [each for each in self.leaving[node] if each not in self.taken]
        return behind if all(not isinstance(each.object, Variable) for each in behind) else []

    def _in_order(self, steps: list[Step]) -> list[Step]:
        """Farthest from the answer first; among equals as written, but never before what they build on."""
        in_order = sorted(steps, key=lambda each: min(self.order[pattern] for pattern in each.patterns))
        reached = [(step, set(step.nodes)) for step in in_order]  # made once: it walks through all of each step
        distance = self._distances([nodes for _, nodes in reached])
        levels: dict[int, list[_Reached]] = defaultdict(list)
        for step, nodes in reached:
            levels[distance(nodes)].append((step, nodes))
        done: list[Step] = []
        known: set[Variable] = set()
        for farthest in sorted(levels, reverse=True):
            level = levels[farthest]
            while level:
                ready = [each for each in level if self._is_grounded(each[0]) or known & each[1]]
                last = [each for each in ready if not self.sorted_by & each[1]]
                step, nodes = following = (last or ready or level)[0]
                level.remove(following)
                done.append(step)
                known |= nodes
        return done

    def _is_grounded(self, step: Step) -> bool:
        ends = [step.main[0].subject, step.main[-1].object] if step.main else []
        alone = step.union is not None or isinstance(step.group, Values | ValueRows | SubQuery)
        return alone or any(not isinstance(end, Variable) for end in ends)

    def _distances(self, joined: list[set[Variable]]) -> Callable[[set[Variable]], int]:
        """How far from the answer a step with such nodes is; `joined` are the nodes of each step."""
        far = {self.answer: 0}
        edge = {self.answer}
        while edge:
            near = [nodes for nodes in joined if edge & nodes]
            edge = {node for nodes in near for node in nodes if node not in far and node not in self.values}
            depth = max(far.values()) + 1
            far |= dict.fromkeys(edge, depth)
        return lambda nodes: min((far[node] for node in nodes if node in far), default=len(far) + 1)

    def _restrict(self, steps: list[Step], kind: Triple) -> list[Step]:
        for number, step in enumerate(steps):
            if kind.subject in step.nodes and not (step.main and step.main[0].object in self.values):
                wider = replace(step, restrictions=(*step.restrictions, kind))
                return [*steps[:number], wider, *steps[number + 1 :]]
        return [*steps, Step(main=(kind,))]

    def _with_conditions(self, steps: list[Step]) -> tuple[list[Step], tuple[Filter, ...]]:
        loose = []
        for condition in self.filters:
            wanted = {each for each in variables(condition) if self.incoming[each] or self.leaving[each]}
            wanted |= {each for each in variables(condition) if any(each in variables(step.patterns) for step in steps)}
            holding = [n for n, step in enumerate(steps) if wanted and wanted <= set(variables(step.patterns))]
            some = [n for n, step in enumerate(steps) if wanted & set(variables(step.patterns))]
            if not some:
                loose.append(condition)
                continue
            number = holding[0] if holding else some[-1]
            steps[number] = replace(steps[number], conditions=(*steps[number].conditions, condition))
        return steps, tuple(loose)
