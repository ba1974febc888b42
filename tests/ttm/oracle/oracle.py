"""A second, small interpreter of the parse language: it splits the text and answers with pandas and scikit-learn.

It shares no code with the application. The meaning is that of the published language: a run of filters is one boolean
expression in which `and` binds tighter than `or`; whatever is not a filter closes it; later runs narrow the rows (`and`) or
add to them (`or`); filters see the unchanged data; changes alter the rows selected before them; operations are answered
in order on the same rows; `previousfilter` stands for the filters and changes of the last turn that had any,
`previousoperation` for the operations of the last turn.

It does not say in which words something is refused, nor what an explanation is: see the property tests for these.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from .world import World

FILTERS = ("filter", "labelfilter", "predictionfilter", "probabilityfilter", "previousfilter")
ABOUT_NO_ROWS = ("data", "model", "function", "self", "define", "previousoperation", "followup")
COMPARATORS: dict[str, Callable[[Any, Any], Any]] = {
    "greater than": operator.gt, "less than": operator.lt, "greater equal than": operator.ge,
    "less equal than": operator.le, "equal to": operator.eq, "not equal to": operator.ne,
}  # fmt: skip
COMPARED = re.compile(r"(\S+) (greater than|less than|greater equal than|less equal than|equal to|not equal to) (\S+)")


class Impossible(Exception):
    """A filter or threshold that cannot be carried out, so that nothing after it has a meaning."""


@dataclass(frozen=True)
class Rows:
    """Rows that are left: `mask` (n,) over `table` (n, d), which was `original` before anything was changed in it.

    A row that is not in the data is `made_up` and alone in its tables.
    """

    mask: np.ndarray
    table: pd.DataFrame
    original: pd.DataFrame
    changed: bool = False
    made_up: bool = False


@dataclass(frozen=True)
class Asked:
    """An operation and the groups of rows that it is to be answered for; `threshold` is in force for two classes."""

    words: str
    groups: tuple[Rows, ...]
    threshold: float | None


@dataclass
class Conversation:
    """What is asked, turn by turn. `ask` raises nothing: what follows an impossible step is left out."""

    world: World
    remembered: list[Rows] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)

    def ask(self, text: str) -> tuple[list[Asked], bool]:
        """The operations of a turn with their rows, and whether it ran into something impossible after them."""
        turn = _Turn(self.world, self.remembered, [_unchanged(self.world.frame)])
        items = self._expanded(_items(text))
        asked, impossible = [], False
        for number, (joiner, words) in enumerate(items):
            more = any(_is_question(later) and later != "threshold" for _, later in items[number + 1 :])
            try:
                if turn.run and not _is_filter(words):
                    turn.close_run()
                if _is_filter(words):
                    turn.run.append((joiner, words))
                elif _is_question(words) or (turn.set(words, bool(asked)) and not more):
                    asked.append(Asked(words, tuple(turn.groups), turn.threshold))
            except Impossible:
                impossible = True
                break
        self._remember(turn, items)
        return asked, impossible

    def _expanded(self, items: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """With the last turn's operations in place of `previousoperation`, and a question where there is none."""
        expanded = []
        for joiner, words in items:
            replaced = self.operations if words == "previousoperation" and self.operations else [words]
            expanded += [(joiner, word) for word in replaced]
        if not any(_is_question(words) or words.startswith("threshold") for _, words in expanded):
            changed = any(words.startswith(("change", "instance")) for _, words in expanded)
            expanded.append(("and", "predict" if changed else "countdata"))
        return expanded

    def _remember(self, turn: "_Turn", items: list[tuple[str, str]]) -> None:
        if turn.selected:
            self.remembered = turn.groups
        operations = [words for _, words in items if _is_question(words) or words.startswith("threshold ")]
        self.operations = [words for words in operations if words not in ("previousoperation", "followup")]


