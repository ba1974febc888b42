"""Groups and rows beside each other: groups of a feature, the ends of a ranking, correlation, similar rows. All ours."""

from dataclasses import dataclass

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import OperationForm, OperationNode, OperationRule, is_classification, word
from ttm.tabular.data.schema import Schema

CERTAINTY = "certainty"


@dataclass(frozen=True)
class Compare(OperationNode):
    """`compare woman` (ours): the groups that a feature makes, side by side; a numeric feature is cut at its quartiles."""

    feature: str


@dataclass(frozen=True)
class Ranked(OperationNode):
    """`highest 5 age`, `lowest 5 probability`, `highest 5 target` (ours): the rows at either end of a feature, of the model's
    output or, for a quantity, of its true value; `lowest 5 certainty`: of the probability of the class that is predicted."""

    count: int
    by: str  # a feature token, "probability", "target" or CERTAINTY
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


@dataclass(frozen=True)
class CorrelateAll(OperationNode):
    """`correlate all` (ours): how closely each two columns go together."""


@dataclass(frozen=True)
class Regress(OperationNode):
    """`regress glucose bmi` (ours): a straight line of the first number on the second, and all rows as points."""

    feature: str  # a feature token or "target"
    on: str


@dataclass(frozen=True)
class Contrast(OperationNode):
    """`contrast` (ours): one row beside all others; `contrast woman`: beside those with its value of a feature;
    `contrast class 1`: beside those predicted to be of a class."""

    feature: str | None = None
    class_number: int | None = None


def _contrast_surface(step: Contrast) -> str:
    if step.feature is not None:
        return f"contrast {step.feature}"
    return "contrast" if step.class_number is None else f"contrast class {step.class_number}"


def _contrast_words(step: Contrast, schema: Schema) -> str:
    if step.feature is not None:
        return f"how that one differs from the others with the same {feature_words(step.feature, schema)}"
    if step.class_number is None:
        return "how that one differs from all others"
    return f'how that one differs from those predicted to be "{schema.target.classes[step.class_number]}"'


def is_certainty(token: str, schema: Schema) -> bool:
    """Tell whether a token stands for the probability of the predicted class, which no column of that name hides."""
    return token == CERTAINTY and is_classification(schema) and token not in schema.by_token


def _ranked_words(step: Ranked, schema: Schema) -> str:
    what = feature_words(step.by, schema).removeprefix("the ")
    what = f"true {schema.target.label}" if step.by == "target" else what
    what = "probability of the predicted class" if is_certainty(step.by, schema) else what
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
                "RANKING count (feature_or_target | PROBABILITY)",
                lambda children: Ranked(children[1], word(children[2]), lowest=word(children[0]) == "lowest"),
            ),
            "ranked_by_certainty": OperationRule(
                f'RANKING count "{CERTAINTY} "',
                lambda children: Ranked(children[1], CERTAINTY, lowest=word(children[0]) == "lowest"),
                lambda schema: is_certainty(CERTAINTY, schema),
            ),
        },
        terminals=lambda schema: {"RANKING": '"highest " | "lowest "'},
        surface=lambda step: f"{'lowest' if step.lowest else 'highest'} {step.count} {step.by}",
        words=_ranked_words,
        shapes=tuple(f"{end} N {by}" for end in ("highest", "lowest") for by in ("F", "probability", "target")),
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
        CorrelateAll,
        rules={"correlate_all": OperationRule('"correlate all "', lambda children: CorrelateAll())},
        surface=lambda step: "correlate all",
        words=lambda step, schema: "how closely each two columns go together",
        shapes=("correlate all",),
        examples=lambda names: {"Data: correlation of all columns": "correlate all"},
    ),
    OperationForm(
        Regress,
        rules={"regress": OperationRule('"regress " feature_or_target feature', lambda children: Regress(*children))},
        surface=lambda step: f"regress {step.feature} {step.on}",
        words=lambda step, schema: (
            f"a line of {feature_words(step.feature, schema)} on {feature_words(step.on, schema)}, with all points"
        ),
        shapes=("regress F F", "regress target F"),
        examples=lambda names: (
            {"Data: line through points": f"regress target {names.some}"} if not names.schema.target.is_classification else {}
        ),
    ),
    OperationForm(
        Contrast,
        rules={
            "contrast": OperationRule('"contrast " feature?', lambda children: Contrast(*children)),
            "contrast_class": OperationRule(
                '"contrast " "class " CLASS',
                lambda children: Contrast(class_number=int(word(children[0]))),
                is_classification,
            ),
        },
        surface=_contrast_surface,
        words=_contrast_words,
        shapes=("contrast", "contrast F", "contrast class N"),
        examples=lambda names: {"Data: one row beside all others": "contrast"},
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
