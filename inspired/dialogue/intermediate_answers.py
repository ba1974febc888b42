"""Intermediate answers: what a knowledge base answers to each step, in the light of the steps before it (figure 1, appendix
A.3)."""

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from backend.errors import KnowledgeBaseError
from inspired.decomposition.decompose import compared
from inspired.decomposition.steps import Decomposition, Step, compose, connected, problems
from inspired.knowledge_base.engine import KnowledgeBase, Node, QueryResult
from inspired.knowledge_base.names import last_part, names_of
from inspired.knowledge_base.published import LABELS, MORE_LABELS
from inspired.logical_form.arrangement import without_labels
from inspired.logical_form.forms import (
    Aggregate,
    Asking,
    Entity,
    Literal,
    LogicalForm,
    Minus,
    Table,
    Triple,
    Union,
    Variable,
    triples,
    variables,
)
from inspired.logical_form.sparql_writer import with_full_dates, write_sparql
from inspired.sub_questions.conditions import key_variable
from inspired.sub_questions.templates import Corpus
from inspired.sub_questions.value_words import date_words, is_date, number_words
from inspired.sub_questions.verbalise import verbalise

LIMIT = 100
SECONDS = 10.0
TOTAL = 30.0
MOST_TIED = 20

_NUMBERS = {"integer", "int", "long", "short", "decimal", "nonNegativeInteger", "positiveInteger", "double", "float"}
_TRUE = Literal("true", "boolean")
_FALSE = Literal("false", "boolean")
_UNLINKED = "Nothing links this step to the answer: no variable is shared."
_SORTED_TWICE = "Two steps sort the answers; a question can have one such step."
_NO_TIME = "Not asked: the steps before it took all the time there was."


@dataclass(frozen=True)
class IntermediateAnswer:
    """`node` as the knowledge base has it, and how people call it.

    A superlative's step that finds the values to sort by pairs each thing with its `value`. Of a question for several
    columns, `columns` are what is beside it, each by its names.
    """

    node: Node
    name: str
    value: Literal | None = None
    value_name: str | None = None
    columns: tuple["AnswerColumn", ...] = ()


