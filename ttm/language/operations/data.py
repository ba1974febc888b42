"""The data: its rows and how many, what its columns hold and mean; and what the model is."""

from dataclasses import dataclass

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import OperationForm, OperationNode, OperationRule, plain, word
from ttm.language.terms import terms

FARTHEST = 10  # rows that `outliers` lists


@dataclass(frozen=True)
class Show(OperationNode):
    """`show`; `show 5` (ours): the first five rows."""

    count: int | None = None


@dataclass(frozen=True)
class CountData(OperationNode):
    pass


@dataclass(frozen=True)
class Statistic(OperationNode):
    feature: str  # a feature token or "target"


@dataclass(frozen=True)
class DataSummary(OperationNode):
    pass


@dataclass(frozen=True)
class Gaps(OperationNode):
    """`gaps` (ours): how many rows have no value, column by column."""


@dataclass(frozen=True)
class Define(OperationNode):
    feature: str  # a feature token or "target"


@dataclass(frozen=True)
class DefineTerm(OperationNode):
    """`meaning recall` (ours): what a term means, by its name in terms.toml."""

    term: str


@dataclass(frozen=True)
class ModelDescription(OperationNode):
    pass


@dataclass(frozen=True)
class Distribution(OperationNode):
    """`distribution age`, `distribution target`, `distribution probability` (ours)."""

    feature: str


@dataclass(frozen=True)
class Drift(OperationNode):
    """`drift` (ours): which columns are distributed otherwise than in the rows that the model was trained on."""


@dataclass(frozen=True)
class Outliers(OperationNode):
    """`outliers`, `outliers 5` (ours): the rows that are farthest from all rows that the model was trained on."""

    count: int = FARTHEST


def _outliers_surface(step: Outliers) -> str:
    return "outliers" if step.count == FARTHEST else f"outliers {step.count}"


FORMS = (
    OperationForm(
        Show,
        rules={"show": OperationRule('"show " count?', lambda children: Show(*children))},
        surface=lambda step: "show" if step.count is None else f"show {step.count}",
        words=lambda step, schema: "the data themselves" if step.count is None else f"the first {step.count} rows",
        shapes=("show", "show N"),
        examples=lambda names: {"Data: show rows": "show"},
    ),
    plain(CountData, "countdata", "how many there are", "Data: count rows"),
    OperationForm(
        Statistic,
        rules={"statistic": OperationRule('"statistic " feature_or_target', lambda children: Statistic(children[0]))},
        surface=lambda step: f"statistic {step.feature}",
        words=lambda step, schema: f"summary statistics of {feature_words(step.feature, schema)}",
        shapes=("statistic F", "statistic target"),
        examples=lambda names: {"Data: statistics": f"statistic {names.some}"},
    ),
    OperationForm(
        Distribution,
        rules={
            "distribution": OperationRule(
                '"distribution " (feature_or_target | PROBABILITY)', lambda children: Distribution(word(children[0]))
            )
        },
        surface=lambda step: f"distribution {step.feature}",
        words=lambda step, schema: f"the distribution of {feature_words(step.feature, schema)}",
        shapes=("distribution F", "distribution target", "distribution probability"),
        examples=lambda names: {"Data: distribution": f"distribution {names.some}"},
    ),
    OperationForm(
        Define,
        rules={"define": OperationRule('"define " feature_or_target', lambda children: Define(children[0]))},
        surface=lambda step: f"define {step.feature}",
        words=lambda step, schema: f"what {feature_words(step.feature, schema)} means",
        shapes=("define F", "define target"),
        examples=lambda names: {"Data: meaning of a feature": f"define {names.some}"},
    ),
    OperationForm(
        DefineTerm,
        rules={"meaning": OperationRule('"meaning " TERM', lambda children: DefineTerm(word(children[0])))},
        terminals=lambda schema: {"TERM": " | ".join(f'"{name} "' for name, term in terms().items() if term.fits(schema))},
        surface=lambda step: f"meaning {step.term}",
        words=lambda step, schema: f'what "{terms()[step.term].called[0]}" means',
        shapes=(),  # no templates: what people say for a term stands in terms.toml
        examples=lambda names: {"Model: meaning of a term": "meaning feature"},
    ),
    plain(DataSummary, "data", "what the data are about"),
    plain(Gaps, "gaps", "how many values are missing in each column", "Data: missing values"),
    plain(ModelDescription, "model", "what the model is"),
    plain(Drift, "drift", "which columns have drifted from the training rows", "Data: columns that have drifted"),
    OperationForm(
        Outliers,
        rules={"outliers": OperationRule('"outliers " count?', lambda children: Outliers(*children))},
        surface=_outliers_surface,
        words=lambda step, schema: f"the {step.count} rows that are least like the training rows",
        shapes=("outliers", "outliers N"),
        examples=lambda names: {"Data: outliers": "outliers"},
    ),
)
