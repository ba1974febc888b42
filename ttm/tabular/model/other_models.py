"""Other kinds of models of the same table, trained here to be set beside the one that is talked about."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ttm.tabular.data.dataset import Dataset
from ttm.tabular.data.schema import FeatureKind, Schema
from ttm.tabular.model.model import Model
from ttm.tabular.model.train import MAX_CELLS, NAME, check_trainable, sampled_rows, train_model

TREES = 200
DEPTH = 4
BROUGHT = "brought"


@dataclass(frozen=True)
class ModelKind:
    """A kind of model: its name for tables with classes and for those with a quantity, and the pipeline, not yet fitted."""

    of_classes: str
    of_values: str
    make: Callable[[Schema, int], Any]

    def name(self, schema: Schema) -> str:
        return self.of_classes if schema.target.is_classification else self.of_values


def _linear(schema: Schema, seed: int) -> Any:
    """Numbers are scaled, their gaps filled by the median; each value of a category has a weight of its own."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    from ttm.tabular.data.encoding import FrameEncoder

    kinds = enumerate(feature.kind for feature in schema.features)
    categories = [index for index, kind in kinds if kind is FeatureKind.CATEGORICAL]
    numbers = sorted(set(range(len(schema.features))) - set(categories))
    columns = ColumnTransformer(
        [
            ("categories", OneHotEncoder(handle_unknown="ignore"), categories),
            ("numbers", make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()), numbers),
        ]
    )
    linear = LogisticRegression(max_iter=2000) if schema.target.is_classification else Ridge()
    return Pipeline([("encode", FrameEncoder()), ("columns", columns), ("linear", linear)])


def _forest(schema: Schema, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestClassifier if schema.target.is_classification else RandomForestRegressor
    return _encoded(forest(n_estimators=TREES, min_samples_leaf=3, random_state=seed, n_jobs=1))


def _tree(schema: Schema, seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    tree = DecisionTreeClassifier if schema.target.is_classification else DecisionTreeRegressor
    return _encoded(tree(max_depth=DEPTH, min_samples_leaf=5, random_state=seed))


def _encoded(estimator: Any) -> Any:
    from sklearn.pipeline import Pipeline

    from ttm.tabular.data.encoding import FrameEncoder

    return Pipeline([("encode", FrameEncoder(impute=True)), ("model", estimator)])


OTHER_MODELS: dict[str, ModelKind] = {
    "linear": ModelKind("a logistic regression", "a linear regression", _linear),
    "tree": ModelKind("one small decision tree", "one small decision tree", _tree),
    "forest": ModelKind("a random forest", "a random forest", _forest),
}
BOOSTED = "boosted"  # what is trained here where nobody brings a model
MODEL_NAMES = (*OTHER_MODELS, BOOSTED, BROUGHT)


def model_words(kind: str, schema: Schema) -> str:
    """Name a kind of model in words, with its article."""
    if kind in OTHER_MODELS:
        return OTHER_MODELS[kind].name(schema)
    return "boosted trees" if kind == BOOSTED else "the model that was brought to compare"


def train_other(kind: str, dataset: Dataset, seed: int = 0) -> Model:
    """Train a model of this kind on the labelled rows. Raises DatasetError if there are too few, or a class has none."""
    if kind == BOOSTED:
        return train_model(dataset, seed=seed)
    check_trainable(dataset)
    frame, labels = sampled_rows(dataset, MAX_CELLS, seed)
    schema = dataset.schema
    pipeline = OTHER_MODELS[kind].make(schema, seed).fit(frame, labels)
    name = OTHER_MODELS[kind].name(schema)
    return Model(
        pipeline, schema, name=name, description=f"{name}, trained on {len(frame):,} {schema.entity}",
        fingerprint=hashlib.sha256(f"{dataset.fingerprint} {kind} {seed} {NAME}".encode()).hexdigest(),
    )  # fmt: skip
