"""The abstract syntax of the parse language and its surface.

A parse is a sequence of steps. A run of filters is one step, a `Selection`; everything else is an operation. Feature names
and categorical values are kept as their tokens, so a parse can be written back without knowing the data set;
`operations/execution_engine.py` looks them up. The meaning of each step is in `operations/`.

Source: TalkToModel, Table 1 and appendix A.2; the operations that the paper lacks are marked "ours".
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Comparator(StrEnum):
    GREATER = "greater than"
    LESS = "less than"
    GREATER_EQUAL = "greater equal than"
    LESS_EQUAL = "less equal than"
    EQUAL = "equal to"
    NOT_EQUAL = "not equal to"


class Joiner(StrEnum):
    AND = "and"
    OR = "or"
    VERSUS = "versus"


# --- conditions: what a row must satisfy ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class NumericCondition:
    """`filter age greater than 30`; a date feature takes ISO dates, kept as text in `value`."""

    feature: str
    comparator: Comparator
    value: float | str


@dataclass(frozen=True)
class CategoricalCondition:
    """`filter felony true`, `filter purpose car`; `negated` (ours): `filter purpose not car`."""

    feature: str
    value: str
    negated: bool = False


@dataclass(frozen=True)
class MissingCondition:
    """`filter insulin missing` or `filter insulin present` (ours)."""

    feature: str
    missing: bool


@dataclass(frozen=True)
class IdCondition:
    """`filter id 100`: one instance."""

    id: str


@dataclass(frozen=True)
class LabelCondition:
    """`labelfilter 1`: the true class. For regression `labelfilter greater than 20` (ours)."""

    value: int | float
    comparator: Comparator | None = None


@dataclass(frozen=True)
class PredictionCondition:
    """`predictionfilter 0`: the predicted class. For regression `predictionfilter less than 20` (ours)."""

    value: int | float
    comparator: Comparator | None = None


@dataclass(frozen=True)
class ProbabilityCondition:
    """`probabilityfilter 1 greater than 0.7` (ours): the predicted probability, 0 to 1, of a class."""

    class_number: int
    comparator: Comparator
    value: float


@dataclass(frozen=True)
class PreviousFilter:
    """`previousfilter`: the filters and changes of the last turn that had any."""


Condition = (
    NumericCondition
    | CategoricalCondition
    | MissingCondition
    | IdCondition
    | LabelCondition
    | PredictionCondition
    | ProbabilityCondition
    | PreviousFilter
)

Expression = tuple[tuple[Condition, ...], ...]  # alternatives (or) of conjunctions (and): `and` binds tighter


# --- steps ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """A run of filters. More than one group (ours): `filter woman true versus filter woman false and likelihood`.

    `joiner` says how the run relates to the rows that earlier steps left: `and` narrows them, `or` adds to them.
    """

    groups: tuple[Expression, ...]
    joiner: Joiner = Joiner.AND


@dataclass(frozen=True)
class Instance:
    """`instance age 45 bmi 31` (ours): one made-up row; features that are not named take a typical value."""

    values: tuple[tuple[str, float | str], ...]


class ChangeKind(StrEnum):
    INCREASE = "increase"
    DECREASE = "decrease"
    SET = "set"


@dataclass(frozen=True)
class Change:
    """`change age increase 5`, `change felony true`; `percent` (ours): `change bmi decrease 10 percent`.

    `kind` is None for a categorical or boolean feature, whose surface is the value alone.
    """

    feature: str
    kind: ChangeKind | None
    value: float | str
    percent: bool = False


class Method(StrEnum):
    """How features are weighed: `features` takes the most faithful method, `compare` shows all of them (ours).

    `paper` (ours) takes the most faithful one by equation 1 of the paper, with stability to break ties.
    """

    FEATURES = "features"
    LIME = "lime"
    SHAP = "shap"
    COMPARE = "compare"
    PAPER = "paper"


@dataclass(frozen=True)
class Explain:
    method: Method = Method.FEATURES


@dataclass(frozen=True)
class Counterfactual:
    """`explain cfe`; ours: a count, a wanted class (`class 1`) or, for regression, a wanted range (`greater than 20`).

    Then, also ours, what may change: `keep age` leaves a feature as it is, `only bmi` changes no others, each as often as one
    likes; `most 2` changes at most two; and `dice` asks DiCE as well.
    """

    count: int | None = None
    class_number: int | None = None
    comparator: Comparator | None = None
    value: float | None = None
    keep: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    most: int | None = None
    dice: bool = False


@dataclass(frozen=True)
class Important:
    """`important age`, `important all`, `important topk 3`; `important bottomk 3` is ours. Both None means all."""

    feature: str | None = None
    count: int | None = None
    least: bool = False


@dataclass(frozen=True)
class Interact:
    """`interact`; two named features (`interact age bmi`) are ours."""

    features: tuple[str, str] | None = None


@dataclass(frozen=True)
class Mistake:
    kind: str  # sample, typical or count


@dataclass(frozen=True)
class Predict:
    pass


@dataclass(frozen=True)
class Likelihood:
    pass


METRICS = (
    "default", "accuracy", "f1", "roc", "precision", "recall", "sensitivity", "specificity", "ppv", "npv",
    "confusion", "calibration", "fpr", "fnr", "selection", "baserate", "mae", "rmse", "r2",
)  # fmt: skip


@dataclass(frozen=True)
class Score:
    """`score accuracy`; from `confusion` on, the metrics in METRICS are ours (the last three for regression).

    `fpr` and `fnr` are the false positive and false negative rate, `selection` the share of rows predicted to be of the
    positive class, `baserate` the share truly of it.
    """

    metric: str = "default"


@dataclass(frozen=True)
class Show:
    pass


@dataclass(frozen=True)
class Label:
    pass


@dataclass(frozen=True)
class CountData:
    pass


@dataclass(frozen=True)
class Statistic:
    feature: str  # a feature token or "target"


@dataclass(frozen=True)
class DataSummary:
    pass


@dataclass(frozen=True)
class Define:
    feature: str  # a feature token or "target"


@dataclass(frozen=True)
class ModelDescription:
    pass


@dataclass(frozen=True)
class Capabilities:
    """`function`: what can be asked."""


@dataclass(frozen=True)
class AboutSystem:
    """`self`: what answers here."""


@dataclass(frozen=True)
class PreviousOperation:
    pass


@dataclass(frozen=True)
class FollowUp:
    pass


@dataclass(frozen=True)
class Compare:
    """`compare woman` (ours): the groups that a feature makes, side by side; a numeric feature is cut at its quartiles."""

    feature: str


@dataclass(frozen=True)
class Fairness:
    """`fairness woman`, `fairness woman class 0` (ours): rates of right and wrong predictions of a class by group.

    The class is the last of two where it is None; of several it has to be named.
    """

    feature: str
    class_number: int | None = None


@dataclass(frozen=True)
class Ranked:
    """`highest 5 age`, `lowest 5 probability` (ours): the rows at either end of a feature or of the model's output."""

    count: int
    by: str  # a feature token or "probability"
    lowest: bool = False


