"""From a predicted row of sub-logical forms to the gold one: insert, replace, delete, keep (section 3.1, appendix A.1).

`apply(diff(predicted, gold), predicted) == gold` for any two rows, of steps or of their texts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from backend.errors import LogicalFormError
from inspired.decomposition.steps import Step

Part = TypeVar("Part")
Kind = Literal["keep", "insert", "replace", "delete"]
KINDS: tuple[Kind, ...] = ("keep", "insert", "replace", "delete")

# Below the cost of any operation: likeness only decides between alignments that need equally many.
_NUDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Operation(Generic[Part]):
    """`old` is what stands in the predicted row (None for insert), `new` what stands in the gold row (None for delete)."""

    kind: Kind
    old: Part | None = None
    new: Part | None = None


def diff(
    predicted: Sequence[Part], gold: Sequence[Part], likeness: Callable[[Part, Part], float] | None = None
) -> tuple[Operation[Part], ...]:
    """The shortest row of operations that turns `predicted` into `gold`.

    `likeness`, from 0 to 1, says which of several equally short rows is the natural one: it pairs what is alike. By
    default steps are alike by their predicates and texts by their words.
    """
    alike = likeness or _likeness
    costs = _costs(predicted, gold, alike)
    here, there = len(predicted), len(gold)
    operations: list[Operation[Part]] = []
    while here or there:
        cost = costs[here][there]
        if here and there and cost == costs[here - 1][there - 1] + _pair_cost(predicted[here - 1], gold[there - 1], alike):
            here, there = here - 1, there - 1
            kind: Kind = "keep" if predicted[here] == gold[there] else "replace"
            operations.append(Operation(kind, predicted[here], gold[there]))
        elif there and cost == costs[here][there - 1] + 1:
            there -= 1
            operations.append(Operation("insert", None, gold[there]))
        else:
            here -= 1
            operations.append(Operation("delete", predicted[here], None))
    return tuple(reversed(operations))


def apply(operations: Sequence[Operation[Part]], predicted: Sequence[Part]) -> tuple[Part, ...]:
    """`predicted` after the operations. Raises LogicalFormError if they were made for another row."""
    rest = list(predicted)
    made: list[Part] = []
    for number, operation in enumerate(operations, 1):
        if operation.kind != "insert":
            if not rest or rest[0] != operation.old:
                raise LogicalFormError(f"Correction {number} ({operation.kind}) does not fit: the steps are other ones.")
            rest.pop(0)
        if operation.kind == "delete":
            continue
        new = operation.old if operation.kind == "keep" else operation.new
        if new is None:
            raise LogicalFormError(f"Correction {number} ({operation.kind}) says nothing to put in.")
        made.append(new)
    if rest:
        raise LogicalFormError(f"The corrections end before the steps do; {len(rest)} are left.")
    return tuple(made)


def _costs(predicted: Sequence[Part], gold: Sequence[Part], alike: Callable[[Part, Part], float]) -> list[list[float]]:
    """The cost of turning each beginning of `predicted` into each beginning of `gold` (Wagner and Fischer)."""
    table = [[float(there) for there in range(len(gold) + 1)]]
    for here, old in enumerate(predicted, 1):
        row = [float(here)]
        for there, new in enumerate(gold, 1):
            pair = table[here - 1][there - 1] + _pair_cost(old, new, alike)
            row.append(min(pair, table[here - 1][there] + 1, row[there - 1] + 1))
        table.append(row)
    return table


def _pair_cost(old: Part, new: Part, alike: Callable[[Part, Part], float]) -> float:
    return 0.0 if old == new else 1 + _NUDGE * (1 - alike(old, new))


def _likeness(old: object, new: object) -> float:
    one, other = _marks(old), _marks(new)
    return len(one & other) / len(one | other) if one | other else 0.0


def _marks(part: object) -> frozenset[str]:
    if isinstance(part, Step):
        return frozenset(part.predicates) | ({"order"} if part.order else frozenset())
    return frozenset(str(part).split())