@dataclass
class _Turn:
    world: World
    remembered: list[Rows]
    groups: list[Rows]
    run: list[tuple[str, str]] = field(default_factory=list)
    threshold: float | None = None
    selected: bool = False

    def set(self, words: str, asked: bool) -> bool:
        """Carry out a change, a made-up row or a threshold; true for one that is a question by itself as well."""
        word = words.split()[0]
        if word == "threshold":
            self.threshold = _probability(words)
            return True
        self.selected = True
        if word == "instance":
            others = [group for group in self.groups if group.made_up and not asked]  # made-up rows side by side
            self.groups = [*others, replace(_unchanged(_made_up(self.world, words)), made_up=True)]
        else:
            self.groups = [_changed(self.world, group, words) for group in self.groups]
        return False

    def close_run(self) -> None:
        """Narrow or add to the rows; each group meets each side of a `versus` and each group of the turn before."""
        run, self.run, self.selected = self.run, [], True
        if any(group.made_up for group in [*self.groups, *self.remembered]):
            raise Impossible(run[0][1])
        sides: list[list[list[str]]] = [[[]]]
        for number, (joiner, words) in enumerate(run):
            if number and joiner == "versus":
                sides.append([[]])
            elif number and joiner == "or":
                sides[-1].append([])
            sides[-1][-1].append(words)
        groups = []
        for group, side in product(self.groups, sides):
            leaning = any(words == "previousfilter" for part in side for words in part)
            for before in (self.remembered if leaning else []) or [None]:
                groups.append(self._joined(group, run[0][0], side, before))
        self.groups = groups

    def _joined(self, group: Rows, joiner: str, side: list[list[str]], before: Rows | None) -> Rows:
        chosen = np.zeros(len(self.world.frame), bool)
        for conditions in side:
            chosen |= np.logical_and.reduce([self._holds(words, before) for words in conditions])
        mask = group.mask | chosen if joiner == "or" else group.mask & chosen
        if before is None or not before.changed:
            return replace(group, mask=mask)
        same = (before.table == self.world.frame) | (before.table.isna() & self.world.frame.isna())
        kept = same.to_numpy() | ~mask[:, None]  # what was changed stays changed in the rows that are left
        return replace(group, mask=mask, table=group.table.where(kept, before.table), changed=True)

    def _holds(self, words: str, before: Rows | None) -> np.ndarray:
        """Which rows of the unchanged data satisfy one condition; a missing value satisfies none but `missing`."""
        world = self.world
        word, _, rest = words.partition(" ")
        if word == "previousfilter":
            return before.mask if before is not None else np.ones(len(world.frame), bool)
        if word == "labelfilter":
            return world.truth == int(rest)
        if word == "predictionfilter":
            return predicted(world.probabilities, self.threshold) == int(rest)
        if rest.startswith("id "):
            return np.asarray(world.frame.index.astype(str) == rest.removeprefix("id "))
        compared = COMPARED.fullmatch(rest)
        if word == "probabilityfilter":
            assert compared is not None
            column = pd.Series(world.probabilities[:, int(compared[1])])
            return COMPARATORS[compared[2]](column, float(compared[3])).to_numpy()
        column = world.frame[world.columns[rest.split()[0]]]
        if compared is not None:
            return (COMPARATORS[compared[2]](column, world.value(column.name, compared[3])) & column.notna()).to_numpy()
        value = rest.split(" ", 1)[1]
        if value in ("missing", "present"):
            return (column.isna() if value == "missing" else column.notna()).to_numpy()
        if value.startswith("not "):
            return ((column != world.value(column.name, value[4:])) & column.notna()).to_numpy()
        return (column == world.value(column.name, value)).to_numpy()


def _unchanged(frame: pd.DataFrame) -> Rows:
    return Rows(np.ones(len(frame), bool), frame, frame)


def predicted(probabilities: np.ndarray, threshold: float | None) -> np.ndarray:
    """Class numbers: the last class from the threshold on (0.5 if there is none), or the most probable of several."""
    if probabilities.shape[1] == 2:
        return (probabilities[:, 1] >= (0.5 if threshold is None else threshold)).astype(int)
    return probabilities.argmax(axis=1)


def _items(text: str) -> list[tuple[str, str]]:
    """Filters and operations one by one, each with the word that joins it to what stands before it."""
    words = re.split(r" (and|or|versus) ", text.removesuffix("[e]").strip())
    return list(zip(["and", *words[1::2]], words[::2], strict=True)) if words != [""] else []


def _is_filter(words: str) -> bool:
    return words.split()[0] in FILTERS


def _is_question(words: str) -> bool:
    return not _is_filter(words) and words.split()[0] not in ("change", "instance") and not words.startswith("threshold ")


def _probability(words: str) -> float:
    value = float(words.split()[1])
    if not 0 <= value <= 1:
        raise Impossible(words)
    return value


def _made_up(world: World, words: str) -> pd.DataFrame:
    """One row of typical values (the median, or the most frequent of yes and no) and those that are named."""
    typical = {
        name: column.mode()[0] if world.is_yes_no(name) else column.median()
        for name, column in world.train.items()
    }  # fmt: skip
    named = words.split()[1:]
    for token, word in zip(named[::2], named[1::2], strict=True):
        typical[world.columns[token]] = world.value(world.columns[token], word)
    return pd.DataFrame([typical])


def _changed(world: World, group: Rows, words: str) -> Rows:
    """The same rows with one column altered; missing values stay missing unless a value is set."""
    _, token, *how = words.split()
    name = world.columns[token]
    old = group.table[name]
    if len(how) == 1:
        new: Any = world.value(name, how[0])
    else:
        amount = float(how[1])
        part = old * amount / 100 if how[-1] == "percent" else amount
        new = {"increase": old + part, "decrease": old - part, "set": part}[how[0]]
    column = old.astype(float).where(~group.mask, new)
    return replace(group, table=group.table.assign(**{name: column}), changed=True)
