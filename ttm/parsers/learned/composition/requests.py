"""What a reading asks for: operations with their arguments."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ttm.language.parse import (
    METRICS,
    AboutSystem,
    Capabilities,
    Comparator,
    Compare,
    Correlate,
    CountData,
    Counterfactual,
    DataSummary,
    Define,
    Distribution,
    Effect,
    Explain,
    FollowUp,
    Important,
    Interact,
    Label,
    Likelihood,
    Method,
    Mistake,
    ModelDescription,
    Operation,
    Predict,
    PreviousOperation,
    Ranked,
    Score,
    Show,
    Similar,
    Statistic,
    Threshold,
)
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind
from ttm.tabular.data.schema import FeatureKind, Schema

SHOWN = 5  # rows where a message says no count
FEATURES = 3  # features where it says none


@dataclass(frozen=True)
class Arguments:
    """What the spans of a message offer to the operations, in its order. `earlier`: arguments of the turn before, which an
    elliptical message takes up."""

    items: tuple[SchemaItem, ...] = ()
    classes: tuple[int, ...] = ()
    wanted: tuple[Comparator, float] | None = None  # an amount of the target that should be reached
    counts: tuple[int, ...] = ()
    share: float | None = None
    earlier: tuple[SchemaItem, ...] = ()
    earlier_counts: tuple[int, ...] = ()
    rows_shown: int = SHOWN  # where a message says no count

    def columns(self, *kinds: SchemaItemKind) -> list[SchemaItem]:
        """Items of these kinds; those of the turn before if the message names none."""
        own = [item for item in self.items if item.kind in kinds]
        return own or [item for item in self.earlier if item.kind in kinds]

    @property
    def count(self) -> int | None:
        return self.counts[0] if self.counts else None

    @property
    def row_count(self) -> int:
        """How many rows are wanted: as said, as in the turn before, or what the wording suggests."""
        return next(iter((*self.counts, *self.earlier_counts)), self.rows_shown)


Made = list[Operation] | str  # operations, or a question to the person


def make_operation(name: str, arguments: Arguments, schema: Schema, side_by_side: bool = False) -> Made:
    """The operations that one ingredient stands for; several, where it takes one column and more are named.

    Groups that stand `side_by_side` are compared in the quantities that are named, or in their outcomes.
    """
    first, _, rest = name.partition(" ")
    if name == "compare" and side_by_side:
        quantities = dict.fromkeys(_token(item) for item in arguments.items if item.is_quantity)
        return [Statistic(token) for token in quantities if token != "target"] or [Label()]
    if name in _PLAIN:
        return [_PLAIN[name]()]
    if first == "explain":
        return [Explain(Method(rest))]
    if first == "mistake":
        return [Mistake(rest)]
    if first == "score":
        return [_score(rest, schema)]
    return _WITH_ARGUMENTS[name](arguments, schema)


def _score(metric: str, schema: Schema) -> Operation:
    """A metric that fits the kind of target; `accuracy` of a quantity is its usual measure."""
    of_quantities = metric in ("mae", "rmse", "r2")
    if metric != "default" and of_quantities == schema.target.is_classification:
        return Score("default")
    return Score(metric)


_PLAIN: dict[str, Callable[[], Operation]] = {
    "predict": Predict, "likelihood": Likelihood, "show": Show, "label": Label, "count": CountData, "data": DataSummary,
    "model": ModelDescription, "function": Capabilities, "self": AboutSystem, "previous operation": PreviousOperation,
    "follow up": FollowUp, "important all": Important,
}  # fmt: skip


def _token(item: SchemaItem) -> str:
    if item.feature is not None:
        return item.feature.token
    return "target" if item.kind is SchemaItemKind.CLASS else str(item.kind)


def _each(make: Callable[[str], Operation], *kinds: SchemaItemKind, asks: str) -> Callable[[Arguments, Schema], Made]:
    def operations(arguments: Arguments, schema: Schema) -> Made:
        names = dict.fromkeys(_token(item) for item in arguments.columns(*kinds))
        return [make(name) for name in names] or asks

    return operations


_COLUMN, _VALUE, _TARGET, _CHANCE = (
    SchemaItemKind.COLUMN,
    SchemaItemKind.VALUE,
    SchemaItemKind.TARGET,
    SchemaItemKind.PROBABILITY,
)


def _interact(arguments: Arguments, schema: Schema) -> Made:
    names = list(dict.fromkeys(_token(item) for item in arguments.columns(_COLUMN, _VALUE)))
    return [Interact((names[0], names[1]) if len(names) >= 2 else None)]


def _correlate(arguments: Arguments, schema: Schema) -> Made:
    names = list(dict.fromkeys(_token(item) for item in arguments.columns(_COLUMN, _VALUE)))
    targets = any(item.kind in (_TARGET, SchemaItemKind.CLASS) for item in arguments.items) or bool(arguments.classes)
    if not names:
        return "Which two columns should be compared?"
    if len(names) >= 2:
        pairs = [(names[0], name) for name in names[1:]]
        return [Correlate(one, other) for one, other in pairs]
    return [Correlate(names[0], "target" if targets else None)]


def _top(least: bool) -> Callable[[Arguments, Schema], Made]:
    return lambda arguments, schema: [Important(None, arguments.count or FEATURES, least)]


def _ranked(lowest: bool) -> Callable[[Arguments, Schema], Made]:
    def operations(arguments: Arguments, schema: Schema) -> Made:
        items = arguments.items or (
            arguments.earlier if arguments.earlier_counts else ()
        )  # `five of them` are ranked as before
        own = [item for item in items if item.kind is _COLUMN and item.is_quantity]
        by = _token(own[0]) if own else "probability"
        down = lowest
        if by == "probability" and len(schema.target.classes) == 2 and arguments.classes[:1] == (0,):
            down = not lowest  # the surest of the first class are the least sure of the last
        return [Ranked(arguments.row_count, by, down)]

    return operations


def _counterfactual(arguments: Arguments, schema: Schema) -> Made:
    if schema.target.is_classification:
        wanted = arguments.classes[0] if arguments.classes else None
        return [Counterfactual(arguments.count, wanted)]
    if arguments.wanted is not None:
        return [Counterfactual(arguments.count, None, *arguments.wanted)]
    return [Counterfactual(arguments.count)]


def _threshold(arguments: Arguments, schema: Schema) -> Made:
    return [Threshold(arguments.share)]


_WITH_ARGUMENTS: dict[str, Callable[[Arguments, Schema], Made]] = {
    "statistic": _each(Statistic, _COLUMN, _TARGET, asks="Of which column?"),
    "define": _each(Define, _COLUMN, _VALUE, _TARGET, SchemaItemKind.CLASS, asks="Which column should be explained?"),
    "compare": _each(Compare, _COLUMN, _VALUE, asks="The groups of which column should be compared?"),
    "distribution": _each(Distribution, _COLUMN, _VALUE, _TARGET, _CHANCE, asks="The distribution of which column?"),
    "effect": _each(Effect, _COLUMN, _VALUE, asks="The effect of which column?"),
    "important one": _each(Important, _COLUMN, _VALUE, asks="The importance of which column?"),
    "correlate": _correlate, "interact": _interact, "important top": _top(False), "important bottom": _top(True),
    "highest": _ranked(False), "lowest": _ranked(True), "counterfactual": _counterfactual, "threshold": _threshold,
    "similar": lambda arguments, schema: [Similar(arguments.count or SHOWN)],
}  # fmt: skip


def items_of_operations(operations: Sequence[Operation], items: Sequence[SchemaItem]) -> tuple[SchemaItem, ...]:
    """The schema items that earlier operations were about, so that `and for men?` keeps the column."""
    names = [name for one in operations for name in _named(one)]
    by_name = {_token(item): item for item in reversed(items) if item.kind in (_COLUMN, _TARGET, _CHANCE)}
    return tuple(by_name[name] for name in names if name in by_name)


def _named(operation: Operation) -> list[str]:
    values = [getattr(operation, name, None) for name in ("feature", "by", "other")]
    pair = getattr(operation, "features", None) or ()
    return [value for value in (*values, *pair) if isinstance(value, str)]


__all__ = ["METRICS", "Arguments", "FeatureKind", "items_of_operations", "make_operation"]
