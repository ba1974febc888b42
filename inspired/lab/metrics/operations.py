"""Which corrections turn predicted steps into gold ones, by question type (section 4.1, Table 2)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from inspired.decomposition.correction_operations import KINDS, Kind, diff
from inspired.lab.metrics.dialogues import TYPES, MeasuredDialogue


@dataclass(frozen=True)
class OperationCounts:
    """`by_type[type][kind]` counts operations; keep is the paper's "No Action".

    `in_a_dialogue[n]` counts dialogues with n operations other than keep; `left_out` those that lack forms to compare.
    """

    by_type: dict[str, dict[Kind, int]]
    in_a_dialogue: dict[int, int]
    left_out: int

    @property
    def totals(self) -> dict[Kind, int]:
        return {kind: sum(counts[kind] for counts in self.by_type.values()) for kind in KINDS}

    @property
    def shares(self) -> dict[Kind, float]:
        """The share of each kind in all operations, from 0 to 1; empty if there are none."""
        whole = sum(self.totals.values())
        return {kind: count / whole for kind, count in self.totals.items()} if whole else {}

    @property
    def mean_in_a_dialogue(self) -> float | None:
        dialogues = sum(self.in_a_dialogue.values())
        return sum(number * count for number, count in self.in_a_dialogue.items()) / dialogues if dialogues else None


def count_operations(dialogues: Iterable[MeasuredDialogue]) -> OperationCounts:
    """The operations of all dialogues; sub-logical forms are compared as texts, whatever their spacing."""
    kinds: dict[str, Counter[Kind]] = {type_: Counter() for type_ in TYPES}
    sizes: Counter[int] = Counter()
    left_out = 0
    for dialogue in dialogues:
        if not dialogue.gold_forms or dialogue.predicted_forms is None:
            left_out += 1
            continue
        operations = [each.kind for each in diff(dialogue.predicted_forms, dialogue.gold_forms)]
        kinds[dialogue.type].update(operations)
        sizes[sum(kind != "keep" for kind in operations)] += 1
    seen = {type_: {kind: counts[kind] for kind in KINDS} for type_, counts in kinds.items() if counts}
    return OperationCounts(seen, dict(sorted(sizes.items())), left_out)
