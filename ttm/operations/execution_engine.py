"""The execution engine carries out a parse: it selects rows, changes them, and runs the operations in order on the same rows.

A run of filters narrows the rows that were left (`and`) or adds to them (`or`). Changes alter the rows selected before
them. `versus` splits the rows into groups on which every later operation is carried out side by side. Nothing here holds
the conversation: what a turn leaves for the next one is a `Memory`, so that a turn can be undone, edited or replayed.

Source: TalkToModel, sections 2.1 and 2.2; what each step means is stated in docs/parse-language.md.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from backend.errors import ExecutionError, ModelError
from ttm.explain.explainer import Explainer
from ttm.language.operations.data import DefineTerm
from ttm.language.operations.dialogue import NameRows, Significant
from ttm.language.operations.fairness import ThresholdByGroup
from ttm.language.parse import (
    AboutSystem,
    Capabilities,
    Change,
    CountData,
    DataSummary,
    Define,
    FollowUp,
    Instance,
    Label,
    Likelihood,
    Mistake,
    ModelDescription,
    Operation,
    Parse,
    Predict,
    PreviousOperation,
    Score,
    Selection,
    Statistic,
    Step,
    Threshold,
    surface,
)
from ttm.operations.decided_classes import with_decisions_note
from ttm.operations.dialogue.run import continuation
from ttm.operations.models.run import ModelsSideBySide, RowUnderModels
from ttm.operations.registry import OPERATIONS
from ttm.operations.results import Empty, Group, Refused, Result, Versus
from ttm.operations.rows.context import Context, FilterMemory, Memory
from ttm.operations.rows.groups import Groups, RowGroup
from ttm.operations.rows.selection import check_threshold
from ttm.operations.seen_rows import with_note
from ttm.operations.thresholds_by_group.run import check_thresholds, thresholds_by_group
from ttm.tabular.subject import Subject

# Operations that are about the system, the data set or the model as a whole, whatever rows are selected.
WITHOUT_ROWS = (
    AboutSystem, Capabilities, DataSummary, Define, FollowUp, DefineTerm, ModelDescription, PreviousOperation, Significant,
)  # fmt: skip


# What groups named in one breath with a test are compared by, where the last question asked for it.
COMPARED = (Label, Likelihood, Mistake, Predict, Score, Statistic)


@dataclass(frozen=True)
class Execution:
    """The results of a parse in order, and what the turn leaves behind."""

    results: tuple[Result, ...]
    memory: Memory


@dataclass
class _State:
    groups: list[RowGroup]
    threshold: float | None = None
    thresholds: tuple[float, ...] = ()  # one for each of `groups`, in the place of `threshold`
    results: list[Result] = field(default_factory=list)
    has_filter: bool = False
    operations: list[Operation] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)  # of `groups`; emptied when these change

    @property
    def each_threshold(self) -> tuple[float | None, ...]:
        """The decision threshold of each group."""
        return self.thresholds or (self.threshold,) * len(self.groups)


class ExecutionEngine:
    """Executes parses on one subject. Holds no state of a conversation; safe to share between threads."""

    def __init__(self, subject: Subject, explainer: Explainer, seed: int = 0) -> None:
        self.subject = subject
        self.schema = subject.dataset.schema
        self.explainer = explainer
        self.seed = seed
        self.groups = Groups(subject)

    def execute(self, parse: Parse, memory: Memory | None = None) -> Execution:
        """Carry out a parse after the turns that `memory` stands for.

        What cannot be done is answered in the results (`Empty`, `Refused`), never raised. When a filter, change or
        threshold cannot be carried out, what comes after it is not answered, as it would be about other rows.
        """
        memory = memory or Memory()
        state = self._start(parse, memory)
        steps = self._expanded(parse, memory)
        for number, step in enumerate(steps):
            later = any(
                not isinstance(s, Selection | Instance | Change | Threshold | ThresholdByGroup) for s in steps[number + 1 :]
            )
            try:
                self._step(step, state, memory, later)
            except (ExecutionError, ModelError) as error:
                group = self.groups.summary(state.groups[0])
                state.results.append(Refused(_surface(step), group, error.message))
                state.operations += [s for s in steps[number:] if not isinstance(s, Selection | Instance | Change)]
                break
        return Execution(tuple(state.results), self._remember(state, memory))

    def _start(self, parse: Parse, memory: Memory) -> _State:
        """All rows; or, for more on the last answer, the rows that it was about."""
        follows = any(isinstance(step, FollowUp) for step in parse.steps)
        if follows and memory.groups and not any(isinstance(step, Selection | Instance) for step in parse.steps):
            return _State([self.groups.recall(group) for group in memory.groups])
        return _State([self.groups.everything()])

    def _expanded(self, parse: Parse, memory: Memory) -> list[Step]:
        """The steps with `previousoperation` and `followup` replaced, and with a question where there is none."""
        steps: list[Step] = []
        for step in parse.steps:
            if isinstance(step, PreviousOperation) and memory.operations:
                steps += memory.operations
            else:
                steps.append(continuation(memory) if isinstance(step, FollowUp) else step)
        if all(isinstance(step, Selection | Instance | Change) for step in steps):
            changed = any(isinstance(step, Change | Instance) for step in steps)
            steps.append(Predict() if changed else CountData())
        return steps

    def _step(self, step: Step, state: _State, memory: Memory, later: bool) -> None:
        match step:
            case Selection():
                pairs = zip(state.groups, state.each_threshold, strict=True)
                made = [self.groups.select(group, step, memory.filter, threshold) for group, threshold in pairs]
                self._regroup(state, [group for groups in made for group in groups])
            case Instance():
                others = [group for group in state.groups if group.instance is not None and not state.operations]
                self._regroup(state, [*others, self.groups.made_up(step)])
            case Change():
                self._regroup(state, [self.groups.change(group, step) for group in state.groups])
            case Threshold(value=value) if value is not None:
                check_threshold(value, self.schema)
                state.threshold, state.thresholds, state.contexts = value, (), []
                state.operations.append(step)
                if later:
                    note = f'The model predicts "{self.schema.target.classes[-1]}" from a probability of {value:g} on.'
                    state.groups = [replace(group, notes=(*group.notes, note)) for group in state.groups]
                else:
                    state.results.append(self._operate(step, state, memory))
            case ThresholdByGroup():
                self._apart(step, state, memory, later)
            case Significant():
                self._test(step, state, memory)
            case _:
                state.operations.append(step)
                state.results.append(self._operate(step, state, memory))

    def _apart(self, step: ThresholdByGroup, state: _State, memory: Memory, later: bool) -> None:
        """Give each of the groups side by side its threshold, for what comes after it; alone it is the question."""
        contexts = self._contexts(state, memory)
        check_thresholds(step, len(contexts), contexts[0])
        state.operations.append(step)
        empty = next((group.empty for group in state.groups if group.empty), None)
        if not later:
            group = contexts[0].group
            if empty:
                state.results.append(Empty(surface(step), group, empty))
            else:
                state.results.append(with_note(thresholds_by_group(step, contexts), step, self.subject))
            return
        state.thresholds, state.contexts = step.values, []
        name = self.schema.target.classes[-1]
        notes = [f'For {group.words}, the model predicts "{name}" from a probability of {value:g} on.'
                 for group, value in zip(state.groups, step.values, strict=True)]  # fmt: skip
        state.groups = [replace(one, notes=(*one.notes, note)) for one, note in zip(state.groups, notes, strict=True)]

    def _test(self, step: Significant, state: _State, memory: Memory) -> None:
        """Test what this turn shows so far; groups side by side by the last question, or by their true outcomes."""
        if len(state.groups) > 1 and not state.results:
            asked = next((one for one in memory.operations if isinstance(one, COMPARED)), Label())
            self._step(asked, state, memory, later=False)
        state.contexts = []  # they remember the turn before
        state.operations.append(step)
        state.results.append(self._operate(step, state, replace(memory, results=tuple(state.results) or memory.results)))

    def _regroup(self, state: _State, groups: list[RowGroup]) -> None:
        if state.thresholds and len(groups) != len(state.thresholds):
            raise ExecutionError(
                "Thresholds by group hold for the groups that were named before them, so no others can follow."
            )
        state.groups, state.contexts, state.has_filter = groups, [], True

    # --- operations --------------------------------------------------------------------------------------------------

    def _operate(self, step: Operation, state: _State, memory: Memory) -> Result:
        contexts = self._contexts(state, memory)
        if isinstance(step, WITHOUT_ROWS) or len(contexts) == 1:
            return self._run(step, contexts[0], state.groups[0])
        pairs = zip(contexts, state.groups, strict=True)
        results = tuple(self._run(step, context, group, side_by_side=True) for context, group in pairs)
        words = " compared with ".join(result.group.words for result in results)
        whole = Group(words, sum(result.group.rows for result in results), self.groups.total)
        return Versus(surface(step), whole, results, _shared(contexts))

    def _contexts(self, state: _State, memory: Memory) -> list[Context]:
        """What the operations see of each group; kept, with the predictions in it, while the groups stay the same."""
        if not state.contexts:
            pairs = zip(state.groups, state.each_threshold, strict=True)
            state.contexts = [self.context(group, memory, threshold) for group, threshold in pairs]
        return state.contexts

    def context(self, group: RowGroup, memory: Memory | None = None, threshold: float | None = None) -> Context:
        """What an operation sees of one group."""
        rows, summary = self.groups.rows(group), self.groups.summary(group)
        return Context(self.subject, self.explainer, rows, summary, memory or Memory(), threshold, self.seed)

    def _run(self, step: Operation, context: Context, group: RowGroup, side_by_side: bool = False) -> Result:
        if isinstance(step, PreviousOperation):
            reason = "There is no earlier question in this conversation to ask again."
            return Refused(surface(step), context.group, reason)
        if group.empty and not isinstance(step, (*WITHOUT_ROWS, CountData)):
            return Empty(surface(step), context.group, group.empty)
        try:
            result = with_note(OPERATIONS[type(step)](step, context), step, self.subject, side_by_side)
            return with_decisions_note(result, step, self.subject)
        except (ExecutionError, ModelError) as error:
            return Refused(surface(step), context.group, error.message)

    def _remember(self, state: _State, memory: Memory) -> Memory:
        remembered = tuple(group.remembered for group in state.groups)
        kept = FilterMemory(remembered) if state.has_filter else memory.filter
        asked = tuple(op for op in state.operations if not isinstance(op, PreviousOperation | FollowUp | NameRows))
        about = remembered if any(group.narrowed or group.changes or group.instance for group in state.groups) else ()
        others = [one.other for one in state.results if isinstance(one, (ModelsSideBySide, RowUnderModels))]
        other = (others or [memory.other_model])[-1]
        return Memory(kept, asked or memory.operations, tuple(state.results), about, other)


def _shared(contexts: list[Context]) -> int:
    """How many rows of the data set are in more than one of the groups."""
    positions = [context.rows.positions for context in contexts if not context.rows.is_made_up]
    return int((np.unique(np.concatenate(positions), return_counts=True)[1] > 1).sum()) if positions else 0


def _surface(step: Step) -> str:
    return str(Parse((step,))).removesuffix(" [e]")
