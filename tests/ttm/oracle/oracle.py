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
# An item of a parse begins with one of these, so that a value with "and" in it does not divide one.
STARTS = (*FILTERS, "change", "instance", "explain", "important", "interact", "mistake", "predict", "likelihood", "score",
          "show", "label", "countdata", "statistic", "data", "define", "model", "function", "self", "previousoperation",
          "followup", "compare", "highest", "lowest", "correlate", "distribution", "effect", "similar", "fairness",
          "threshold")  # fmt: skip
BETWEEN = re.compile(rf" (and|or|versus) (?=(?:{'|'.join(STARTS)})(?: |$))")
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
            self.threshold = _probability(words, self.world)
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
        if word in ("labelfilter", "predictionfilter"):
            values = world.truth if word == "labelfilter" else predicted(world, world.outputs, self.threshold)
            compared = COMPARED.fullmatch(words)
            if compared is None:
                return values == int(rest)
            return np.asarray(COMPARATORS[compared[2]](values, float(compared[3])) & ~np.isnan(values))
        if rest.startswith("id "):
            return np.asarray(world.frame.index.astype(str) == rest.removeprefix("id "))
        compared = COMPARED.fullmatch(rest)
        if word == "probabilityfilter":
            assert compared is not None
            column = pd.Series(world.outputs[:, int(compared[1])])
            return COMPARATORS[compared[2]](column, float(compared[3])).to_numpy()
        column = world.frame[world.columns[rest.split()[0]]]
        if compared is not None:
            return (COMPARATORS[compared[2]](column, world.value(column.name, compared[3])) & column.notna()).to_numpy()
        value = rest.split(" ", 1)[1]
        if value in ("missing", "present") and value not in set(column):  # which a column may have as a value of its own
            return (column.isna() if value == "missing" else column.notna()).to_numpy()
        if value.startswith("not "):
            return ((column != world.value(column.name, value[4:])) & column.notna()).to_numpy()
        return (column == world.value(column.name, value)).to_numpy()


def _unchanged(frame: pd.DataFrame) -> Rows:
    return Rows(np.ones(len(frame), bool), frame, frame)


def predicted(world: World, outputs: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """Class numbers, or quantities where there are no classes.

    Of two classes the last is predicted from the threshold on (0.5 if there is none), of several the most probable.
    """
    if not world.classes:
        return outputs[:, 0]
    if len(world.classes) == 2:
        return (outputs[:, 1] >= (0.5 if threshold is None else threshold)).astype(int)
    return outputs.argmax(axis=1)


def _items(text: str) -> list[tuple[str, str]]:
    """Filters and operations one by one, each with the word that joins it to what stands before it."""
    words = BETWEEN.split(text.removesuffix("[e]").strip())
    return list(zip(["and", *words[1::2]], words[::2], strict=True)) if words != [""] else []


def _is_filter(words: str) -> bool:
    return words.split()[0] in FILTERS


def _is_question(words: str) -> bool:
    return not _is_filter(words) and words.split()[0] not in ("change", "instance") and not words.startswith("threshold ")


def _probability(words: str, world: World) -> float:
    value = float(words.split()[1])
    if not 0 <= value <= 1 or len(world.classes) != 2:
        raise Impossible(words)
    return value


def _made_up(world: World, words: str) -> pd.DataFrame:
    """One row of typical values, the median or the most frequent of the rows for training, and those that are named."""
    row = {name: _typical(world, column.dropna()) for name, column in world.train.items()}
    named = re.split(rf" ({'|'.join(sorted(world.columns, key=len, reverse=True))}) ", words.removeprefix("instance"))
    for token, word in zip(named[1::2], named[2::2], strict=True):
        row[world.columns[token]] = world.value(world.columns[token], word)
    return pd.DataFrame([row])


def _typical(world: World, known: pd.Series) -> Any:
    kind = world.kinds[str(known.name)]
    if kind in ("yes/no", "text"):
        return known.mode()[0]
    return known.median() if kind == "number" else known.median().floor("D")


def _changed(world: World, group: Rows, words: str) -> Rows:
    """The same rows with one column altered; missing values stay missing unless a value is set."""
    _, token, how = words.split(" ", 2)
    name = world.columns[token]
    old = group.table[name].astype(float) if world.kinds[name] == "number" else group.table[name]
    if world.kinds[name] in ("yes/no", "text"):
        new: Any = world.value(name, how)
    else:
        kind, amount, *percent = how.split()
        if world.kinds[name] == "date":
            step = pd.Timestamp(amount) if kind == "set" else pd.Timedelta(days=float(amount))
        else:
            step = old * float(amount) / 100 if percent else float(amount)
        new = {"increase": lambda: old + step, "decrease": lambda: old - step, "set": lambda: step}[kind]()
    return replace(group, table=group.table.assign(**{name: old.where(~group.mask, new)}), changed=True)
