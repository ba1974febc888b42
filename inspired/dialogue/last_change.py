"""What the last correction changed: which steps stayed, came, went or became another, and the answer before and after."""

from dataclasses import dataclass

from inspired.decomposition.correction_operations import Kind, diff
from inspired.decomposition.steps import Step
from inspired.dialogue.dialogue import Dialogue, ShownAnswer
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import LogicalForm, Variable


@dataclass(frozen=True)
class ChangedStep:
    """`number` counts the steps as they are now, None for one that is gone; `before` is what stood there, in words."""

    kind: Kind
    number: int | None
    question: str
    before: str = ""


@dataclass(frozen=True)
class LastChange:
    steps: tuple[ChangedStep, ...]
    before: ShownAnswer | None
    after: ShownAnswer | None

    def kind_of(self, number: int) -> Kind | None:
        return next((each.kind for each in self.steps if each.number == number), None)


def last_change(dialogue: Dialogue) -> LastChange | None:
    """None before the first correction, and after all of them were taken back."""
    earlier = dialogue.before
    if earlier is None:
        return None
    old, new = earlier.in_words().questions, dialogue.in_words().questions
    places = _as_they_were(earlier, dialogue, old, new)
    # Steps go by the number that they had; a new one gets a number that none had.
    operations = diff(range(len(old)), places, lambda one, other: _alike(one, other, earlier, dialogue, places))
    steps, number = [], 0
    for each in operations:
        before = old[each.old] if each.old is not None else ""
        if each.kind == "delete":
            steps.append(ChangedStep("delete", None, before))
            continue
        number += 1
        steps.append(ChangedStep(each.kind, number, new[number - 1], before if each.kind == "replace" else ""))
    return LastChange(
        tuple(steps), earlier.answers.final if earlier.answers else None, dialogue.answers.final if dialogue.answers else None
    )


def _as_they_were(earlier: Dialogue, now: Dialogue, old: tuple[str, ...], new: tuple[str, ...]) -> list[int]:
    """For each step now, its place among the earlier ones, or a number beyond them.

    A step is the same if it is equal, or says the same with other names of variables: a correction can move these.
    """
    free = dict(enumerate(earlier.current.steps))
    places = []
    for number, step in enumerate(now.current.steps):
        equal = [index for index, other in free.items() if other == step]
        same_meaning = [index for index in free if old[index] == new[number] and _meaning(free[index]) == _meaning(step)]
        same = next(iter([*equal, *same_meaning]), None)
        if same is not None:
            del free[same]
        places.append(len(old) + number if same is None else same)
    return places


def _meaning(step: Step) -> str:
    return canonical(LogicalForm(Variable(""), step.patterns, step.order, returns=step.returns))


def _alike(one: int, other: int, earlier: Dialogue, now: Dialogue, places: list[int]) -> float:
    old, new = set(earlier.current.steps[one].predicates), set(now.current.steps[places.index(other)].predicates)
    return len(old & new) / len(old | new) if old | new else 1.0