@dataclass(frozen=True)
class AnswerColumn:
    """What stands beside an answer: `nodes` as the knowledge base has them, and how people call them."""

    nodes: tuple[Node, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepAnswer:
    """The answers to one question; none is an empty tuple, and `problem` says in words why it could not be answered.

    `truncated` says that there are more. The answer to a yes-or-no question is one boolean. `headings` are those of the further
    columns of a question for several. `tied` have the same value as the last answer of a row that was cut off: the query keeps
    one of the highest, and two may be equally high. `unrecorded` is a "no" for which neither it nor
    the contrary is on record.
    """

    answers: tuple[IntermediateAnswer, ...] = ()
    truncated: bool = False
    problem: str | None = None
    seconds: float = 0.0
    headings: tuple[str, ...] = ()
    tied: tuple[IntermediateAnswer, ...] = ()
    unrecorded: bool = False


@dataclass(frozen=True)
class Limits:
    """How many answers to give, and how long one step and all together may take, in seconds."""

    answers: int = LIMIT
    step: float = SECONDS
    total: float = TOTAL


def step_answers(
    decomposition: Decomposition,
    kb: KnowledgeBase,
    names: Mapping[str, str],
    limits: Limits = Limits(),
    corpus: Corpus | None = None,
) -> tuple[StepAnswer, ...]:
    """The answers to the question that `verbalise` makes of each step; the last ones answer the whole query.

    A step without an answer carries the reason instead; nothing is raised for it. `names`, by id, spare asking
    the knowledge base for them. `corpus` is the one that the questions are worded with.
    """
    asked = verbalise(decomposition, names, corpus).asked
    until = time.monotonic() + limits.total
    result = []
    for number, variable in enumerate(asked, 1):
        seconds = min(limits.step, until - time.monotonic())
        result.append(_Step(decomposition, number, variable).answer(kb, names, limits.answers, seconds))
    return tuple(result)


def final_answer(
    decomposition: Decomposition,
    kb: KnowledgeBase,
    names: Mapping[str, str],
    limits: Limits = Limits(),
) -> StepAnswer:
    """The answers to the whole query, in its order if it has one."""
    reasons = _problems(decomposition)
    if reasons:
        return StepAnswer(problem=" ".join(reasons))
    form = compose(decomposition)
    answer = _answered(_StepQuery(form), kb, names, limits.answers, limits.step)
    left = limits.step - answer.seconds
    tied = _tied(form, answer, kb, names, limits.answers, left)
    answer = replace(answer, tied=tied, unrecorded=_is_unrecorded(form, answer, kb, left))
    return replace(answer, headings=_headings(decomposition, names)) if _has_columns(form) else answer


def _tied(
    form: LogicalForm, answer: StepAnswer, kb: KnowledgeBase, names: Mapping[str, str], limit: int, seconds: float
) -> tuple[IntermediateAnswer, ...]:
    """What is sorted by the same value as the last of the answers, which ORDER BY and LIMIT leave out."""
    query = _with_values(form)
    if query is None or form.order is None or form.order.limit is None or not answer.answers or seconds <= 0:
        return ()
    most = form.order.offset + form.order.limit + MOST_TIED
    listed = _answered(query, kb, names, max(limit, most), seconds).answers[:most]
    last = next((each.value for each in listed if each.node == answer.answers[-1].node), None)
    own = {each.node for each in answer.answers}
    others = {each.node: _without_value(each) for each in listed if last and each.value == last}
    return tuple(each for node, each in others.items() if node not in own)


def _with_values(form: LogicalForm) -> "_StepQuery | None":
    """What is sorted, all of it and each with its value: what the step that finds the values asks too, so that a knowledge base
    sorts once."""
    key = key_variable(form.order.key) if form.order is not None else None
    if form.order is None or key is None or form.order.limit is None or form.order.then or form.returns:
        return None
    return _StepQuery(replace(form, order=replace(form.order, limit=None, offset=0)), key)


def _first_of_sorted(
    query: "_StepQuery", kb: KnowledgeBase, names: Mapping[str, str], limit: int, seconds: float
) -> StepAnswer | None:
    """The first answers of a sorted query out of all of them; None where more would have to be read than are listed."""
    order, all_of_it = query.form.order, _with_values(query.form) if query.form.distinct and query.beside is None else None
    if all_of_it is None or order is None or order.limit is None or query.yes_or_no:
        return None
    listed = _answered(all_of_it, kb, names, limit, seconds)
    end = order.offset + order.limit
    answers = tuple(dict.fromkeys(map(_without_value, listed.answers)))
    if listed.problem or (listed.truncated and len(answers) < end):
        return None
    return replace(listed, answers=answers[order.offset : end], truncated=False)


def _without_value(answer: IntermediateAnswer) -> IntermediateAnswer:
    return replace(answer, value=None, value_name=None)


def _is_unrecorded(form: LogicalForm, answer: StepAnswer, kb: KnowledgeBase, seconds: float) -> bool:
    """Whether the answer is "no" because no truth value at all is on record for what the question is about."""
    asks = form.returns
    denied = [each.node for each in answer.answers] == [_FALSE]
    if not isinstance(asks, Asking) or asks.negated or not denied or seconds <= 0:
        return False
    claimed = [each for each in triples(form.patterns) if each.subject == form.answer and _is_truth(each.object)]
    value = Variable("value")
    facts = [Triple(member, each.predicate, value) for each in claimed for member in asks.members if isinstance(member, Entity)]
    try:
        return bool(facts) and not any(
            kb.select(write_sparql(LogicalForm(value, (each,), limit=1)), 1, seconds).rows for each in facts
        )
    except KnowledgeBaseError:
        return False


def _is_truth(node: object) -> bool:
    return isinstance(node, Literal) and node.datatype == "boolean"


def _headings(decomposition: Decomposition, names: Mapping[str, str]) -> tuple[str, ...]:
    """What the further columns are called in the words of the steps."""
    nouns = verbalise(decomposition, names).nouns
    return tuple(nouns.get(each, each.name) for each in decomposition.frame.columns[1:])


def _has_columns(form: LogicalForm) -> bool:
    """Whether something is asked beside each answer; what is grouped or computed has rows of its own."""
    table = form.returns
    return isinstance(table, Table) and not table.groups and len(table.columns) > 1 and table.columns[0] == form.answer


@dataclass(frozen=True)
class _StepQuery:
    """`beside` is the variable whose value goes with each answer; without an answer variable, the answer is yes or no."""

    form: LogicalForm
    beside: Variable | None = None
    yes_or_no: bool = False

    def sparql(self) -> str:
        return write_sparql(with_full_dates(without_labels(self.form)), beside=[self.beside] if self.beside else [])


@dataclass(frozen=True)
class _Step:
    """Step `number`, from 1, of `whole`, and the variable that its question asks for."""

    whole: Decomposition
    number: int
    asked: Variable | None

    def answer(self, kb: KnowledgeBase, names: Mapping[str, str], limit: int, seconds: float) -> StepAnswer:
        reasons = [_UNLINKED] if not self._is_linked() else _problems(self.whole) if self._is_whole() else []
        if reasons:
            return StepAnswer(problem=" ".join(reasons))
        if seconds <= 0:
            return StepAnswer(problem=_NO_TIME)
        return _answered(self._query(), kb, names, limit, seconds)

    @property
    def _step(self) -> Step:
        return self.whole.steps[self.number - 1]

    def _is_linked(self) -> bool:
        plain = [each for each in self.whole.steps if each.finds]
        asks = any(isinstance(each.returns, Asking | Table) for each in self.whole.steps) or bool(self.whole.frame.columns)
        excludes = isinstance(self._step.group, Minus)
        return asks or excludes or not self._step.finds or self._step in connected(plain, self.whole.frame.answer)[0]

    def _is_whole(self) -> bool:
        """Whether this is the last question, and asks for the answer; what only sorts asks for it at any place."""
        last = self.number == len(self.whole.steps) and self.asked is not None
        if any(isinstance(each.returns, Table) for each in self.whole.steps):
            return not self._step.finds
        counted = any(each.returns is not None for each in self.whole.steps)
        if counted or not self._step.finds:
            return self._step.returns is not None or not counted
        return last and self._pair()[0] == self.whole.frame.answer

    def _query(self) -> _StepQuery:
        """What the step asks, with only those steps before it that bear on it."""
        thing, value = self._pair()
        if self._is_whole():
            form = compose(self.whole)
            if isinstance(self._step.returns, Table):
                form = replace(form, order=None)
            return _StepQuery(form, value if form.order is None and form.limit is None and not form.returns else None)
        if self._step.order is not None:
            return _StepQuery(replace(compose(self.whole), returns=None))
        before = [each for each in self.whole.steps[: self.number] if each.finds]
        linked = next(group for group in connected(before, self.whole.frame.answer) if self._step in group)
        part = self.whole.with_steps(before if linked == [self._step] and isinstance(self._step.group, Minus) else linked)
        form = compose(
            replace(part, frame=replace(part.frame, answer=thing, distinct=True, limit=None, offset=0, columns=(), labels=None))
        )
        if self.asked is None:
            return _StepQuery(replace(form, limit=1), yes_or_no=True)
        order = next((each.order for each in self.whole.steps if each.order is not None), None)
        if value is not None and order is not None and value == key_variable(order.key):
            form = replace(form, order=replace(order, limit=None, offset=0))
        return _StepQuery(form, value)

    def _pair(self) -> tuple[Variable, Variable | None]:
        """What the answers are, and the value to tell with each, where the step finds one to compare or to sort by."""
        answer = self.whole.frame.answer
        subject = self._step.main[0].subject if self._step.main else None
        if isinstance(self._step.group, Aggregate):
            subject = self._step.group.by
        if self.asked != answer and self.asked in compared(self.whole) and isinstance(subject, Variable):
            return subject, self.asked
        thing = self.asked or answer
        keys = [key_variable(each.order.key) for each in self.whole.steps if each.order is not None]
        free = variables(self._step.patterns)
        return thing, next((each for each in keys if each in free and each != thing), None)


def _problems(decomposition: Decomposition) -> list[str]:
    """What keeps the whole from an answer."""
    sorting = [each for each in decomposition.steps if each.order is not None]
    return [*problems(decomposition), *([_SORTED_TWICE] if len(sorting) > 1 else [])]


def _answered(query: _StepQuery, kb: KnowledgeBase, names: Mapping[str, str], limit: int, seconds: float) -> StepAnswer:
    began = time.monotonic()
    if (first := _first_of_sorted(query, kb, names, limit, seconds)) is not None:
        return first
    try:
        rows = kb.select(query.sparql(), limit, seconds)
    except KnowledgeBaseError as error:
        return StepAnswer(problem=error.shown, seconds=time.monotonic() - began)
    problem = None
    if query.yes_or_no or isinstance(query.form.returns, Asking):
        holds = bool(rows.rows) if query.yes_or_no else rows.rows[0][0] == _TRUE
        answers: tuple[IntermediateAnswer, ...] = (
            IntermediateAnswer(_TRUE, "yes") if holds else IntermediateAnswer(_FALSE, "no"),
        )
        return StepAnswer(answers, seconds=time.monotonic() - began)
    try:
        known = _names(rows, kb, names, max(seconds - (time.monotonic() - began), 0.1))
    except KnowledgeBaseError as error:
        known, problem = {}, f"The names of the answers are missing. {error.shown}"
    listed = _with_names_first(rows)
    answers = (
        _with_columns(listed, known)
        if _has_columns(query.form)
        else tuple(dict.fromkeys(_answer(each, known) for each in listed))
    )
    if answers and all(isinstance(each.node, Entity) and each.node.id.startswith("_:") for each in answers):
        answers = _names_of_blank(query, kb, limit, seconds) or answers
    if query.form.order is None:
        answers = tuple(sorted(answers, key=_rank))
    return StepAnswer(answers, rows.truncated, problem, time.monotonic() - began)


def _names_of_blank(query: _StepQuery, kb: KnowledgeBase, limit: int, seconds: float) -> tuple[IntermediateAnswer, ...]:
    """Nodes without an address by the names that they have: each query numbers them in its own way, so one asks for both."""
    form = query.form
    if form.order is not None or form.limit is not None or form.returns is not None:
        return ()
    called = Variable("called")
    naming = Union(tuple((Triple(form.answer, each, called),) for each in (*LABELS, *MORE_LABELS)))
    sparql = write_sparql(replace(form, patterns=(*form.patterns, naming)), beside=[called])
    try:
        rows = kb.select(sparql, limit, seconds).rows
    except KnowledgeBaseError:
        return ()
    names = {row[0]: row[1].text for row in rows if isinstance(row[0], Entity) and isinstance(row[1], Literal)}
    return tuple(IntermediateAnswer(node, name) for node, name in names.items())


def _with_names_first(rows: QueryResult) -> list[tuple[Node | None, ...]]:
    """The rows with an answer; nodes without a name tell nothing where there are others."""
    full = [row for row in rows.rows if row[0] is not None]
    named = [row for row in full if not (isinstance(row[0], Entity) and row[0].id.startswith("_:"))]
    return named or full


def _rank(answer: IntermediateAnswer) -> tuple[bool, float, str, str, str]:
    """Numbers first and by their size, dates as they follow each other, and names by the alphabet."""
    node = answer.node
    dated = isinstance(node, Literal) and (node.datatype or "").startswith(("date", "gYear"))
    size = None if dated else _size(node)
    written = str(getattr(node, "text", "")) if dated else answer.name.casefold()
    return size is None, size or 0.0, written, node.__class__.__name__, str(node)


def _size(node: Node) -> float | None:
    try:
        size = float(node.text) if isinstance(node, Literal) else math.nan
    except ValueError:
        return None
    return size if math.isfinite(size) else None


def _names(rows: QueryResult, kb: KnowledgeBase, names: Mapping[str, str], seconds: float) -> dict[str, str]:
    ids = dict.fromkeys(cell.id for row in rows.rows for cell in row if isinstance(cell, Entity))
    missing = [each for each in ids if not names.get(each)]
    return {**names_of(kb, missing, seconds), **{each: names[each] for each in ids if names.get(each)}}


def _answer(row: tuple[Node | None, ...], names: Mapping[str, str]) -> IntermediateAnswer:
    node = row[0]
    assert node is not None
    value = row[1] if len(row) > 1 else None
    if not isinstance(value, Literal):
        return IntermediateAnswer(node, words_of_node(node, names))
    return IntermediateAnswer(node, words_of_node(node, names), value, words_of_node(value, names))


def _with_columns(rows: list[tuple[Node | None, ...]], names: Mapping[str, str]) -> tuple[IntermediateAnswer, ...]:
    """Each answer once, with all that the rows have beside it."""
    beside: dict[Node, list[dict[Node, None]]] = {}
    for node, *others in rows:
        assert node is not None
        columns = beside.setdefault(node, [{} for _ in others])
        for column, other in zip(columns, others, strict=True):
            column.update({other: None} if other is not None else {})
    return tuple(
        IntermediateAnswer(node, words_of_node(node, names), columns=tuple(_column(each, names) for each in columns))
        for node, columns in beside.items()
    )


def _column(nodes: Iterable[Node], names: Mapping[str, str]) -> AnswerColumn:
    called = sorted(((words_of_node(each, names), each) for each in nodes), key=lambda one: one[0].casefold())
    return AnswerColumn(tuple(each for _, each in called), tuple(name for name, _ in called))


def note_words(answer: StepAnswer) -> str:
    """A sentence about what has the same value as the last answer, or about a "no" that rests on no record; else empty."""
    if answer.unrecorded:
        return "Nothing is on record that says so, or the contrary."
    names = ", ".join(each.name for each in answer.tied)
    more = " and others" if len(answer.tied) >= MOST_TIED else ""
    return f"With the same value: {names}{more}." if names else ""


def words_of_node(node: Node, names: Mapping[str, str]) -> str:
    """A thing by its name; a date, number or truth value as a person would write it; other text as it stands."""
    if isinstance(node, Entity):
        return names.get(node.id) or last_part(node.id)
    if node.datatype == "boolean":
        return "yes" if node.text in ("true", "1") else "no"
    if is_date(node):
        return date_words(node.text)
    return number_words(_plain(node.text)) if node.datatype in _NUMBERS else node.text


def _plain(number: str) -> str:
    """A number without an exponent: `6.9E7` as `69000000`."""
    if "e" not in number.lower():
        return number
    try:
        plain = f"{float(number):.12f}".rstrip("0").rstrip(".")
    except ValueError:
        return number
    return plain if math.isfinite(float(number)) and float(plain or "0") else number
