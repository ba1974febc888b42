"""What the answer to each operation must hold: the numbers that pandas gives for those about the data.

An expectation is the part of an answer's JSON that is determined: a dictionary whose entries must all be found in the
answer. An entry may be a function of the answer, where only the answer says how something was cut (the edges of a histogram).
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from .expected_model import OPERATIONS as MODEL
from .expected_relations import OPERATIONS as RELATIONS
from .oracle import ABOUT_NO_ROWS, Asked
from .view import REFUSED, Expected, View, records, shares, summary, value_counts
from .world import World

SHOWN = 20


def expected(asked: Asked, world: World) -> Expected:
    """What the answer to one operation must hold."""
    word = asked.words.split()[0]
    if word in ABOUT_NO_ROWS:
        told = TALK.get(word, lambda words, view: {})(asked.words, View(world, asked.groups[0], None))
        return {"operation": asked.words} | told
    answers = [_for_group(asked, View(world, rows, asked.threshold)) for rows in asked.groups]
    return answers[0] if len(answers) == 1 else {"type": "Versus", "operation": asked.words, "results": answers}


def _for_group(asked: Asked, view: View) -> Expected:
    word = asked.words.split()[0]
    group = {"rows": len(view.frame), "total": len(view.world.frame)}
    if not view.rows.made_up:
        group["ids"] = view.ids[:SHOWN]
    if view.frame.empty and word != "countdata":
        return {"type": "Empty", "operation": asked.words, "group": group}
    if word in ("label", "score", "mistake", "threshold") and not view.known.any():
        return REFUSED
    return {"operation": asked.words, "group": group} | OPERATIONS[word](asked.words, view)


# --- rows ----------------------------------------------------------------------------------------------------------------


def countdata(words: str, view: View) -> Expected:
    return {"type": "RowCount", "count": len(view.frame), "share": len(view.frame) / len(view.world.frame)}


def show(words: str, view: View, first: int = 0) -> Expected:
    page = slice(first, first + int(words.partition(" ")[2] or SHOWN))
    found: Expected = {"type": "ShownRows", "first": first, "count": len(view.frame), "rows": records(view, view.frame[page])}
    if not view.rows.made_up:
        found["original"] = records(view, view.original[page]) if view.rows.changed else None
        found["outcomes"] = [view.outcome(value) for value in view.truth[page]]
    return found


def label(words: str, view: View) -> Expected:
    if view.is_single:
        kind, name = ("TrueClass", "label") if view.world.classes else ("TrueValue", "value")
        return {"type": kind, "id": view.ids[0], name: view.outcome(view.truth[0])}
    if not view.world.classes:
        return {"type": "TrueValues", "summary": summary(view.truth)}
    counts = view.class_counts(view.truth)
    return {"type": "TrueClasses", "counts": counts, "shares": shares(counts), "unlabelled": int((~view.known).sum())}


# --- columns -------------------------------------------------------------------------------------------------------------


def statistic(words: str, view: View) -> Expected:
    token = words.split()[1]
    if token == "target":
        if not view.known.any():
            return REFUSED
        if not view.world.classes:
            return {"type": "NumericStatistic"} | summary(view.truth)
        return {"type": "CategoryStatistic"} | _categories(view.class_counts(view.truth), len(view.truth))
    column = view.frame[view.world.columns[token]]
    kind = view.world.kinds[str(column.name)]
    if kind == "number":
        return {"type": "NumericStatistic", "column": column.name} | summary(column)
    if kind == "date":
        return {"type": "DateStatistic", "column": column.name, "count": int(column.count()),
                "missing": int(column.isna().sum()), "first": _day(column.min()), "last": _day(column.max())}  # fmt: skip
    return {"type": "CategoryStatistic", "column": column.name} | _categories(value_counts(column), len(column))


def _categories(counts: dict[str, int], rows: int) -> Expected:
    count = sum(counts.values())
    return {"count": count, "missing": rows - count, "counts": counts, "shares": shares(counts)}


def _day(value: pd.Timestamp) -> str | None:
    return None if pd.isna(value) else str(value.date())


def distribution(words: str, view: View) -> Expected:
    token, world = words.split()[1], view.world
    if token == "target":
        if not view.known.any():
            return REFUSED
        if world.classes:
            found = _categories(view.class_counts(view.truth), len(view.truth))
            return {"type": "CategoryDistribution", "counts": found["counts"], "shares": found["shares"],
                    "missing": found["missing"]}  # fmt: skip
        column, kind = pd.Series(view.truth), "number"
    elif token == "probability":
        column, kind = pd.Series(view.main_output, name="probability"), "number"
    else:
        column, kind = view.frame[world.columns[token]].reset_index(drop=True), world.kinds[world.columns[token]]
    if not column.notna().any():
        return REFUSED
    numbers = range(len(world.classes)) if view.known.any() and token != "target" else []
    masks = {world.classes[number]: view.truth == number for number in numbers}
    if kind in ("yes/no", "text"):
        texts = column.astype(str)
        return {"type": "CategoryDistribution", "column": column.name, "counts": value_counts(column),
                "shares": shares(value_counts(column)), "missing": int(column.isna().sum()),
                "by_class": lambda got: {name: {value: int((texts[mask] == value).sum()) for value in got["by_class"][name]}
                                         for name, mask in masks.items()}}  # fmt: skip
    told = world.numbers(column) if column.name in world.kinds else column
    return {"type": "NumberDistribution", "is_date": kind == "date", "summary": summary(told), "counts": _histogram(told),
            "by_class": lambda got: {name: _histogram(told[mask])(got) for name, mask in masks.items()}}  # fmt: skip


def _histogram(column: pd.Series) -> Callable[[Expected], list[int]]:
    """Counts between the edges that the answer chose; these must span the numbers."""

    def counts(got: Expected) -> list[int]:
        edges, known = np.array(got["edges"]), column.dropna().to_numpy(dtype=float)
        assert (np.diff(edges) > 0).all()
        assert not len(known) or (edges[0] <= known.min() and known.max() <= edges[-1]), f"{known.min()} to {known.max()}"
        return [int(count) for count in np.histogram(known, edges)[0]]

    return counts


# --- data set and model --------------------------------------------------------------------------------------------------


def data(words: str, view: View) -> Expected:
    world = view.world
    missing = world.frame.isna().sum()
    found: Expected = {"type": "DataDescription", "rows": len(world.frame), "trained_on_same": False,
                       "missing": {name: int(count) for name, count in missing.items() if count},
                       "features": [_facts(name, view) for name in world.frame.columns]}  # fmt: skip
    if world.classes:
        return found | {"class_counts": view.class_counts(world.truth), "labels": None}
    return found | {"class_counts": None, "labels": summary(world.truth)}


def define(words: str, view: View) -> Expected:
    token = words.split()[1]
    if token == "target":
        return {"type": "Definition", "facts": {"values": list(view.world.classes)}}
    return {"type": "Definition", "facts": _facts(view.world.columns[token], view)}


def _facts(name: str, view: View) -> Expected:
    """Bounds are over all rows that are known, those for training too."""
    world = view.world
    facts: Expected = {"column": name}
    if name in world.described:
        facts["mutable"] = name not in world.immutable
    if world.kinds[name] == "number":
        facts |= {"kind": "numeric", "low": world.everything[name].min(), "high": world.everything[name].max()}
    return facts


def model(words: str, view: View) -> Expected:
    world = view.world
    return {"type": "ModelFacts", "classes": list(world.classes), "features": world.frame.shape[1]}


TALK: dict[str, Callable[[str, View], Expected]] = {"data": data, "define": define, "model": model}
OPERATIONS: dict[str, Callable[[str, View], Expected]] = {
    "countdata": countdata, "show": show, "label": label, "statistic": statistic, "distribution": distribution,
} | MODEL | RELATIONS  # fmt: skip
