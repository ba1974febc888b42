"""Readings that repeat the last turn with one part changed: `10, sorry`, `and at 0.7?`, `no, for women`, `without the last`.

Every number, class, value and column of the last parse is a slot; what a message names is put into each slot that it fits, and
what decides between readings says how probable each result is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ttm.language.contrary import contrary
from ttm.language.parse import (
    CategoricalCondition,
    Change,
    Compare,
    Condition,
    Correlate,
    Counterfactual,
    Define,
    Distribution,
    Effect,
    Fairness,
    IdCondition,
    Important,
    Instance,
    Interact,
    LabelCondition,
    NumericCondition,
    Parse,
    PredictionCondition,
    PreviousOperation,
    ProbabilityCondition,
    Ranked,
    Selection,
    Similar,
    Statistic,
    Step,
    Threshold,
)
from ttm.language.row_state import ALL_ROWS
from ttm.parsers.learned.decisions.span_decisions import Decisions
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Schema

LONGEST = 14  # tokens of a message that may only change one part
MOST = 14
SURE = -2.5  # log-probability from which what a span may mean is put into a slot
REPLACED = frozenset({"not", "instead", "than"})  # a number after one of these is the one to be replaced
DROPS = frozenset("without forget drop remove ignore regardless except back undo minus no all everyone overall".split())
ENDS = frozenset("most least top bottom best worst max min maximum minimum other opposite".split())
OTHERS = frozenset("rest others other without not outside complement opposite remaining neither contrary un non".split())

Node = Condition | Step


@dataclass(frozen=True)
class _Draft:
    """The last parse with nothing left to refer back to: conditions by group and alternative, then the other steps."""

    groups: tuple[tuple[tuple[Condition, ...], ...], ...]
    steps: tuple[Step, ...]

    def parse(self) -> Parse | None:
        groups = tuple(tuple(part for part in group if part) for group in self.groups)
        groups = tuple(group for group in groups if group)
        steps: list[Step] = [Selection(groups)] if groups else []
        steps += self.steps
        return Parse(tuple(steps)) if steps else None

    def edited(self, edit: Callable[[Node], Node | None]) -> Iterator["_Draft"]:
        """The draft with the edit made at one node after the other, wherever it applies."""
        for at_group, group in enumerate(self.groups):
            for at_part, part in enumerate(group):
                for at, condition in enumerate(part):
                    result = edit(condition)
                    if result is not None and result != condition:
                        own = (*part[:at], result, *part[at + 1 :])
                        parts = (*group[:at_part], own, *group[at_part + 1 :])
                        yield replace(self, groups=(*self.groups[:at_group], parts, *self.groups[at_group + 1 :]))  # type: ignore[arg-type]
        for at, step in enumerate(self.steps):
            result = edit(step)
            if result is not None and result != step:
                yield replace(self, steps=(*self.steps[:at], result, *self.steps[at + 1 :]))  # type: ignore[arg-type]


def edits_of(decisions: Decisions, schema: Schema, context: DialogueContext) -> list[Parse]:
    """The last parse with one part changed by what a message names, in the order of the message; none for a long message."""
    draft = _draft(context)
    if draft is None or len(decisions.tokens) > LONGEST:
        return []
    made = [*_by_number(decisions, draft), *_by_item(decisions, draft), *_by_word(decisions, draft, schema)]
    parses = [parse for one in made for parse in [one.parse()] if parse is not None]
    return list(dict.fromkeys(parses))[:MOST]


def with_numbers(parse: Parse, numbers: Sequence[UtteranceToken]) -> Parse | None:
    """A parse that has one slot for a number, with the one number that was named in it; None where that is not so."""
    groups = tuple(group for step in parse.steps if isinstance(step, Selection) for group in step.groups)
    draft = _Draft(groups, tuple(step for step in parse.steps if not isinstance(step, Selection)))
    if len(numbers) != 1:
        return None
    made = list(draft.edited(lambda node: _with_number(node, numbers[0])))
    return made[0].parse() if len(made) == 1 else None


def _draft(context: DialogueContext) -> _Draft | None:
    parse, state = context.parse, context.rows
    if parse is None:
        return None
    named = any(isinstance(step, Selection | Instance | Change) for step in parse.steps)
    asks = [step for step in parse.steps if not isinstance(step, Selection | Instance | Change)]
    groups = state.groups if named and state is not None and state.groups != ALL_ROWS else ()
    steps: list[Step] = []
    if named and state is not None:
        steps += [state.instance] if state.instance is not None else []
        steps += state.changes
    for one in asks:
        steps += context.operations if isinstance(one, PreviousOperation) else [one]
    return _Draft(groups, tuple(steps))


def _by_number(decisions: Decisions, draft: _Draft) -> Iterator[_Draft]:
    numbers = [(at, token) for at, token in enumerate(decisions.tokens) if token.kind is TokenKind.NUMBER]
    wanted = [token for at, token in numbers if not _is_replaced(decisions.tokens, at)]
    for token in wanted if len(wanted) <= 2 else ():
        yield from draft.edited(lambda node, token=token: _with_number(node, token))  # type: ignore[misc]


def _is_replaced(tokens: Sequence[UtteranceToken], at: int) -> bool:
    before = {token.text for token in tokens[max(at - 2, 0) : at]}
    return bool(before & REPLACED)


def _with_number(node: Node, token: UtteranceToken) -> Node | None:
    value, whole = token.value, token.value.is_integer() and 0 < token.value <= 1000
    share = value / 100 if token.form == "percent" or value > 1 else value
    match node:
        case NumericCondition(value=old) if not isinstance(old, str):
            return replace(node, value=value)
        case LabelCondition() | PredictionCondition() if node.comparator is not None:
            return replace(node, value=value)
        case ProbabilityCondition():
            return replace(node, value=share)
        case IdCondition():
            return IdCondition(token.text)
        case Change(kind=kind, value=old) if kind is not None and not isinstance(old, str):
            return replace(node, value=value, percent=node.percent or (token.form == "percent" and kind.value != "set"))
        case Counterfactual() | Ranked() | Similar() if whole:
            return replace(node, count=int(value))
        case Important(feature=None) if whole:
            return replace(node, count=int(value))
        case Threshold():
            return Threshold(share)
        case Instance(values=values):
            amounts = [name for name, old in values if not isinstance(old, str)]
            return _with_part(node, amounts[0], value) if len(amounts) == 1 else None
    return None


def _with_part(node: Instance, name: str, value: float | str) -> Instance:
    return Instance(tuple((own, value if own == name else old) for own, old in node.values))


def _by_item(decisions: Decisions, draft: _Draft) -> Iterator[_Draft]:
    for span in decisions.spans:
        for item, score in span.links[:2]:
            if item is not None and score > SURE:
                numbers = [token.value for token in span.numbers if token.kind is TokenKind.NUMBER]
                yield from draft.edited(lambda node, item=item, numbers=numbers: _with_item(node, item, numbers))  # type: ignore[misc]


def _with_item(node: Node, item: SchemaItem, numbers: list[float]) -> Node | None:
    if item.kind is SchemaItemKind.CLASS and item.class_number is not None:
        return _with_class(node, item.class_number)
    if item.feature is None:
        return _with_column(node, "target") if item.kind is SchemaItemKind.TARGET else None
    name = item.feature.token
    if item.kind is SchemaItemKind.VALUE:
        match node:
            case CategoricalCondition(feature=own) if own == name:
                return CategoricalCondition(name, item.value)
            case Change(feature=own, kind=None) if own == name:
                return replace(node, value=item.value)
            case Instance(values=values) if any(own == name for own, _ in values):
                return _with_part(node, name, item.value)
    if item.kind is SchemaItemKind.COLUMN:
        match node:
            case Change(kind=kind) if kind is not None and item.is_quantity and not numbers:
                return replace(node, feature=name)
            case Instance(values=values) if numbers and any(own == name for own, _ in values):
                return _with_part(node, name, numbers[-1])
        return _with_column(node, name)
    return None


def _with_class(node: Node, number: int) -> Node | None:
    match node:
        case LabelCondition(comparator=None) | PredictionCondition(comparator=None):
            return replace(node, value=number)
        case ProbabilityCondition() | Counterfactual(comparator=None):
            return replace(node, class_number=number)
    return None


def _with_column(node: Node, name: str) -> Node | None:
    if isinstance(node, Interact):
        return Interact((node.features[0], name)) if node.features is not None and name not in node.features else None
    if isinstance(node, Ranked):
        return replace(node, by=name) if name != "target" else None
    match node:
        case Statistic() | Define() | Compare() | Fairness() | Correlate() | Distribution() | Effect():
            return replace(node, feature=name)
        case Important(feature=str()):
            return Important(name)
    return None


def _by_word(decisions: Decisions, draft: _Draft, schema: Schema) -> Iterator[_Draft]:
    words = {token.text for token in decisions.tokens}
    changes = [step for step in draft.steps if isinstance(step, Change)]
    if words & DROPS:
        for dropped in reversed(changes):
            yield replace(draft, steps=tuple(step for step in draft.steps if step is not dropped))
        if len(changes) > 1:
            yield replace(draft, steps=tuple(step for step in draft.steps if not isinstance(step, Change)))
    if any(word in ENDS or (len(word) > 4 and word.endswith("est")) for word in words):
        yield from draft.edited(_other_end)
    if words & OTHERS and len(draft.groups) == 1 and len(draft.groups[0]) == 1:
        yield from _contrary(draft, schema)


def _other_end(node: Node) -> Node | None:
    match node:
        case Ranked(lowest=lowest):
            return replace(node, lowest=not lowest)
        case Important(feature=None, count=int(), least=least):
            return replace(node, least=not least)
    return None


def _contrary(draft: _Draft, schema: Schema) -> Iterator[_Draft]:
    """`and for the rest?`: the last condition turned round, in place of the group or beside it."""
    part = draft.groups[0][0]
    other = contrary(part[-1], schema) if part else None
    if other is not None:
        turned = ((*part[:-1], other),)
        yield replace(draft, groups=(turned,))
        yield replace(draft, groups=(draft.groups[0], turned))
