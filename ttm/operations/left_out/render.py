"""Words and a table for the model without one of its features."""

from collections.abc import Callable
from typing import Any

from ttm.language.describe_parse import METRIC_NAMES
from ttm.operations.breakdowns.render import p_text, score_value
from ttm.operations.left_out.run import WithoutFeature
from ttm.operations.rendering.answer import Answer, AnswerTable, label_of, onward, opening, percent, scale_of
from ttm.operations.rendering.figures import bars
from ttm.operations.scores.render import few_rows
from ttm.tabular.data.schema import Schema

SHOWN = ("accuracy", "precision", "recall", "f1", "fpr", "fnr")
OF_VALUES = ("mae", "rmse", "r2")
CLEAR = 0.05


def without_feature(result: WithoutFeature, schema: Schema) -> Answer:
    is_class, name = schema.target.is_classification, label_of(result.column, schema)
    metric = "accuracy" if is_class else "mae"
    values = [score_value(metric, of[metric].value, schema) for of in (result.before, result.after)]
    text = (
        f"{opening(result.group)}, the model's {METRIC_NAMES[metric]} without {name} is **{values[1]}** against "
        f"{values[0]} with "
        f"it{_loss(result, schema)}. {_how(result, name)}{few_rows(result.rows)}"
    )
    names = [one for one in (SHOWN if is_class else OF_VALUES) if one in result.before]
    rows = tuple(
        (METRIC_NAMES[one], *(score_value(one, of[one].value, schema) for of in (result.before, result.after))) for one in names
    )
    table = AnswerTable("", ("score", "with", "without"), rows)
    shown = {"with": [result.before[one].value for one in names], "without": [result.after[one].value for one in names]}
    title = f"Scores without {schema.by_name[result.column].label}"
    figure = bars([METRIC_NAMES[one] for one in names], shown, title, "", percent=True) if is_class else None
    token = schema.by_name[result.column].token
    return Answer(text, (table,), figure, onward(result.group, f"important {token}", f"effect {token}"))


def _loss(result: WithoutFeature, schema: Schema) -> str:
    verdict = f"{p_text(result.p)}: {'a difference beyond chance' if result.p < CLEAR else 'no clear difference'}"
    if schema.target.is_classification:
        rows = f"{_rows(result.broken)} right only with it, {_rows(result.mended)} only without it, {verdict}"
        if result.low is None or result.high is None:
            return f" ({rows})"
        return f" (95% interval {-100 * result.high:+.1f} to {-100 * result.low:+.1f} points; {rows})"
    share = f"{percent(result.broken / max(result.broken + result.mended, 1))} of rows are predicted worse, {verdict}"
    if result.low is None or result.high is None:
        return f" ({share})"
    scale = scale_of("", schema)
    ends = f"{scale.fine(result.low)} to {scale.fine(result.high)}{scale.unit_text}"
    return f" (95% interval of the change {ends}; {share})"


def _rows(count: int) -> str:
    return f"{count:,} {'row is' if count == 1 else 'rows are'}"


def _how(result: WithoutFeature, name: str) -> str:
    if not result.refitted:
        return (
            f"The model was not trained here, so {name} was hidden: it took the values of random training rows. A model "
            f"trained "
            "without it could make up for some of that."
        )
    seen = (
        f"in {result.folds} folds, each predicted by a model that had not seen it" if result.folds else "on the training rows"
    )
    return f"The model was trained again both with and without {name}, {seen}."


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {WithoutFeature: without_feature}