@dataclass(frozen=True)
class Correlate:
    """`correlate age bmi`, `correlate age target`, or `correlate age` with everything (ours)."""

    feature: str
    other: str | None = None


@dataclass(frozen=True)
class Distribution:
    """`distribution age`, `distribution target`, `distribution probability` (ours)."""

    feature: str


@dataclass(frozen=True)
class Effect:
    """`effect age` (ours): how the prediction moves with one feature (partial dependence)."""

    feature: str


@dataclass(frozen=True)
class Similar:
    """`similar 5` (ours): the rows most like the one selected."""

    count: int = 5


@dataclass(frozen=True)
class Threshold:
    """`threshold 0.3` (ours): the probability from which the positive class is predicted in the rest of this turn."""

    value: float | None = None


Operation = (
    Change | Explain | Counterfactual | Important | Interact | Mistake | Predict | Likelihood | Score | Show | Label
    | CountData | Statistic | DataSummary | Define | ModelDescription | Capabilities | AboutSystem | PreviousOperation
    | FollowUp | Compare | Fairness | Ranked | Correlate | Distribution | Effect | Similar | Threshold
)  # fmt: skip
Step = Selection | Instance | Operation


@dataclass(frozen=True)
class Parse:
    """A whole utterance, understood. `str()` gives its canonical surface, ending in ` [e]`."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return " ".join([*_joined(self.items()), "[e]"])

    def items(self) -> list[tuple[Joiner, str]]:
        """The filters and operations one by one, each with the word that joins it to what stands before it."""
        return [item for step in self.steps for item in _items(step)]


def text_of(items: list[tuple[Joiner, str]]) -> str:
    """The surface of a list of items as `Parse.items` gives it, perhaps edited; to be read by `grammar.read`."""
    return " ".join([*_joined(items), "[e]"])


def _joined(items: list[tuple[Joiner, str]]) -> list[str]:
    return [text if not i else f"{joiner} {text}" for i, (joiner, text) in enumerate(items)]


def _items(step: Step) -> list[tuple[Joiner, str]]:
    if not isinstance(step, Selection):
        return [(Joiner.AND, surface(step))]
    items: list[tuple[Joiner, str]] = []
    for group_number, group in enumerate(step.groups):
        for alternative_number, alternative in enumerate(group):
            for condition_number, condition in enumerate(alternative):
                if condition_number:
                    joiner = Joiner.AND
                elif alternative_number:
                    joiner = Joiner.OR
                else:
                    joiner = Joiner.VERSUS if group_number else step.joiner
                items.append((joiner, surface(condition)))
    return items


def number_text(value: float | str) -> str:
    """A number as the parse language writes it: no exponent, no trailing zeros."""
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() else format(Decimal(repr(float(value))), "f")


def surface(node: Condition | Instance | Operation) -> str:
    """One condition or operation in the parse language."""
    return SURFACES[type(node)](node)


def _outcome(word: str, node: LabelCondition | PredictionCondition) -> str:
    if node.comparator is None:
        return f"{word} {node.value}"
    return f"{word} {node.comparator} {number_text(node.value)}"


def _counterfactual(node: Counterfactual) -> str:
    words = ["explain cfe"]
    if node.count is not None:
        words.append(str(node.count))
    if node.class_number is not None:
        words.append(f"class {node.class_number}")
    if node.comparator is not None and node.value is not None:
        words.append(f"{node.comparator} {number_text(node.value)}")
    words += [f"keep {name}" for name in node.keep] + [f"only {name}" for name in node.only]
    words += [f"most {node.most}"] * (node.most is not None) + ["dice"] * node.dice
    return " ".join(words)


def _change(node: Change) -> str:
    if node.kind is None:
        return f"change {node.feature} {node.value}"
    return f"change {node.feature} {node.kind} {number_text(node.value)}{' percent' if node.percent else ''}"


def _important(node: Important) -> str:
    if node.feature is not None:
        return f"important {node.feature}"
    if node.count is None:
        return "important all"
    return f"important {'bottomk' if node.least else 'topk'} {node.count}"


def _word(word: str) -> Callable[..., str]:
    return lambda node: word


SURFACES: dict[type, Callable[..., str]] = {
    NumericCondition: lambda n: f"filter {n.feature} {n.comparator} {number_text(n.value)}",
    CategoricalCondition: lambda n: f"filter {n.feature} {'not ' if n.negated else ''}{n.value}",
    MissingCondition: lambda n: f"filter {n.feature} {'missing' if n.missing else 'present'}",
    IdCondition: lambda n: f"filter id {n.id}",
    LabelCondition: lambda n: _outcome("labelfilter", n),
    PredictionCondition: lambda n: _outcome("predictionfilter", n),
    ProbabilityCondition: lambda n: f"probabilityfilter {n.class_number} {n.comparator} {number_text(n.value)}",
    PreviousFilter: _word("previousfilter"),
    Instance: lambda n: "instance " + " ".join(f"{name} {number_text(value)}" for name, value in n.values),
    Change: _change,
    Explain: lambda n: f"explain {n.method}",
    Counterfactual: _counterfactual,
    Important: _important,
    Interact: lambda n: "interact" if n.features is None else f"interact {n.features[0]} {n.features[1]}",
    Mistake: lambda n: f"mistake {n.kind}",
    Predict: _word("predict"),
    Likelihood: _word("likelihood"),
    Score: lambda n: f"score {n.metric}",
    Show: _word("show"),
    Label: _word("label"),
    CountData: _word("countdata"),
    Statistic: lambda n: f"statistic {n.feature}",
    DataSummary: _word("data"),
    Define: lambda n: f"define {n.feature}",
    ModelDescription: _word("model"),
    Capabilities: _word("function"),
    AboutSystem: _word("self"),
    PreviousOperation: _word("previousoperation"),
    FollowUp: _word("followup"),
    Compare: lambda n: f"compare {n.feature}",
    Fairness: lambda n: f"fairness {n.feature}{'' if n.class_number is None else f' class {n.class_number}'}",
    Ranked: lambda n: f"{'lowest' if n.lowest else 'highest'} {n.count} {n.by}",
    Correlate: lambda n: f"correlate {n.feature}{'' if n.other is None else ' ' + n.other}",
    Distribution: lambda n: f"distribution {n.feature}",
    Effect: lambda n: f"effect {n.feature}",
    Similar: lambda n: f"similar {n.count}",
    Threshold: lambda n: "threshold" if n.value is None else f"threshold {number_text(n.value)}",
}
