"""A data set as plain pandas sees it, and what its model says about any rows of it.

Nothing here knows the application: the CSV is read by pandas, `dataset.toml` by the standard library, and the model is
called as any scikit-learn estimator. Tokens and kinds of columns are worked out again from the published description of
the parse language.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class World:
    """`frame` (n, d) has the features, with the ids as index; `truth` (n,) the class numbers; `train` (m, d) other rows.

    `estimator` is the fitted model itself, `described` what `dataset.toml` says of each column.
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

    @cached_property
    def probabilities(self) -> np.ndarray:
        return self.probability(self.frame)

    def probability(self, frame: pd.DataFrame) -> np.ndarray:
        """Class probabilities (rows, classes) by the estimator alone."""
        if frame.empty:
            return np.zeros((0, len(self.classes)))
        given = np.asarray(self.estimator.predict_proba(frame[self.frame.columns]), dtype=float)
        return given / given.sum(axis=1, keepdims=True)  # as floats of 32 bits they need not add up to 1

    def is_yes_no(self, name: str) -> bool:
        known = pd.concat([self.frame[name], self.train[name]]).dropna()
        return bool(known.isin((0, 1)).all())

    def value(self, name: str, word: str) -> Any:
        """The value of a column that a word of the parse language stands for."""
        if self.is_yes_no(name):
            return {"true": 1, "false": 0}[word]
        kind = self.frame[name].dtype
        if pd.api.types.is_numeric_dtype(kind):
            return float(word)
        return next(value for value in self.frame[name].dropna().unique() if str(value).lower() == word)


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
