"""A model that is in memory: any object with `predict` or `predict_proba`, or any function of a frame.

What scikit-learn, LightGBM and XGBoost fit on named columns is taken as it is, so that what is known about trees is used. Any
other is wrapped in what speaks like them.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from backend.errors import ModelError
from ttm.tabular.data.dataset import Dataset
from ttm.tabular.data.encoding import FrameEncoder
from ttm.tabular.data.frame_table import FrameTable
from ttm.tabular.data.schema import Schema
from ttm.tabular.model.model import DECISIONS, Model, class_places, estimator_features

ROUNDING = 1e-4  # by which probabilities may leave 0 to 1, as numbers of 32 bits do
MADE_UP = re.compile(r"Column_\d+")


class OwnModel:
    """What `call` returns for frames, as a scikit-learn estimator would return it.

    `classes_` are the values of the target in their order; empty for a quantity.
    """

    def __init__(self, call: Callable[[pd.DataFrame], Any], schema: Schema, table: FrameTable | None) -> None:
        self.call = call
        self.feature_names_in_ = np.array([feature.name for feature in schema.features], dtype=object)
        self.classes_ = list(schema.target.class_values)
        self._names = list(schema.target.classes)
        self._table = table

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """Probabilities (n, classes), from probabilities or from decisions. Raises ModelError for anything else."""
        return probabilities(self._outputs(frame), self.classes_, self._names)

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """Quantities (n,). Raises ModelError for anything else."""
        return quantities(self._outputs(frame), len(frame))

    def _outputs(self, frame: pd.DataFrame) -> np.ndarray:
        rows = frame if self._table is None else self._table.restored(frame)
        outputs = plain_array(self.call(rows))
        if outputs.ndim == 0 or len(outputs) != len(frame):
            raise ModelError(f"The model returned the shape {outputs.shape} for {len(frame)} rows; one entry a row is needed.")
        return outputs


def plain_array(values: Any) -> np.ndarray:
    """A numpy array of what a model returned, also of torch and tensorflow."""
    for method in ("detach", "cpu", "numpy"):
        if not isinstance(values, np.ndarray) and callable(getattr(values, method, None)):
            values = getattr(values, method)()
    return np.asarray(values)


def probabilities(outputs: np.ndarray, values: Sequence[Any], names: Sequence[str]) -> np.ndarray:
    """Probabilities (n, classes) from (n, classes), from those of the last of two classes (n,), or from classes (n,)."""
    if outputs.ndim == 2 and outputs.shape[1] == 1:
        outputs = outputs[:, 0]
    if outputs.ndim == 2 and outputs.shape[1] == len(values):
        return _checked(outputs)
    if outputs.ndim == 1:
        for known in (list(values), [str(value) for value in values], list(names)):
            places = {value: index for index, value in enumerate(known)}
            if all(value in places for value in outputs.tolist()):
                return np.asarray(np.eye(len(values))[[places[value] for value in outputs.tolist()]])
        if len(values) == 2 and is_numeric_dtype(outputs.dtype):
            positive = _checked(outputs)
            return np.column_stack([1 - positive, positive])
    raise ModelError(
        f"The model returned the shape {outputs.shape}, starting with {outputs.ravel()[:3].tolist()}; for the {len(values)} "
        f"classes {', '.join(map(str, values))} it has to return probabilities (rows, {len(values)}), or one class a row."
    )


def _checked(outputs: np.ndarray) -> np.ndarray:
    if not is_numeric_dtype(outputs.dtype) or not np.isfinite(outputs.astype(float)).all():
        raise ModelError("The model returned values that are no numbers; probabilities are numbers from 0 to 1.")
    low, high = float(outputs.min()), float(outputs.max())
    if low < -ROUNDING or high > 1 + ROUNDING:
        raise ModelError(
            f"The model returned values from {low:.3g} to {high:.3g}; probabilities are from 0 to 1. If these are logits, "
            "return their softmax or sigmoid."
        )
    return np.asarray(np.clip(outputs.astype(float), 0.0, 1.0))


def quantities(outputs: np.ndarray, rows: int) -> np.ndarray:
    """Numbers (n,) from (n,) or (n, 1). Raises ModelError for anything else."""
    if outputs.size != rows or not is_numeric_dtype(outputs.dtype) or not np.isfinite(outputs.astype(float)).all():
        raise ModelError(
            f"The model returned the shape {outputs.shape} of {outputs.dtype} for {rows} rows; to predict a quantity it has to "
            "return one finite number a row."
        )
    return np.asarray(outputs.astype(float).reshape(rows))


def columns_read(model: Any, present: Sequence[str]) -> list[str] | None:
    """The names of the columns that a model reads, if it remembers any. Raises ModelError for what is no model.

    LightGBM makes names up where it was fitted on an array; these count as none, unless such columns are `present`.
    """
    if not callable(model) and not hasattr(model, "predict") and not hasattr(model, "predict_proba"):
        raise ModelError(
            f"This is of the type {type(model).__name__} and no model: give an object with predict or predict_proba, a "
            "function that takes a DataFrame, or None to train one."
        )
    if hasattr(model, "forward") and hasattr(model, "parameters"):
        raise ModelError(
            f"{type(model).__name__} reads tensors, not frames. Wrap it in a function: lambda rows: "
            "network(torch.tensor(rows.to_numpy(dtype='float32'))).softmax(-1)."
        )
    return _known_columns(model, present)


def _known_columns(model: Any, present: Sequence[str]) -> list[str] | None:
    known = estimator_features(model)
    made_up = known is not None and all(MADE_UP.fullmatch(name) for name in known) and not set(known) & set(present)
    return None if made_up else known


def model_in_memory(model: Any, dataset: Dataset, table: FrameTable) -> Model:
    """Speak to a model of somebody's own. Raises ModelError if it does not fit the data, or fails on the first rows."""
    schema = dataset.schema
    columns = [feature.name for feature in schema.features]
    estimator = _as_it_is(model, schema, columns, table)
    name = getattr(model, "__name__", type(model).__name__)
    words = f"a function of yours ({name})" if estimator is None and _is_function(model) else f"a {_kind(model)} of yours"
    if estimator is None:
        estimator = OwnModel(_call(model, schema), schema, None if table.is_as_before(columns) else table)
    made = Model(estimator, schema, name=name, description=words, fingerprint="")
    outputs = made.predict_proba(dataset.frame) if schema.target.is_classification else made.predict(dataset.frame)
    if schema.target.is_classification and np.isin(outputs, (0.0, 1.0)).all():
        made.decides, made.description = True, f"{made.description}. {DECISIONS}"
    made.fingerprint = hashlib.sha256(f"{dataset.fingerprint} {name}".encode() + outputs.tobytes()).hexdigest()
    return made


