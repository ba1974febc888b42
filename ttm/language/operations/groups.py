"""Groups and rows beside each other: groups of a feature, the ends of a ranking, correlation, similar rows. All ours."""

from dataclasses import dataclass

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import OperationForm, OperationNode, OperationRule, word
from ttm.tabular.data.schema import Schema


@dataclass(frozen=True)
class Compare(OperationNode):
    """`compare woman` (ours): the groups that a feature makes, side by side; a numeric feature is cut at its quartiles."""

    feature: str


@dataclass(frozen=True)
class Ranked(OperationNode):
    """`highest 5 age`, `lowest 5 probability` (ours): the rows at either end of a feature or of the model's output."""

    count: int
    by: str  # a feature token or "probability"
    lowest: bool = False


@dataclass(frozen=True)
class Correlate(OperationNode):
    """`correlate age bmi`, `correlate age target`, or `correlate age` with everything (ours)."""

    feature: str
    other: str | None = None


@dataclass(frozen=True)
class Similar(OperationNode):
    """`similar 5` (ours): the rows most like the one selected."""

    count: int = 5


def _ranked_words(step: Ranked, schema: Schema) -> str:
    what = feature_words(step.by, schema).removeprefix("the ")
    return f"the {step.count} with the {'lowest' if step.lowest else 'highest'} {what}"


def _correlate_words(step: Correlate, schema: Schema) -> str:
    other = feature_words(step.other, schema) if step.other else "the rest"
    return f"how {feature_words(step.feature, schema)} goes with {other}"


FORMS = (
    OperationForm(
        Compare,
        rules={"compare": OperationRule('"compare " feature', lambda children: Compare(children[0]))},
        surface=lambda step: f"compare {step.feature}",
        words=lambda step, schema: f"a comparison of groups by {feature_words(step.feature, schema)}",
        shapes=("compare F",),
        examples=lambda names: {"Data: compare groups": f"compare {names.some}"},
    ),
    OperationForm(
        Ranked,
        rules={
            "ranked": OperationRule(
                "RANKING count (feature | PROBABILITY)",
                lambda children: Ranked(children[1], word(children[2]), lowest=word(children[0]) == "lowest"),
            )
        },
        terminals=lambda schema: {"RANKING": '"highest " | "lowest "'},
        surface=lambda step: f"{'lowest' if step.lowest else 'highest'} {step.count} {step.by}",
        words=_ranked_words,
        shapes=tuple(f"{end} N {by}" for end in ("highest", "lowest") for by in ("F", "probability")),
        examples=lambda names: {"Data: highest or lowest": f"highest 5 {names.some}"},
    ),
    OperationForm(
        Correlate,
        rules={"correlate": OperationRule('"correlate " feature feature_or_target?', lambda children: Correlate(*children))},
        surface=lambda step: " ".join(["correlate", step.feature, *([step.other] if step.other else [])]),
        words=_correlate_words,
        shapes=("correlate F", "correlate F F", "correlate F target"),
        examples=lambda names: {"Data: correlation": f"correlate {names.some}"},
    ),
    OperationForm(
        Similar,
        rules={"similar": OperationRule('"similar " count', lambda children: Similar(children[0]))},
        surface=lambda step: f"similar {step.count}",
        words=lambda step, schema: f"the {step.count} most similar ones",
        shapes=("similar N",),
        examples=lambda names: {"Data: similar rows": "similar 5"},
    ),
)
