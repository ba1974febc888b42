"""Model files in the formats of XGBoost, LightGBM, CatBoost and ONNX: numbers and no code.

No code runs when one is read, but as with trees in a skops file native code follows what is in it unchecked, so a crafted file
could crash the app. The type that reads it has to be allowed by name.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import ModelError

XGBOOST, LIGHTGBM = "xgboost.core.Booster", "lightgbm.basic.Booster"
CATBOOST, ONNX = "catboost.core.CatBoost", "onnxruntime.InferenceSession"
TYPES = {".json": XGBOOST, ".ubj": XGBOOST, ".txt": LIGHTGBM, ".cbm": CATBOOST, ".onnx": ONNX}
EXTRA = "pip install 'parley[models]'"


def is_native(path: Path) -> bool:
    """Whether a file is in one of the formats that are read here, by its ending."""
    return path.suffix.lower() in TYPES


def read_native(path: Path, trusted: Sequence[str]) -> Any:
    """Read a model in the format of its library, as an estimator. Raises ModelError for a type that `trusted` does not name."""
    needed = TYPES[path.suffix.lower()]
    if needed not in trusted:
        raise ModelError(
            f"The model file {path} is refused because it is read by {needed}: a crafted file could crash the app. If "
            f"you trust "
            f"its origin, allow that by name: --trusted-types {needed}"
        )
    try:
        return READERS[needed](path)
    except ModelError:
        raise
    except ImportError as error:
        raise ModelError(f"{path} needs a package that is not installed ({error.name}): {EXTRA}") from error
    except Exception as error:  # any library, any of its exceptions
        raise ModelError(f"The model file {path} does not load: {type(error).__name__}: {str(error)[:200]}") from error


def _xgboost(path: Path) -> Any:
    from xgboost import Booster, XGBClassifier, XGBRegressor

    booster = Booster(model_file=path)
    objective = json.loads(booster.save_config())["learner"]["objective"]["name"]
    if objective in ("binary:hinge", "binary:logitraw") or objective.startswith("rank:"):
        raise ModelError(f"The model file {path} gives no probabilities ({objective}); train it with binary:logistic.")
    is_class = objective.startswith(("binary:", "multi:"))
    estimator = XGBClassifier() if is_class else XGBRegressor()
    estimator.load_model(path)
    if objective == "multi:softmax":  # the same trees, told as probabilities
        estimator.get_booster().set_param("objective", "multi:softprob")
    return estimator


def _lightgbm(path: Path) -> Any:
    from lightgbm import Booster

    return LightGbmFile(Booster(model_file=path))


class LightGbmFile:
    """A LightGBM model read from its text, as its own estimators speak."""

    def __init__(self, booster: Any) -> None:
        objective = str(booster.dump_model(num_iteration=1).get("objective", "")).split(" ")[0]
        self.booster_ = booster
        self.feature_name_ = booster.feature_name()
        self.n_features_in_ = booster.num_feature()
        if objective in ("binary", "multiclass", "multiclassova", "cross_entropy"):
            self.classes_ = np.arange(max(2, booster.num_model_per_iteration()))

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """Predict quantities (n,)."""
        return np.asarray(self.booster_.predict(frame))

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """Predict class probabilities (n, classes)."""
        return _both(np.asarray(self.booster_.predict(frame)))


def _both(outputs: np.ndarray) -> np.ndarray:
    """Probabilities (n, k) from these or from those of the second of two classes (n,)."""
    if outputs.ndim == 2 and outputs.shape[1] > 1:
        return outputs
    return np.column_stack([1 - outputs.reshape(-1), outputs.reshape(-1)])


def _catboost(path: Path) -> Any:
    from catboost import CatBoost

    return CatBoostFile(CatBoost().load_model(str(path)))


class CatBoostFile:
    """A CatBoost model read from its own file."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.feature_names_in_ = np.array(model.feature_names_, dtype=object)
        classes = np.asarray(model.classes_)
        if len(classes):
            self.classes_ = classes

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """Predict quantities (n,)."""
        return np.asarray(self._model.predict(self._read(frame)))

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """Predict class probabilities (n, classes)."""
        return _both(np.asarray(self._model.predict(self._read(frame), prediction_type="Probability")))

    def _read(self, frame: pd.DataFrame) -> pd.DataFrame:
        """CatBoost wants categories as texts and knows no missing ones."""
        names = [self.feature_names_in_[index] for index in self._model.get_cat_feature_indices()]
        return frame.assign(**{name: frame[name].astype(object).where(frame[name].notna(), "").astype(str) for name in names})


def _onnx(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return OnnxFile(onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]), path)


class OnnxFile:
    """An ONNX model: one input with all columns in the order of the data, or one input a column by its name."""

    def __init__(self, session: Any, path: Path) -> None:
        self._session, self._inputs = session, session.get_inputs()
        outputs = session.get_outputs()
        self._probabilities = next((one.name for one in outputs if "prob" in one.name.lower()), None)
        self._label = next((one.name for one in outputs if one.name != self._probabilities), None)
        if len(self._inputs) > 1:
            self.feature_names_in_ = np.array([one.name for one in self._inputs], dtype=object)
        elif len(self._inputs[0].shape) == 2 and isinstance(self._inputs[0].shape[1], int):
            self.n_features_in_ = self._inputs[0].shape[1]
        else:
            raise ModelError(f"The model file {path} does not say how many columns it reads: {self._inputs[0].shape}.")
        if self._probabilities is not None:
            self.classes_ = self._classes()

    def _classes(self) -> Any:
        """The keys of the probabilities where they are named, else the numbers of their columns."""
        outputs = self._session.run([self._probabilities], self._blank())[0]
        if isinstance(outputs, list):
            return list(outputs[0])
        return np.arange(max(2, np.asarray(outputs).reshape(1, -1).shape[1]))

    def _blank(self) -> dict[str, np.ndarray]:
        """One row of nothing."""
        width = getattr(self, "n_features_in_", 1)
        return {one.name: np.full((1, width), "" if "string" in one.type else 0, _dtype(one)) for one in self._inputs}

    def _feed(self, frame: pd.DataFrame) -> dict[str, np.ndarray]:
        if len(self._inputs) == 1:
            return {self._inputs[0].name: frame.to_numpy(_dtype(self._inputs[0]))}
        return {one.name: frame[[one.name]].to_numpy(_dtype(one)) for one in self._inputs}

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """Predict quantities (n,)."""
        return np.asarray(self._session.run([self._label], self._feed(frame))[0]).reshape(-1)

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """Predict class probabilities (n, classes)."""
        outputs = self._session.run([self._probabilities], self._feed(frame))[0]
        if isinstance(outputs, list):
            return np.array([[row[name] for name in self.classes_] for row in outputs])
        return _both(np.asarray(outputs))


def _dtype(one: Any) -> Any:
    kinds = {"tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(string)": object}
    return kinds.get(one.type, np.float32)


READERS: dict[str, Callable[[Path], Any]] = {XGBOOST: _xgboost, LIGHTGBM: _lightgbm, CATBOOST: _catboost, ONNX: _onnx}
