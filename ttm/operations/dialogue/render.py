"""Words for the conversation and the system itself."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.operations.dialogue.run import ModelFacts, NamedRows, NothingMore, SystemCapabilities, SystemDescription
from ttm.operations.rendering.answer import Answer, escape, onward, percent, quoted, scale_of, size_text
from ttm.tabular.data.schema import FeatureKind, Schema

SHARES = ("accuracy",)
SCORE_NAMES = {
    "accuracy": "accuracy",
    "f1": "F1 score",
    "roc_auc": "area under the ROC curve",
    "log_loss": "log loss",
    "calibration_error": "calibration error",
    "r2": "R²",
    "mean_absolute_error": "mean absolute error",
}


def capabilities(result: SystemCapabilities, schema: Schema) -> Answer:
    feature = next((f for f in schema.features if f.kind is FeatureKind.NUMERIC), schema.features[0])
    name, entity = escape(feature.label), escape(schema.entity)
    likely = "how likely each class is" if result.classification else "how predictions are spread"
    parts = [
        f"**Predictions**: what the model predicts for one row, a group or a case that you make up, and {likely}",
        f"**Reasons**: why it predicts that, which features matter most, how {name} moves the prediction",
        "**What if**: how predictions change when values change, and what would have to change for another prediction",
        f"**Data**: how many {entity} there are, their values, statistics, distributions, correlations, similar rows",
        f"**Groups**: choose {entity} by any feature, prediction or outcome, and compare groups side by side",
    ]
    if result.labelled:
        more = ", and what another threshold would do" if len(schema.target.classes) == 2 else ""
        fair = ", whether it treats groups alike" if result.classification else ""
        parts.insert(3, f"**Quality**: how good the model is and how sure that is, where it goes wrong{fair}{more}")
    text = "You can ask me about:\n\n" + "\n".join(f"- {part}" for part in parts)
    text += '\n\nYou can go on from an answer: "why?", "show me the rest", "and for those above average?".'
    return Answer(text, next_parses=("predict", "important all", f"effect {feature.token}"))


def about(result: SystemDescription, schema: Schema) -> Answer:
    return Answer(
        f"I am Parley. I answer questions about a model that predicts {escape(schema.objective)}. I turn your question into "
        "operations on the model and its data, carry them out, and put the results into sentences; each answer shows how I "
        "understood you, so that you can correct it. I am not the model myself, and what it predicts can be wrong.",
        next_parses=("function", "model", "data"),
    )


def model_facts(result: ModelFacts, schema: Schema) -> Answer:
    text = f"The model predicts {escape(result.objective)} from **{result.features} features**. "
    text += f"It is {escape(result.description)}."
    if result.classes:
        text += f" Its classes are {listed([quoted(name) for name in result.classes])}."
    if result.scores is not None and result.folds is not None:
        scores = [f"{SCORE_NAMES.get(name, name)} {_score(name, value, schema)}" for name, value in result.scores.items()]
        text += f" In {result.folds}-fold cross-validation, on rows it was not trained on, it reached: {listed(scores)}."
        if result.baseline is not None:
            text += f" {_baseline(result.baseline, schema)}"
    return Answer(text, next_parses=("score default", "important all", "data"))


def _score(name: str, value: float, schema: Schema) -> str:
    if name in SHARES:
        return percent(value)
    return scale_of("", schema).fine(value) if name == "mean_absolute_error" else f"{value:.3f}"


def _baseline(value: float, schema: Schema) -> str:
    if schema.target.is_classification:
        return f"Always saying the most frequent class would have an accuracy of {percent(value)}."
    return f"Always saying the median would be off by {scale_of('', schema).fine(value)} on average."


def nothing_more(result: NothingMore, schema: Schema) -> Answer:
    if result.first:
        text = "There is no earlier answer to say more about. Ask a question first, such as what the model predicts."
        return Answer(text, next_parses=("function", "predict", "data"))
    return Answer(
        "There is nothing more to say about the last answer. What else would you like to know?",
        next_parses=("function", "important all", "score default"),
    )


def named_rows(result: NamedRows, schema: Schema) -> Answer:
    text = f"I keep {escape(result.group.words)}{size_text(result.group)} as **{quoted(result.name)}**. Use the name in a "
    text += f"question, such as: how accurate is the model for {escape(result.name)}?"
    return Answer(text, next_parses=onward(result.group, "score default", "predict", "important all"))


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    SystemCapabilities: capabilities,
    SystemDescription: about,
    ModelFacts: model_facts,
    NothingMore: nothing_more,
    NamedRows: named_rows,
}
