"""What a chat is about: an opening that says something true about the model beside a picture, and a card with the facts.

The texts are Markdown in which everything that came from data is escaped.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ttm.chat.catalogue import Loaded
from ttm.language.grammar import grammar_of
from ttm.operations.render import Answer, render_turn
from ttm.operations.rendering.answer import class_name, escape, feature_scale, finer, number, percent, value_text
from ttm.tabular.data.schema import Direction, Feature, FeatureKind, Schema
from ttm.tabular.model.model import CrossValidationScores
from ttm.tabular.subject import Subject

OPENING_PARSE = "distribution probability"  # quick on any data set, and it shows how sure the model is of itself
SHOWN_VALUES = 6
SCORES = {
    "accuracy": "accuracy",
    "f1": "F1 score",
    "roc_auc": "area under the ROC curve",
    "log_loss": "log loss",
    "calibration_error": "calibration error",
    "r2": "R²",
    "mean_absolute_error": "mean absolute error",
}
INFERRED = {
    "kind": "kind of values",
    "definition": "definition",
    "mutable": "whether a person could change it",
    "direction": "in which direction",
    "precision": "decimals shown",
}
IN_PERCENT = frozenset({"accuracy", "calibration_error"})


def opening(loaded: Loaded) -> tuple[str, Answer]:
    """The first message of a chat, and an answer with a figure of what the model says of all rows."""
    schema = loaded.schema
    parse = grammar_of(schema).read(OPENING_PARSE)
    results = loaded.engine.execute(parse).results
    return f"{_objective(loaded.subject)} {how_good(loaded.subject)}".strip(), render_turn(results, schema)[0]


def _objective(subject: Subject) -> str:
    schema, rows = subject.schema, len(subject.dataset.frame)
    count = len(schema.features)
    return (
        f"**Ask me about a model that predicts {escape(schema.objective)}** from {count} "
        f"feature{'' if count == 1 else 's'}. You can talk about {rows:,} {escape(schema.entity)} and about cases you make up."
    )


def how_good(subject: Subject) -> str:
    """How often the model is right, beside the best guess that ignores the features: on the rows at hand if it was not
    trained on them, else by cross-validation."""
    labels, predictions = subject.dataset.labels, subject.predictions
    if labels is None:
        return ""
    schema, scores = subject.schema, subject.model.scores
    seen = subject.trained_on_rows
    if seen and scores is not None:
        return _cross_validated(scores, schema)
    words = _on_the_rows(labels, predictions, schema)
    return f"{words} If it was trained on these very rows, expect less on new ones." if seen else words


def _cross_validated(scores: CrossValidationScores, schema: Schema) -> str:
    if not schema.target.is_classification:
        errors = (scores.means["mean_absolute_error"], scores.baseline)
        off, guess = (number(error, finer(error, schema.target.precision)) for error in errors)
        return f"On rows that it was not trained on, it is off by **{off}** on average; always saying the median, by {guess}."
    accuracy = percent(scores.means["accuracy"])
    return (
        f"On rows that it was not trained on (cross-validation), it is right for **{accuracy}**; always giving the most "
        f"frequent answer would be right for {percent(scores.baseline)}."
    )


def _on_the_rows(labels: npt.NDArray[Any], predictions: npt.NDArray[Any], schema: Schema) -> str:
    if not schema.target.is_classification:
        known = ~np.isnan(labels)
        error = float(np.abs(predictions[known] - labels[known]).mean())
        off = number(error, finer(error, schema.target.precision))
        return f"Its predictions of {escape(schema.target.name)} are off by {off} on average."
    known = labels >= 0
    accuracy = float((predictions[known] == labels[known]).mean())
    shares = np.bincount(labels[known], minlength=len(schema.target.classes)) / known.sum()
    most = int(shares.argmax())
    return (
        f"It is right for **{percent(accuracy)}** of the {int(known.sum()):,} {escape(schema.entity)} whose outcome is known; "
        f"always answering {class_name(most, schema)} would be right for {percent(float(shares[most]))}."
    )


def card(subject: Subject) -> str:
    """The facts about data set and model, and what of them was inferred."""
    schema, model = subject.schema, subject.model
    parts = [
        f"### {escape(schema.title)}",
        f"The model predicts {escape(schema.objective)}. {how_good(subject)}",
        "\n".join(_facts(subject)),
        "#### How the model was scored" if model.scores else "",
        _scores(model.scores, schema) if model.scores else "",
        "#### Good to know" if schema.notes else "",
        "\n".join(f"- {escape(note)}" for note in schema.notes),
        "#### Features",
        "\n".join(_feature_lines(schema)),
        inferred(schema),
    ]
    return "\n\n".join(part for part in parts if part)


def _facts(subject: Subject) -> Iterator[str]:
    schema, dataset = subject.schema, subject.dataset
    yield f"- **Rows to talk about:** {len(dataset.frame):,} {escape(schema.entity)}"
    if dataset.labels is None:
        yield "- **Outcomes:** not known for these rows, so the model cannot be scored on them"
    yield f"- **Model:** {escape(subject.model.description)}"
    if schema.target.is_classification:
        yield "- **Classes:** " + ", ".join(class_name(index, schema) for index in range(len(schema.target.classes)))
    else:
        unit = f" in {escape(schema.target.unit)}" if schema.target.unit else ""
        yield f"- **Predicted:** {escape(schema.target.name)}{unit}"
    yield f"- **Ids:** {escape(_id_range(subject))}"


def _id_range(subject: Subject) -> str:
    index = subject.dataset.frame.index
    named = f"the column {subject.schema.id_name}" if subject.schema.id_name else "row numbers"
    return f"{named}, from {index[0]} to {index[-1]}"


def _scores(scores: CrossValidationScores, schema: Schema) -> str:
    lines = [
        f"- {SCORES.get(name, name)}: {_score(name, value)}"
        + (f" ± {_score(name, scores.deviations[name])}" if name in scores.deviations else "")
        for name, value in scores.means.items()
    ]
    base = (
        f"- for comparison, always the most frequent class: accuracy {percent(scores.baseline)}"
        if schema.target.is_classification
        else f"- for comparison, always the median: mean absolute error {scores.baseline:.3g}"
    )
    return f"By {scores.folds}-fold cross-validation on {scores.rows:,} rows:\n\n" + "\n".join([*lines, base])


def _score(name: str, value: float) -> str:
    return percent(value) if name in IN_PERCENT else f"{value:.3f}"


def _feature_lines(schema: Schema) -> Iterable[str]:
    return (f"- **{escape(feature.label)}**: {_feature_words(feature)}" for feature in schema.features)


def _feature_words(feature: Feature) -> str:
    """Definition, values, and what was inferred, each only if there is something to say."""
    is_stated = bool(feature.definition) and "definition" not in feature.inferred  # an inferred one says the values again
    parts = [escape(feature.definition)] if is_stated else []
    parts.append(_values(feature))
    if not feature.mutable:
        parts.append("a person cannot change it")
    elif feature.direction is not Direction.ANY:
        parts.append(f"can only {feature.direction.value}")
    return "; ".join(part for part in parts if part)


def inferred(schema: Schema) -> str:
    """What nobody stated about the features but was read off their columns."""
    lines = []
    for name, words in INFERRED.items():
        features = [feature.label for feature in schema.features if name in feature.inferred]
        if features:
            lines.append(f"- {words}: {_listed(features, len(schema.features))}")
    return "\n".join(["#### Inferred from the columns, not stated\n", *lines]) if lines else ""


def _listed(names: list[str], total: int) -> str:
    if len(names) == total:
        return "all features"
    more = f" and {len(names) - SHOWN_VALUES} more" if len(names) > SHOWN_VALUES else ""
    return escape(", ".join(names[:SHOWN_VALUES])) + more


def _values(feature: Feature) -> str:
    if feature.kind is FeatureKind.BOOLEAN:
        return "yes or no"
    if feature.kind is FeatureKind.CATEGORICAL:
        shown = ", ".join(escape(value) for value in feature.values[:SHOWN_VALUES])
        more = len(feature.values) - SHOWN_VALUES
        return f"{shown} and {more} more" if more > 0 else shown
    if feature.low is None or feature.high is None:
        return ""
    if feature.kind is FeatureKind.DATE:
        low, high = (value_text(pd.Timestamp.fromordinal(int(day)), feature) for day in (feature.low, feature.high))
        return f"{low} to {high}"
    unit = f" {escape(feature.unit)}" if feature.unit else ""
    scale = feature_scale(feature)
    return f"{scale.text(feature.low)} to {scale.text(feature.high)}{unit}"
