"""What the model says of rows, what is true of them, and from which probability it says so."""

from dataclasses import dataclass

from ttm.language.describe_group import likelihood_words
from ttm.language.operation_form import (
    ExampleNames,
    OperationForm,
    OperationNode,
    OperationRule,
    is_classification,
    plain,
    word,
)
from ttm.language.operations.scores import METRIC_NAMES
from ttm.language.selection import number_text
from ttm.tabular.data.schema import Schema


@dataclass(frozen=True)
class Predict(OperationNode):
    pass


@dataclass(frozen=True)
class Likelihood(OperationNode):
    pass


@dataclass(frozen=True)
class ClassLikelihood(OperationNode):
    """`likelihood class 0` (ours): the predicted probability of the class that was asked for."""

    class_number: int


@dataclass(frozen=True)
class Label(OperationNode):
    pass


@dataclass(frozen=True)
class Threshold(OperationNode):
    """`threshold 0.3` (ours): the probability from which the positive class is predicted in the rest of this turn."""

    value: float | None = None


@dataclass(frozen=True)
class ThresholdCost(OperationNode):
    """`threshold cost 5` (ours): the best threshold where a miss costs five times as much as a false alarm."""

    ratio: float


@dataclass(frozen=True)
class ThresholdReaching(OperationNode):
    """`threshold recall 0.9` (ours): the threshold with the least loss with which a score of REACHED is at least a share."""

    metric: str
    least: float


REACHED = ("recall", "precision", "specificity")


def cost_words(ratio: float) -> str:
    """What a miss costs against a false alarm, by the dearer of the two."""
    dearer, cheaper = ("a miss", "a false alarm") if ratio >= 1 else ("a false alarm", "a miss")
    return f"{dearer} costs {ratio if ratio >= 1 or not ratio else 1 / ratio:.4g} times {cheaper}"


def _likelihood_words(step: Likelihood, schema: Schema) -> str:
    return "the predicted probability of each class" if len(schema.target.classes) > 2 else likelihood_words(schema)


def _threshold_words(step: Threshold, schema: Schema) -> str:
    return "the decision threshold" if step.value is None else f"what a decision threshold of {step.value:g} does"


def _of_classes(label: str, text: str, names: ExampleNames) -> dict[str, str]:
    return {label: text} if names.schema.target.is_classification else {}


FORMS = (
    OperationForm(
        Likelihood,
        rules={"likelihood": OperationRule('"likelihood "', lambda children: Likelihood())},
        surface=lambda step: "likelihood",
        words=_likelihood_words,
        shapes=("likelihood",),
        examples=lambda names: _of_classes("Model: probability", "likelihood", names),
    ),
    OperationForm(
        ClassLikelihood,
        rules={
            "class_likelihood": OperationRule(
                '"likelihood " "class " CLASS', lambda children: ClassLikelihood(int(word(children[0]))), is_classification
            )
        },
        surface=lambda step: f"likelihood class {step.class_number}",
        words=lambda step, schema: f'the predicted probability of "{schema.target.classes[step.class_number]}"',
        shapes=("likelihood class N",),
        examples=lambda names: _of_classes("Model: probability of a class", "likelihood class 0", names),
    ),
    OperationForm(
        Threshold,
        rules={
            "threshold": OperationRule('"threshold " number?', lambda children: Threshold(children[0] if children else None))
        },
        surface=lambda step: "threshold" if step.value is None else f"threshold {number_text(step.value)}",
        words=_threshold_words,
        shapes=("threshold N", "threshold"),
        examples=lambda names: _of_classes("Model: decision threshold", "threshold 0.3", names),
    ),
    OperationForm(
        ThresholdCost,
        rules={"threshold_cost": OperationRule('"threshold " "cost " number', lambda children: ThresholdCost(children[0]))},
        surface=lambda step: f"threshold cost {number_text(step.ratio)}",
        words=lambda step, schema: f"the best threshold if {cost_words(step.ratio)}",
        shapes=("threshold cost N",),
        examples=lambda names: _of_classes("Model: threshold by cost", "threshold cost 5", names),
    ),
    OperationForm(
        ThresholdReaching,
        rules={
            "threshold_reaching": OperationRule(
                '"threshold " REACHED number', lambda children: ThresholdReaching(word(children[0]), children[1])
            )
        },
        terminals=lambda schema: {"REACHED": " | ".join(f'"{metric} "' for metric in REACHED)},
        surface=lambda step: f"threshold {step.metric} {number_text(step.least)}",
        words=lambda step, schema: f"the decision threshold at which {METRIC_NAMES[step.metric]} is at least {step.least:.4g}",
        shapes=(),  # no templates: the words for it are read by rules
        examples=lambda names: _of_classes("Model: threshold by recall", "threshold recall 0.9", names),
    ),
    plain(Predict, "predict", "the predictions", "Model: prediction"),
    plain(Label, "label", "the true outcomes", "Data: true outcomes"),
)
