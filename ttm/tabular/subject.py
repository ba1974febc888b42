"""What a conversation is about: one data set and one model, with the model's predictions for the unchanged rows."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from backend.errors import ModelError
from backend.program.settings import LARGEST_UNPACKED
from ttm.tabular.data.dataset import CONFIG_FILE, DEMOS, Dataset, dataset_folder, dataset_from_csv, load_dataset
from ttm.tabular.data.dataset_config import read_config
from ttm.tabular.data.schema import Schema
from ttm.tabular.data.second_table import SecondTable
from ttm.tabular.model.class_map import check_class_map
from ttm.tabular.model.model import Model, estimator_features, most_probable
from ttm.tabular.model.model_file import DEMO_TYPES, model_from_estimator, read_estimator
from ttm.tabular.model.other_models import BROUGHT, train_other
from ttm.tabular.model.train import Progress, train_model

NO_SECOND_MODEL = (
    "No second model is loaded: load its file under Models, or have one trained here by asking for a comparison with a "
    "linear model, a decision tree, a random forest or boosted trees."
)


class Subject:
    """A data set with a model of it, and a `second` table where somebody brought one.

    Safe to share between threads and conversations; nothing in it changes.
    """

    def __init__(self, dataset: Dataset, model: Model, brought: Model | None = None) -> None:
        """`brought` is another model of the same table, to be compared with."""
        self.dataset = dataset
        self.model = model
        self.brought = brought
        self.second: SecondTable | None = None
        self._lock = threading.Lock()
        self._others: dict[str, Model] = {}
        self._training = threading.Lock()

    def with_second(self, second: SecondTable) -> "Subject":
        """The same data set and model with a second table beside them."""
        other = copy(self)
        other.second = second
        return other

    @property
    def schema(self) -> Schema:
        return self.dataset.schema

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over data set and model; the key for anything computed from both."""
        return hashlib.sha256(f"{self.dataset.fingerprint} {self.model.fingerprint}".encode()).hexdigest()

    def other_model(self, kind: str) -> Model:
        """Return another model of the same table, by its name in MODEL_NAMES; it is trained when it is first asked for.

        Raises DatasetError if the table cannot train one, ModelError if none was brought.
        """
        if kind == BROUGHT:
            if self.brought is None:
                raise ModelError(NO_SECOND_MODEL)
            return self.brought
        with self._training:
            if kind not in self._others:
                self._others[kind] = train_other(kind, self.dataset)
            return self._others[kind]

    def beside(self, brought: Model) -> "Subject":
        """Return the same data set and model with another model brought to be compared with."""
        other = copy(self)
        other.brought = brought
        return other

    @cached_property
    def trained_on_rows(self) -> bool:
        """Whether there are no labelled rows but those that a model would be trained on, so that scores on them flatter."""
        labels = self.dataset.labels
        if labels is None:
            return False
        known = ~np.isnan(labels) if labels.dtype.kind == "f" else labels >= 0
        train = self.dataset.train_frame
        return int(known.sum()) == len(train) and self.dataset.frame[known].equals(train)

    @property
    def probabilities(self) -> np.ndarray:
        """Class probabilities of the rows of `dataset.frame`, (n, classes). Raises ModelError for a regression."""
        with self._lock:
            return self._probabilities

    @property
    def predictions(self) -> np.ndarray:
        """Predicted class numbers of the rows of `dataset.frame`, or floats for a regression model, (n,)."""
        if self.schema.target.is_classification:
            return most_probable(self.probabilities)
        with self._lock:
            return self._quantities

    @cached_property
    def _probabilities(self) -> np.ndarray:
        return _read_only(self.model.predict_proba(self.dataset.frame))

    @cached_property
    def _quantities(self) -> np.ndarray:
        return _read_only(self.model.predict(self.dataset.frame))


def load_subject(
    name_or_folder: str | Path,
    *,
    trusted: Sequence[str] = (),
    allow_pickle: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Subject:
    """Load a demo or a data set folder with its model; without a model file one is trained.

    Raises DatasetError or ModelError saying what is wrong and where.
    """
    folder = dataset_folder(name_or_folder)
    named = read_config(folder / CONFIG_FILE).model
    if named is None:
        dataset = load_dataset(name_or_folder)
        return Subject(dataset, train_model(dataset, seed=seed, progress=progress))
    path = folder / named
    allowed = (*trusted, *DEMO_TYPES) if str(name_or_folder) in DEMOS else trusted
    estimator = read_estimator(path, allowed, allow_pickle)
    dataset = load_dataset(name_or_folder, estimator_features(estimator))
    return _with_map(dataset, model_from_estimator(estimator, path, dataset.schema))


def subject_from_csv(
    path: str | Path,
    target: str,
    model: str | Path | None = None,
    config: str | Path | None = None,
    *,
    stated: Mapping[str, Any] | None = None,
    trusted: Sequence[str] = (),
    allow_pickle: bool = False,
    megabytes: int = LARGEST_UNPACKED,
    seed: int = 0,
    progress: Progress | None = None,
) -> Subject:
    """Make a subject of one's own CSV file, with a model file or one trained here, and an optional `dataset.toml`.

    `stated` are further keys of a `dataset.toml`, such as `task` and `id`. The model file may have so many `megabytes` when it
    is unpacked.
    """
    if model is None:
        dataset = dataset_from_csv(path, target, config, stated=stated)
        return Subject(dataset, train_model(dataset, seed=seed, progress=progress))
    estimator = read_estimator(Path(model), trusted, allow_pickle, megabytes)
    dataset = dataset_from_csv(path, target, config, estimator_features(estimator), stated)
    return _with_map(dataset, model_from_estimator(estimator, Path(model), dataset.schema))


def other_model(path: Path, dataset: Dataset, trusted: Sequence[str] = (), megabytes: int = LARGEST_UNPACKED) -> Model:
    """Read another model of a table, to be compared with. Raises ModelError if it is none, or does not fit the table."""
    other = model_from_estimator(read_estimator(path, trusted, False, megabytes), path, dataset.schema)
    check_class_map(other, dataset)
    return other


def _with_map(dataset: Dataset, model: Model) -> Subject:
    check_class_map(model, dataset)
    return Subject(dataset, model)


def _read_only(values: np.ndarray) -> np.ndarray:
    values.setflags(write=False)
    return values
