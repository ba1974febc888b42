"""The labels that the encoder decides between: what a message asks for, the role of each mention, how a mention is used.

They follow the language of parses (`ttm.language.parse`); a corpus line gives them, and `compose.py` makes a parse of them.
"""

from collections.abc import Iterator

from ttm.language.parse import (
    AboutSystem,
    Capabilities,
    CategoricalCondition,
    Change,
    Compare,
    Correlate,
    CountData,
    Counterfactual,
    DataSummary,
    Define,
    Distribution,
    Effect,
    Explain,
    FollowUp,
    IdCondition,
    Important,
    Instance,
    Interact,
    Label,
    LabelCondition,
    Likelihood,
    MissingCondition,
    Mistake,
    ModelDescription,
    NumericCondition,
    Parse,
    Predict,
    PredictionCondition,
    PreviousFilter,
    PreviousOperation,
    ProbabilityCondition,
    Ranked,
    Score,
    Selection,
    Show,
    Similar,
    Statistic,
    Step,
    Threshold,
)

ROLES = ("condition", "compared", "change", "case", "argument", "class", "id", "count", "reference")
TAGS = ("O", *(f"{position}-{role}" for role in ROLES for position in "BI"))

# How a condition, a change or a part of a case uses what it names.
RELATIONS = (
    "is", "not", "greater", "at least", "less", "at most", "equal", "not equal", "between", "missing", "present",
    "increase", "decrease", "increase percent", "decrease percent", "set",
    "rows", "listed row", "operation",
)  # fmt: skip
OUTCOMES = ("column", "label", "prediction", "probability")  # what a class or an amount of the target is compared with

_SIMPLE = {
    Predict: "predict", Likelihood: "likelihood", Show: "show", Label: "label", CountData: "count", Statistic: "statistic",
    DataSummary: "data", Define: "define", ModelDescription: "model", Capabilities: "function", AboutSystem: "self",
    PreviousOperation: "previous operation", FollowUp: "follow up", Compare: "compare", Correlate: "correlate",
    Distribution: "distribution", Effect: "effect", Similar: "similar", Threshold: "threshold", Interact: "interact",
    Counterfactual: "counterfactual",
}  # fmt: skip
# Those that the corpus knows; what the language has beside them is reached by rule.
LEARNED_METRICS = (
    "default", "accuracy", "f1", "roc", "precision", "recall", "sensitivity", "specificity", "ppv", "npv", "confusion",
    "calibration", "mae", "rmse", "r2",
)  # fmt: skip
LEARNED_METHODS = ("features", "lime", "shap", "compare")
OPERATIONS = (
    *_SIMPLE.values(), *(f"explain {method}" for method in LEARNED_METHODS),
    "important all", "important top", "important bottom", "important one",
    "mistake sample", "mistake typical", "mistake count", *(f"score {metric}" for metric in LEARNED_METRICS),
    "highest", "lowest",
)  # fmt: skip
# What a reading has beside its operations. `keep`: it repeats some conditions of the turn before.
ASPECTS = (
    "where", "label condition", "prediction condition", "probability condition", "row", "missing value", "negation", "either",
    "versus", "case", "change", "previous rows", "keep",
)  # fmt: skip
OTHER = "other"  # an operation that no line of the corpus has
VERDICTS = ("ask", "refuse", "chat")
INGREDIENTS = (*OPERATIONS, *ASPECTS, *VERDICTS)

_CONDITIONS = {
    NumericCondition: "where", CategoricalCondition: "where", MissingCondition: "missing value", IdCondition: "row",
    LabelCondition: "label condition", PredictionCondition: "prediction condition",
    ProbabilityCondition: "probability condition", PreviousFilter: "previous rows",
}  # fmt: skip


def ingredients_of(parse: Parse) -> frozenset[str]:
    """What a parse consists of; conditions alone are counted, changes or a made-up case alone predicted."""
    ingredients = {ingredient for step in parse.steps for ingredient in _of_step(step)}
    if not ingredients & {*OPERATIONS, OTHER}:
        ingredients.add("predict" if ingredients & {"case", "change"} else "count")
    return frozenset(ingredients)


def _of_step(step: Step) -> Iterator[str]:
    if isinstance(step, Selection):
        yield from _of_selection(step)
    elif isinstance(step, Instance):
        yield "case"
    elif isinstance(step, Change):
        yield "change"
    else:
        yield operation_name(step)


def _of_selection(selection: Selection) -> Iterator[str]:
    if len(selection.groups) > 1:
        yield "versus"
    for group in selection.groups:
        if len(group) > 1:
            yield "either"
        for condition in (condition for alternative in group for condition in alternative):
            yield _CONDITIONS[type(condition)]
            if isinstance(condition, CategoricalCondition) and condition.negated:
                yield "negation"


def operation_name(step: Step) -> str:
    """The ingredient that an operation is."""
    match step:
        case Explain(method=method):
            return f"explain {method}"
        case Important(feature=feature, count=count, least=least):
            if feature is not None:
                return "important one"
            return "important all" if count is None else f"important {'bottom' if least else 'top'}"
        case Mistake(kind=kind):
            return f"mistake {kind}"
        case Score(metric=metric):
            return f"score {metric}"
        case Ranked(lowest=lowest):
            return "lowest" if lowest else "highest"
        case _:
            return _SIMPLE.get(type(step), OTHER)
