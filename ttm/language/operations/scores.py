"""How well the model does: scores, and its mistakes."""

from dataclasses import dataclass
from typing import Any

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import ExampleNames, OperationForm, OperationNode, OperationRule, predicts_quantity, word
from ttm.language.selection import number_text
from ttm.tabular.data.schema import Schema
from ttm.tabular.model.other_models import MODEL_NAMES, model_words

METRICS = (
    "default", "accuracy", "f1", "roc", "precision", "recall", "sensitivity", "specificity", "ppv", "npv",
    "confusion", "calibration", "fpr", "fnr", "selection", "baserate", "balanced", "mae", "rmse", "r2",
)  # fmt: skip
OF_CLASSES_ONLY = frozenset(METRICS) - {"default", "mae", "rmse", "r2"}
OF_NUMBERS_ONLY = frozenset({"mae", "rmse", "r2"})
METRIC_NAMES = {
    "default": "accuracy and the other scores",
    "accuracy": "accuracy",
    "f1": "F1 score",
    "roc": "area under the ROC curve",
    "precision": "precision",
    "recall": "recall",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "positive predictive value",
    "npv": "negative predictive value",
    "confusion": "confusion matrix",
    "calibration": "calibration",
    "fpr": "false positive rate",
    "fnr": "false negative rate",
    "selection": "selection rate",
    "baserate": "base rate",
    "balanced": "balanced accuracy",
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
    "r2": "R²",
}
TOO = {"over": "high", "under": "low"}  # what a quantity is predicted on a side of the truth
MISTAKES = {
    "sample": "examples of wrong predictions",
    "typical": "where the model is typically wrong",
    "count": "how often the model is wrong",
}


@dataclass(frozen=True)
class Score(OperationNode):
    """`score accuracy`; from `confusion` on, the metrics in METRICS are ours (the last three for regression).

    `fpr` and `fnr` are the false positive and false negative rate, `selection` the share of rows predicted to be of the
    positive class, `baserate` the share truly of it, `balanced` the mean of the recalls of all classes.
    """

    metric: str = "default"


@dataclass(frozen=True)
class Mistake(OperationNode):
    kind: str  # sample, typical or count


@dataclass(frozen=True)
class Gain(OperationNode):
    """`gain`, `gain 50`, `gain 20 percent` (ours): lift and cumulative gain of taking the rows with the highest predicted
    probability first; with a number, of taking so many rows, or such a share of them."""

    amount: float | None = None
    percent: bool = False


@dataclass(frozen=True)
class Residuals(OperationNode):
    """`residuals`, `residuals 5` (ours): how far predictions lie from the truth, and the rows where they are farthest off.

    `residuals 5 over`, `residuals 5 under`: the rows whose quantity is predicted too high, or too low, by most.
    """

    count: int | None = None
    side: str = ""  # over, under or either


@dataclass(frozen=True)
class Without(OperationNode):
    """`without age` (ours): how good the model is without a feature, refitted or with the feature hidden."""

    feature: str


def _gain(children: list[Any]) -> Gain:
    return Gain(children[0] if children else None, percent=len(children) > 1)


def _gain_surface(step: Gain) -> str:
    if step.amount is None:
        return "gain"
    return f"gain {number_text(step.amount)}{' percent' if step.percent else ''}"


def _gain_words(step: Gain, schema: Schema) -> str:
    if step.amount is None:
        return "lift and cumulative gain"
    share = f"{number_text(step.amount)}%" if step.percent else f"{number_text(step.amount)} rows"
    return f"lift and gain of the {share} with the highest predicted probability"


def _residual_words(step: Residuals, schema: Schema) -> str:
    if step.count is None:
        return "how far the predictions lie from the truth"
    if step.side:
        return f"the {step.count} rows whose {schema.target.label} is predicted too {TOO[step.side]} by most"
    return f"the {step.count} rows where the prediction is farthest from the truth"


def _residual_surface(step: Residuals) -> str:
    return " ".join(str(part) for part in ("residuals", step.count, step.side) if part)


def _metrics(schema: Schema) -> dict[str, str]:
    missing = OF_NUMBERS_ONLY if schema.target.is_classification else OF_CLASSES_ONLY
    return {"METRIC": " | ".join(f'"{metric} "' for metric in METRICS if metric not in missing)}


def _mistake_examples(names: ExampleNames) -> dict[str, str]:
    return {
        "Model: wrong predictions": "mistake sample",
        "Model: typical mistakes": "mistake typical",
        "Model: number of mistakes": "mistake count",
    }


@dataclass(frozen=True)
class Models(OperationNode):
    """`models linear`: the model beside another one of the same table, which `kind` names: one of MODEL_NAMES.

    For several rows, the scores of both, where they disagree, and what each rests on; for one row, what both predict.
    """

    kind: str


FORMS = (
    OperationForm(
        Score,
        rules={"score": OperationRule('"score " METRIC', lambda children: Score(word(children[0])))},
        terminals=_metrics,
        surface=lambda step: f"score {step.metric}",
        words=lambda step, schema: f"the model's {METRIC_NAMES[step.metric]}",
        shapes=tuple(f"score {metric}" for metric in METRICS),
        examples=lambda names: {"Model: scores": "score default"},
    ),
    OperationForm(
        Mistake,
        rules={"mistake": OperationRule('"mistake " MISTAKE', lambda children: Mistake(word(children[0])))},
        terminals=lambda schema: {"MISTAKE": '"sample " | "typical " | "count "'},
        surface=lambda step: f"mistake {step.kind}",
        words=lambda step, schema: MISTAKES[step.kind],
        shapes=tuple(f"mistake {kind}" for kind in MISTAKES),
        examples=_mistake_examples,
    ),
    OperationForm(
        Residuals,
        rules={
            "residuals": OperationRule('"residuals " count?', lambda children: Residuals(*children)),
            "residuals_of_side": OperationRule(
                '"residuals " count SIDE', lambda children: Residuals(children[0], word(children[1])), predicts_quantity
            ),
        },
        terminals=lambda schema: {"SIDE": '"over " | "under "'} if predicts_quantity(schema) else {},
        surface=_residual_surface,
        words=_residual_words,
        shapes=("residuals", "residuals N", "residuals N over", "residuals N under"),
        examples=lambda names: {"Model: largest errors": "residuals 5"},
    ),
    OperationForm(
        Without,
        rules={"without": OperationRule('"without " feature', lambda children: Without(children[0]))},
        surface=lambda step: f"without {step.feature}",
        words=lambda step, schema: f"how good the model is without {feature_words(step.feature, schema)}",
        shapes=("without F",),
        examples=lambda names: {"Model: scores without a feature": f"without {names.some}"},
    ),
    OperationForm(
        Gain,
        rules={"gain": OperationRule('"gain " (number PERCENT?)?', _gain)},
        surface=_gain_surface,
        words=_gain_words,
        shapes=("gain", "gain N", "gain N percent"),
        examples=lambda names: {"Model: lift and gain": "gain"},
    ),
    OperationForm(
        Models,
        rules={"models": OperationRule('"models " MODEL_KIND', lambda children: Models(word(children[0])))},
        terminals=lambda schema: {"MODEL_KIND": " | ".join(f'"{kind} "' for kind in MODEL_NAMES)},
        surface=lambda step: f"models {step.kind}",
        words=lambda step, schema: f"the model beside {model_words(step.kind, schema)}",
        shapes=(),  # no templates: it is reached from the screen, by its code, and by the phrases of plain_requests
        examples=lambda names: {"Model: beside another one": "models linear"},
    ),
)
