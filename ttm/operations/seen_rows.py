"""The note under scores of a model on the very rows that it was trained on, where they look better than they are."""

from collections.abc import Mapping
from dataclasses import replace

from ttm.language.operations.breakdowns import ScoreBy
from ttm.language.operations.fairness import ThresholdByGroup
from ttm.language.operations.predictions import ThresholdCost, ThresholdReaching
from ttm.language.operations.scores import METRIC_NAMES, Gain, Residuals
from ttm.language.parse import Compare, Fairness, Mistake, Operation, Score, Threshold
from ttm.operations.rendering.answer import finer, number
from ttm.operations.results import Result
from ttm.operations.scores.render import score_text
from ttm.tabular.data.schema import Schema
from ttm.tabular.subject import Subject

JUDGING = (
    Compare, Fairness, Gain, Mistake, Residuals, Score, ScoreBy, Threshold, ThresholdByGroup, ThresholdCost, ThresholdReaching,
)  # fmt: skip
BY_GROUP = (Fairness, ScoreBy, ThresholdByGroup)
# The scores of an answer that cross-validation measured too, by their names there.
CROSS_VALIDATED = {
    "confusion": "accuracy", "accuracy": "accuracy", "f1": "f1", "roc": "roc_auc", "r2": "r2",
    "mae": "mean_absolute_error", "calibration": "calibration_error",
}  # fmt: skip


def with_note(result: Result, step: Operation, subject: Subject, side_by_side: bool = False) -> Result:
    """A result about right and wrong, with a note if the model has seen these very rows; others as they are.

    The note has the cross-validated value of the score that was asked for, or of accuracy (mean absolute error) where that
    was not measured. `side_by_side` says that the result is of one of several groups.
    """
    scores = subject.model.scores
    is_judging = isinstance(step, JUDGING) and getattr(step, "metric", "") != "baserate"
    if not is_judging or scores is None or not subject.trained_on_rows:
        return result
    elsewhere = _elsewhere(step, scores.means, subject)
    note = f"The model was trained on these very rows, so it looks better here than it is. {elsewhere}"
    if side_by_side or isinstance(step, BY_GROUP):
        note += " A difference between groups on such rows, tested or not, need not be there on others."
    return replace(result, group=replace(result.group, notes=(*result.group.notes, note)))


def _elsewhere(step: Operation, means: Mapping[str, float], subject: Subject) -> str:
    """How good the model is on other rows, by the score that was asked for if it is known."""
    asked = step.metric if isinstance(step, Score | ScoreBy | ThresholdReaching) else "default"
    overall = "accuracy" if subject.schema.target.is_classification else "mean_absolute_error"
    name = overall if asked == "default" else CROSS_VALIDATED.get(asked, "")
    text = f"On rows that it had not seen {_in_words(name if name in means else overall, means, subject.schema)}"
    unknown = "" if name in means else f"; its {METRIC_NAMES[asked]} there is not known"
    return f"{text} (cross-validation){unknown}."


def _in_words(name: str, means: Mapping[str, float], schema: Schema) -> str:
    value = means[name]
    if name == "accuracy":
        return f"it was right for {score_text(name, value)}"
    if name == "mean_absolute_error":
        return f"it was off by {number(value, finer(value, schema.target.precision))} on average"
    if name == "calibration_error":
        return f"its predicted probabilities were off by {100 * value:.1f} points on average"
    metric = {"roc_auc": "roc"}.get(name, name)
    text = f"{value:.3f}" if name == "r2" else score_text(name, value)
    return f"its {METRIC_NAMES[metric]} was {text}"
