"""A data set as plain pandas sees it, and what its model says about any rows of it.

Nothing here knows the application: the CSV is read by pandas, `dataset.toml` by the standard library, and the model is
called as any scikit-learn estimator. Tokens and kinds of columns are worked out again from the published description of
the parse language.
"""

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

EPOCH = date(1970, 1, 1).toordinal()
YES_AND_NO = ((0, 1), ("no", "yes"))


@dataclass(frozen=True)
class World:
    """`frame` (n, d) has the features, with the ids as index; `train` (m, d) are the rows for training.

    `truth` (n,) has class numbers (-1 unknown), or quantities (NaN unknown) where there are no `classes`. `estimator` is the
    fitted model itself, `described` what `dataset.toml` says of each column.
    """

    frame: pd.DataFrame
    truth: np.ndarray
    train: pd.DataFrame
    classes: tuple[str, ...]
    described: dict[str, dict[str, Any]]
    estimator: Any

    @cached_property
    def columns(self) -> dict[str, str]:
        """Names of the columns by their tokens: lower case without `_`, `-` and spaces."""
        return {re.sub(r"[_\- ]", "", name.lower()): name for name in self.frame.columns}

    @property
    def immutable(self) -> set[str]:
        return {name for name, words in self.described.items() if not words.get("mutable", True)}

    # --- what the model says -----------------------------------------------------------------------------------------

    @cached_property
    def outputs(self) -> np.ndarray:
        return self.output(self.frame)

    def output(self, frame: pd.DataFrame) -> np.ndarray:
        """Class probabilities (rows, classes), or predicted quantities (rows, 1), by the estimator alone."""
        if frame.empty:
            return np.zeros((0, len(self.classes) or 1))
        if not self.classes:
            return np.asarray(self.estimator.predict(frame[self.frame.columns]), dtype=float).reshape(-1, 1)
        given = np.asarray(self.estimator.predict_proba(frame[self.frame.columns]), dtype=float)
        return given / given.sum(axis=1, keepdims=True)  # as floats of 32 bits they need not add up to 1

    def known(self, truth: np.ndarray) -> np.ndarray:
        return truth >= 0 if self.classes else ~np.isnan(truth)

    # --- columns -----------------------------------------------------------------------------------------------------

    @cached_property
    def everything(self) -> dict[str, pd.Series]:
        """All known values of each column, those for training among them."""
        return {name: pd.concat([self.frame[name], self.train[name]]).dropna() for name in self.frame.columns}

    @cached_property
    def kinds(self) -> dict[str, str]:
        return {name: self._kind(name) for name in self.frame.columns}

    def _kind(self, name: str) -> str:
        column = self.everything[name]
        if any(column.isin(pair).all() for pair in YES_AND_NO):
            return "yes/no"
        if pd.api.types.is_datetime64_any_dtype(column):
            return "date"
        return "number" if pd.api.types.is_numeric_dtype(column) else "text"

    @cached_property
    def _words(self) -> dict[str, dict[str, Any]]:
        """The values of the columns of texts and of yes and no, by the words for them."""
        found: dict[str, dict[str, Any]] = {}
        for name, kind in self.kinds.items():
            if kind == "yes/no":
                pair = next(pair for pair in YES_AND_NO if self.everything[name].isin(pair).all())
                found[name] = dict(zip(("false", "true"), pair, strict=True))
            elif kind == "text":
                # The first of those that differ in their letters' case only.
                found[name] = {str(value).lower(): value for value in reversed(list(self.everything[name].unique()))}
        return found

    def value(self, name: str, word: str) -> Any:
        """The value of a column that a word of the parse language stands for."""
        if self.kinds[name] == "date":
            return pd.Timestamp(word)
        if self.kinds[name] == "number":
            return float(word)
        return self._words[name][word]

    def numbers(self, column: pd.Series) -> pd.Series:
        """A column as floats: dates as days, yes and no as 1 and 0."""
        kind = self.kinds[str(column.name)]
        if kind == "date":
            return (column - pd.Timestamp("1970-01-01")).dt.days.astype(float) + EPOCH
        if kind == "yes/no":
            return (column == self.value(str(column.name), "true")).astype(float).where(column.notna())
        return column.astype(float)


def read_world(folder: Path, estimator: Any) -> World:
    config = tomllib.loads((folder / "dataset.toml").read_text(encoding="utf-8"))
    data, train = pd.read_csv(folder / config["data"]), pd.read_csv(folder / config["train"])
    target = config["target"]
    values = sorted(set(data[target]) | set(train[target]))
    frame = data.set_index(config["id"]).drop(columns=target)
    return World(
        frame=frame, truth=data[target].map(values.index).to_numpy(), train=train[list(frame.columns)],
        classes=tuple(config["classes"]), described=config.get("features", {}), estimator=estimator,
    )  # fmt: skip
