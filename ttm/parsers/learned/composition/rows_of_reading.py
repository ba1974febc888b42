"""Which rows a reading is about: its conditions, ids and groups put together with what the conversation is about."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from ttm.language.parse import (
    CategoricalCondition,
    Change,
    Condition,
    Expression,
    IdCondition,
    Instance,
    LabelCondition,
    MissingCondition,
    NumericCondition,
    PredictionCondition,
    PreviousFilter,
    ProbabilityCondition,
    Selection,
    Step,
)
from ttm.language.row_state import RowState

MOST_ALTERNATIVES = 16

Alternatives = list[tuple[Condition, ...]]  # any of these conjunctions


@dataclass
class RowParts:
    """What the spans of a message say about rows. `factors` must all hold; `groups` stand side by side."""

    factors: list[Alternatives] = field(default_factory=list)
    groups: list[Alternatives] = field(default_factory=list)
    case: dict[str, float | str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    @property
    def subjects(self) -> set[str]:
        """What the message itself says something about: columns, and the outcomes."""
        named = {subject_of(one) for part in (*self.factors, *self.groups) for conjunction in part for one in conjunction}
        return named | set(self.case) | {change.feature for change in self.changes}

    def take_beside(self, earlier: list[Alternatives]) -> None:
        """The one group as a further one beside earlier groups of its subject, or as a condition on all of them."""
        own = subjects_of(self.groups[0])
        theirs = {subject for group in earlier for subject in subjects_of(group)}
        if own <= theirs:
            self.groups = [*earlier, *self.groups]
        else:
            self.factors += self.groups
            self.groups = []

    def set_apart(self) -> None:
        """Where groups differ in one column, what is said of another holds for each: `Brazil against Argentina, under 24`."""
        subjects = [subjects_of(group) for group in self.groups]
        counts = Counter(subject for own in subjects for subject in own)
        if len(self.groups) < 3 or not counts:
            return
        shared, times = counts.most_common(1)[0]
        if 1 < times < len(self.groups):
            self.factors += [group for group, own in zip(self.groups, subjects, strict=True) if shared not in own]
            self.groups = [group for group, own in zip(self.groups, subjects, strict=True) if shared in own]

    def is_empty(self) -> bool:
        return not (self.factors or self.groups or self.case or self.changes)


def subject_of(condition: Condition) -> str:
    """What a condition is about: two of one subject exclude or replace each other."""
    match condition:
        case NumericCondition(feature=name) | CategoricalCondition(feature=name) | MissingCondition(feature=name):
            return name
        case IdCondition():
            return "id"
        case LabelCondition():
            return "label"
        case PredictionCondition():
            return "prediction"
        case ProbabilityCondition():
            return "probability"
        case PreviousFilter():
            return "previous"


def subjects_of(alternatives: Alternatives) -> set[str]:
    return {subject_of(one) for part in alternatives for one in part}


def merged(factors: Iterable[Alternatives]) -> list[Alternatives]:
    """Two values of one column, two classes or two ids are alternatives: no row has both."""
    kept: list[Alternatives] = []
    for factor in factors:
        key = _single(factor)
        partner = next((one for one in kept if key is not None and _single(one) == key), None)
        if partner is None:
            kept.append(list(factor))
        elif len(partner) > 1 and len(factor) > 1 and (common := [one for one in partner if one in factor]):
            partner[:] = common  # neither this class nor that one
        else:
            partner += [one for one in factor if one not in partner]
    return kept


def _single(factor: Alternatives) -> str | None:
    """The subject of alternatives that each name one value of it."""
    subjects = set()
    for conjunction in factor:
        exact = [one for one in conjunction if isinstance(one, CategoricalCondition) and not one.negated]
        exact_outcome = [
            one for one in conjunction if isinstance(one, LabelCondition | PredictionCondition) and one.comparator is None
        ]
        ids = [one for one in conjunction if isinstance(one, IdCondition)]
        if len(conjunction) != 1 or not (exact or exact_outcome or ids):
            return None
        subjects.add(subject_of(conjunction[0]))
    return subjects.pop() if len(subjects) == 1 else None


def steps_of(parts: RowParts, state: RowState | None, refers: bool, keeps: bool) -> list[Step]:
    """The steps that pick, make up and change the rows. `refers`: to the rows of before; `keeps`: some of their conditions.

    A parse stands alone, so what a follow-up keeps is written out, unless all of it is kept (`previousfilter`). What the
    message says about a column takes the place of what was said of it before: `and for women?` drops `men`.
    """
    if state is None or not (refers or keeps):
        return _assembled(parts, [], None, [])
    replaced = parts.subjects
    clash = replaced & ({subject_of(one) for one in state.conditions} | _case_names(state))
    if refers and not (keeps and clash) and not (parts.case and state.instance is not None):
        return _assembled(parts, [[(PreviousFilter(),)]], None, [])
    beside = [] if parts.groups else [_without(group, replaced) for group in earlier_groups(state)]
    if _stand_apart(beside):
        parts.groups = beside
    kept = [factor for factor in _factors(state) if not {subject_of(one) for part in factor for one in part} & replaced]
    instance = state.instance
    changes = [change for change in state.changes if change.feature not in replaced]
    return _assembled(parts, kept, instance, changes)


def earlier_groups(state: RowState | None) -> list[Alternatives]:
    """The groups that stood side by side before, none where there was one."""
    return [[*group] for group in state.groups] if state is not None and len(state.groups) > 1 else []


def _without(group: Alternatives, replaced: set[str]) -> Alternatives:
    """A group without the conditions that a message replaces."""
    parts = [tuple(one for one in part if subject_of(one) not in replaced) for part in group]
    return [part for part in parts if part]


def _stand_apart(groups: list[Alternatives]) -> bool:
    """Whether several groups are left, each with conditions, and no two alike."""
    return len(groups) > 1 and all(groups) and not any(one in groups[:at] for at, one in enumerate(groups))


def _case_names(state: RowState) -> set[str]:
    return {name for name, _ in state.instance.values} if state.instance is not None else set()


def _factors(state: RowState) -> list[Alternatives]:
    """The rows of before as conditions that must all hold; alternatives that share conditions are taken apart."""
    if len(state.groups) != 1:
        return []
    alternatives = [list(part) for part in state.groups[0]]
    shared = [one for one in alternatives[0] if all(one in part for part in alternatives)] if alternatives else []
    rest = [tuple(one for one in part if one not in shared) for part in alternatives]
    factors: list[Alternatives] = [[(one,)] for one in shared]
    return factors + ([rest] if len(rest) > 1 and all(rest) else [])


def _assembled(parts: RowParts, kept: list[Alternatives], instance: Instance | None, changes: list[Change]) -> list[Step]:
    base = [*kept, *merged(parts.factors)]
    if parts.groups:
        groups = tuple(expression([*base, group]) for group in parts.groups)
    else:
        groups = (expression(base),) if base else ()
    steps: list[Step] = [Selection(groups)] if groups else []
    case = dict(instance.values) if instance is not None else {}
    case |= parts.case
    if case:
        steps.append(Instance(tuple(case.items())))
    return [*steps, *changes, *parts.changes]


def expression(factors: Sequence[Alternatives]) -> Expression:
    """Factors multiplied out into alternatives of conjunctions, as the language has no brackets."""
    clauses = []
    for combination in product(*factors):
        conjunction = tuple(dict.fromkeys(one for part in combination for one in part))
        clauses.append(conjunction)
        if len(clauses) == MOST_ALTERNATIVES:
            break
    return tuple(clauses)
