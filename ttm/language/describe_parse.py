"""Parses in plain words: how an utterance was understood, and which group an answer speaks of."""

from ttm.language.describe_group import (
    COMPARATORS,
    change_words,
    condition_words,
    expression_words,
    feature_words,
    group_words,
    instance_words,
    likelihood_words,
)
from ttm.language.parse import (
    AboutSystem,
    Capabilities,
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
    Fairness,
    FollowUp,
    Important,
    Instance,
    Interact,
    Joiner,
    Label,
    Likelihood,
    Method,
    Mistake,
    ModelDescription,
    Operation,
    Parse,
    Predict,
    PreviousOperation,
    Ranked,
    Score,
    Selection,
    Show,
    Similar,
    Statistic,
    Threshold,
    number_text,
)
from ttm.tabular.data.schema import Schema

__all__ = [
    "METRIC_NAMES", "change_words", "condition_words", "expression_words", "feature_words", "group_words", "likelihood_words",
    "operation_words", "parse_words",
]  # fmt: skip

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
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
    "r2": "R²",
}


def _counterfactual_words(step: Counterfactual, schema: Schema) -> str:
    if step.class_number is not None:
        goal = f'be "{schema.target.classes[step.class_number]}"'
    elif step.comparator is not None and step.value is not None:
        goal = f"be {COMPARATORS[step.comparator]} {number_text(step.value)}"
    else:
        goal = "be different"
    if step.count is None:
        text = f"what would have to change for the prediction to {goal}"
    else:
        text = f"{step.count} {'way' if step.count == 1 else 'ways'} for the prediction to {goal}"
    return text + _limits_words(step, schema)


def _limits_words(step: Counterfactual, schema: Schema) -> str:
    """What may change, and that DiCE is asked."""
    kept, only = (" and ".join(feature_words(name, schema) for name in names) for names in (step.keep, step.only))
    text = f", by {only} only" if only else ""
    text += f", without changing {kept}" if kept else ""
    if step.most is not None:
        text += f", by at most {step.most} {'change' if step.most == 1 else 'changes'}"
    return text + (", asking DiCE too" if step.dice else "")


def _important_words(step: Important, schema: Schema) -> str:
    if step.feature is not None:
        return f"how important {feature_words(step.feature, schema)} is"
    if step.count is None:
        return "how important each feature is"
    return f"the {step.count} {'least' if step.least else 'most'} important features"


METHODS = {
    Method.FEATURES: "why the model predicts what it does",
    Method.LIME: "why the model predicts what it does, by LIME",
    Method.SHAP: "why the model predicts what it does, by SHAP",
    Method.COMPARE: "why the model predicts what it does, by all methods side by side",
    Method.PAPER: "why the model predicts what it does, by the method that equation 1 of the paper chooses",
}
MISTAKES = {
    "sample": "examples of wrong predictions",
    "typical": "where the model is typically wrong",
    "count": "how often the model is wrong",
}
PLAIN: dict[type, str] = {
    Predict: "the predictions",
    Show: "the data themselves",
    Label: "the true outcomes",
    CountData: "how many there are",
    DataSummary: "what the data are about",
    ModelDescription: "what the model is",
    Capabilities: "what I can do",
    AboutSystem: "what I am",
    PreviousOperation: "the same question as before",
    FollowUp: "more on the last answer",
}


def operation_words(step: Operation | Instance, schema: Schema) -> str:
    """Name what an operation asks for, as a noun phrase."""
    if type(step) in PLAIN:
        return PLAIN[type(step)]
    return _model_words(step, schema) or _data_words(step, schema)


def _model_words(step: Operation | Instance, schema: Schema) -> str | None:
    """The noun phrase of an operation on the model or one prediction; None of one on the data."""
    match step:
        case Change():
            return f"if {change_words(step, schema)}"
        case Explain(method):
            return METHODS[method]
        case Counterfactual():
            return _counterfactual_words(step, schema)
        case Important():
            return _important_words(step, schema)
        case Interact(features):
            pair = " and ".join(feature_words(f, schema) for f in features or ())
            return f"how {pair} work together" if pair else "how features work together"
        case Mistake(kind):
            return MISTAKES[kind]
        case Likelihood():
            several = len(schema.target.classes) > 2
            return "the predicted probability of each class" if several else likelihood_words(schema)
        case Score(metric):
            return f"the model's {METRIC_NAMES[metric]}"
        case Effect(feature):
            return f"how the prediction moves with {feature_words(feature, schema)}"
        case Threshold(value):
            return "the decision threshold" if value is None else f"what a decision threshold of {value:g} does"
    return None


def _data_words(step: Operation | Instance, schema: Schema) -> str:
    match step:
        case Instance():
            return instance_words(step, schema)
        case Statistic(feature):
            return f"summary statistics of {feature_words(feature, schema)}"
        case Define(feature):
            return f"what {feature_words(feature, schema)} means"
        case Compare(feature):
            return f"a comparison of groups by {feature_words(feature, schema)}"
        case Fairness(feature, class_number):
            of = "" if class_number is None else f' with "{schema.target.classes[class_number]}"'
            return f"how fairly groups by {feature_words(feature, schema)} are treated{of}"
        case Ranked(count, by, lowest):
            what = feature_words(by, schema).removeprefix("the ")
            return f"the {count} with the {'lowest' if lowest else 'highest'} {what}"
        case Correlate(feature, other):
            return f"how {feature_words(feature, schema)} goes with {feature_words(other, schema) if other else 'the rest'}"
        case Distribution(feature):
            return f"the distribution of {feature_words(feature, schema)}"
        case Similar(count):
            return f"the {count} most similar ones"
    raise TypeError(f"no words for {step!r}")


def parse_words(parse: Parse, schema: Schema) -> str:
    """How an utterance was understood, as one sentence that follows the order of the steps."""
    sentences: list[str] = []
    scope = ""
    changes: list[str] = []
    questions: list[str] = []
    for step in parse.steps:
        if isinstance(step, Selection | Instance | Change) and questions:
            sentences.append(_asked(questions, scope, changes))
            questions = []
        if isinstance(step, Selection):
            scope = _scope(step, scope, schema)
        elif isinstance(step, Instance):
            scope = operation_words(step, schema)
        elif isinstance(step, Change):
            changes.append(f"if {change_words(step, schema)}")
        elif isinstance(step, Threshold) and step.value is not None and step != parse.steps[-1]:
            changes.append(f"with a decision threshold of {step.value:g}")
        else:
            questions.append(operation_words(step, schema))
    if questions or not sentences:
        sentences.append(_asked(questions or [_unsaid(parse)], scope, changes))
    elif scope or changes:
        sentences.append(_asked([_unsaid(parse)], scope, changes))
    return f"You asked: {'; then '.join(sentences)}."


def _scope(step: Selection, before: str, schema: Schema) -> str:
    words = " compared with ".join(group_words(group, schema) for group in step.groups)
    if not before:
        return words
    return f"{before}, and {'also' if step.joiner is Joiner.OR else 'among these'} {words}"


def _unsaid(parse: Parse) -> str:
    """What is answered when only rows, or changes of them, were named."""
    changed = any(isinstance(step, Change | Instance) for step in parse.steps)
    return PLAIN[Predict] if changed else PLAIN[CountData]


def _asked(questions: list[str], scope: str, changes: list[str]) -> str:
    group = f" for {scope}" if scope else ""
    what_if = f", {' and '.join(changes)}" if changes else ""
    return f"{', then '.join(questions)}{group}{what_if}"
