"""Shapley values of a chat's model as `shap.Explanation`, for `shap.plots`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backend.errors import ExecutionError
from ttm.chat.catalogue import Loaded
from ttm.explain.scoring import Scorer
from ttm.explain.threads import one_thread
from ttm.tabular.data.schema import FeatureKind

if TYPE_CHECKING:
    import shap


def shap_explanation(loaded: Loaded, ids: Sequence[Any] | None = None) -> "shap.Explanation":
    """Values (n, features) of the positive class of two, of each row's predicted class of more, or of the quantity.

    `data` holds numbers where a feature is one (dates as ordinal days), and the place of its category where it is not;
    `base_values` (n,) is the model's mean output over the background. Raises ExecutionError for an unknown id.
    """
    from ttm.explain.techniques.tree_shapley import shap_library

    subject, explainer = loaded.subject, loaded.engine.explainer
    frame = subject.dataset.frame
    rows = frame if ids is None else frame.loc[_known(frame.index, ids)]
    encoded, scorer = explainer.coding.encode(rows), Scorer(subject.model, explainer.coding)
    outputs = scorer.outputs(encoded)
    columns = outputs.argmax(axis=1) if outputs.shape[1] > 2 else np.full(len(outputs), outputs.shape[1] - 1)
    with one_thread():
        values, bases = explainer.techniques.shapley.values(encoded, columns, scorer)
    return shap_library().Explanation(
        values=values,
        base_values=bases,
        data=encoded,
        display_data=np.column_stack([_shown(rows[one.name], one.kind) for one in subject.schema.features]),
        feature_names=[feature.name for feature in subject.schema.features],
    )


def _shown(column: Any, kind: FeatureKind) -> Any:
    values = column.to_numpy(dtype=object)
    return (
        values
        if kind in (FeatureKind.NUMERIC, FeatureKind.BOOLEAN)
        else np.array([str(value) for value in values], dtype=object)
    )


def _known(index: Any, ids: Sequence[Any]) -> list[Any]:
    by_text = {str(one): one for one in index}
    missing = [one for one in ids if str(one) not in by_text]
    if missing:
        raise ExecutionError(f"There is no row {missing[0]!r}; ids go from {index[0]} to {index[-1]}.")
    return [by_text[str(one)] for one in ids]