def _as_it_is(model: Any, schema: Schema, columns: list[str], table: FrameTable) -> Any | None:
    """The estimator itself where the rest of Parley can read it, perhaps behind an encoder; else None."""
    method = "predict_proba" if schema.target.is_classification else "predict"
    known = _known_columns(model, columns)
    if not hasattr(model, method) or not hasattr(model, "n_features_in_"):
        return None
    if schema.target.is_classification:
        try:
            class_places(model, schema)
        except ModelError:
            return None
    if known is not None:
        boosted = hasattr(model, "booster_") or hasattr(model, "get_booster")
        same = table.is_as_before(columns) or (boosted and _only_texts(columns, table))
        return model if same else None
    numbers = table.table.frame[columns]
    if all(is_numeric_dtype(numbers[name].dtype) or is_bool_dtype(numbers[name].dtype) for name in columns):
        from sklearn.pipeline import Pipeline

        return Pipeline([("numbers", FrameEncoder().fit(numbers)), ("model", model)])
    return None


def _only_texts(columns: list[str], table: FrameTable) -> bool:
    """Whether what differs are categories of text: boosters match these with their training themselves."""
    changed = [name for name in columns if table.table.frame[name].dtype != table.types[name]]
    texts = [name for name in changed if isinstance(table.types[name], pd.CategoricalDtype)]
    return changed == texts and all(table.table.frame[name].dtype == "str" for name in texts)


def _call(model: Any, schema: Schema) -> Callable[[pd.DataFrame], Any]:
    """What is asked of a model: its probabilities where classes are predicted and it has them."""
    method = "predict_proba" if schema.target.is_classification and hasattr(model, "predict_proba") else "predict"
    call = getattr(model, method, None) or getattr(model, "predict_proba", None) or model
    if (
        getattr(model, "n_features_in_", None) is not None
        and _known_columns(model, [one.name for one in schema.features]) is None
    ):
        return lambda rows: call(rows.to_numpy())
    return call  # type: ignore[no-any-return]


def _is_function(model: Any) -> bool:
    return not hasattr(model, "predict") and not hasattr(model, "predict_proba")


def _kind(model: Any) -> str:
    steps = getattr(model, "steps", None)
    return type(steps[-1][1] if steps else model).__name__
