"""A figure by group: a statistic or a score for each value of a column, and rows counted in a cross-table. All ours."""

from dataclasses import dataclass

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import ExampleNames, OperationForm, OperationNode, OperationRule, word
from ttm.language.operations.scores import METRIC_NAMES
from ttm.tabular.data.schema import Schema

PREDICTION = "prediction"
SHOWN_METRICS = ("default", "accuracy", "mae")


@dataclass(frozen=True)
class StatisticBy(OperationNode):
    """`statistic age by woman`: the mean of a number, or the shares of values, for each group of a column.

    `by` is a feature token, "target" for the true outcome or "prediction" for the predicted class.
    """

    feature: str  # a feature token or "target"
    by: str


@dataclass(frozen=True)
class ScoreBy(OperationNode):
    """`score accuracy by woman`: a score for each group of a column."""

    metric: str
    by: str


@dataclass(frozen=True)
class CountBy(OperationNode):
    """`countdata by woman`, `countdata by woman felony`: how many rows each group has, or each pair of groups."""

    by: str
    across: str | None = None


def grouping_words(token: str, schema: Schema) -> str:
    """The readable name of what rows are grouped by."""
    if token == PREDICTION:
        return "the predicted outcome" if schema.target.is_classification else f"the predicted {schema.target.label}"
    return feature_words(token, schema)


def _count_words(step: CountBy, schema: Schema) -> str:
    across = f" and {grouping_words(step.across, schema)}" if step.across else ""
    return f"how many there are by {grouping_words(step.by, schema)}{across}"


def _examples(names: ExampleNames) -> dict[str, str]:
    metric = "accuracy" if names.schema.target.is_classification else "mae"
    examples = {"Data: count by group": "countdata by target", "Model: score by group": f"score {metric} by {names.some}"}
    return examples | ({"Data: average by group": f"statistic {names.numeric} by target"} if names.numeric else {})


FORMS = (
    OperationForm(
        StatisticBy,
        rules={
            "statistic_by": OperationRule(
                '"statistic " feature_or_target "by " grouping', lambda children: StatisticBy(children[0], children[1])
            )
        },
        parts={"grouping": OperationRule("feature | TARGET | PREDICTION", lambda children: word(children[0]))},
        terminals=lambda schema: {"PREDICTION": f'"{PREDICTION} "'},
        surface=lambda step: f"statistic {step.feature} by {step.by}",
        words=lambda step, schema: f"{feature_words(step.feature, schema)} by {grouping_words(step.by, schema)}",
        shapes=("statistic F by F", "statistic F by target", "statistic F by prediction", "statistic target by F"),
        examples=_examples,
    ),
    OperationForm(
        ScoreBy,
        rules={
            "score_by": OperationRule(
                '"score " METRIC "by " grouping', lambda children: ScoreBy(word(children[0]), children[1])
            )
        },
        surface=lambda step: f"score {step.metric} by {step.by}",
        words=lambda step, schema: f"the model's {METRIC_NAMES[step.metric]} by {grouping_words(step.by, schema)}",
        shapes=tuple(f"score {metric} by F" for metric in SHOWN_METRICS),
    ),
    OperationForm(
        CountBy,
        rules={
            "count_by": OperationRule('"countdata " "by " grouping grouping?', lambda children: CountBy(*children)),
        },
        surface=lambda step: " ".join(["countdata by", step.by, *([step.across] if step.across else [])]),
        words=_count_words,
        shapes=(
            "countdata by F",
            "countdata by F F",
            "countdata by target",
            "countdata by prediction",
            "countdata by F target",
        ),
    ),
)
