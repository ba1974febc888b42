"""Words and figures for predictions and likelihoods, before and after a change."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backend.text.words import listed
from ttm.operations.predictions.run import (
    AskedProbability,
    ClassProbabilities,
    MeanProbabilities,
    PredictedClass,
    PredictedClasses,
    PredictedValue,
    PredictedValues,
)
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    Scale,
    label_of,
    onward,
    opening,
    percent,
    points,
    quoted,
    scale_of,
    shares_text,
)
from ttm.operations.rendering.figures import bars, histogram, outlines
from ttm.operations.rendering.marks import bins, rows_clickable
from ttm.operations.results import Group
from ttm.tabular.data.schema import Schema

NO_PROBABILITY = " (This model predicts a number, not classes, so there is no probability to tell.)"
UNCHANGED = "without the change"
CHANGED = "with the change"


def predicted_class(result: PredictedClass, schema: Schema) -> Answer:
    now, before = result.prediction, result.prediction_before
    text = f"{opening(result.group)}, the model "
    if before is None or result.probabilities_before is None:
        text += f"predicts **{quoted(now)}**, with a probability of {percent(result.probabilities[now])}."
    elif now == before:
        old, new = result.probabilities_before[now], result.probabilities[now]
        text += f"would still predict **{quoted(now)}**: {_moved(old, new)}."
    else:
        old, new = result.probabilities_before[now], result.probabilities[now]
        text += f"would predict **{quoted(now)}** instead of {quoted(before)}: {_moved(old, new)}."
    return Answer(text, next_parses=_after_prediction(result.group, single=True))


def _moved(old: float, new: float) -> str:
    change = "does not move" if old == new else f"goes from {percent(old)} to {percent(new)}"
    return f"its probability {change}" if old != new else f"its probability stays at {percent(new)}"


def _after_prediction(group: Group, single: bool) -> tuple[str, ...]:
    if single:
        return onward(group, "explain features", "explain cfe", "similar 5")
    return onward(group, "important all", "likelihood", "mistake typical")


def predicted_classes(result: PredictedClasses, schema: Schema) -> Answer:
    follow = _after_prediction(result.group, single=False)
    if result.counts_before is None or result.flips is None:
        text = f"{opening(result.group)}, the model predicts {shares_text(result.counts, result.shares)}."
        return Answer(text, next_parses=follow)
    text = f"{opening(result.group)}, the model would predict {shares_text(result.counts, result.shares)}. "
    if not result.flips:
        return Answer(text + "No prediction would change.", next_parses=follow)
    parts = [
        f"{flip.count:,} from {quoted(flip.before)} to {quoted(flip.after)}"
        for flip in sorted(result.flips, key=lambda flip: -flip.count)
    ]
    before = f"Without the change it is {shares_text(result.counts_before, result.shares_before or {})}."
    text += f"**{result.flipped:,} of {result.group.rows:,}** predictions would change: {listed(parts, most=4)}. {before}"
    return Answer(text, next_parses=follow)


# --- numbers -------------------------------------------------------------------------------------------------------------


def predicted_value(result: PredictedValue, schema: Schema) -> Answer:
    scale, name = scale_of("", schema), label_of(schema.target.name, schema)
    text = f"{opening(result.group)}, the model "
    if result.prediction_before is None:
        text += f"predicts a {name} of **{scale.fine(result.prediction)}**{scale.unit_text}."
    else:
        old, new = result.prediction_before, result.prediction
        text += f"would predict a {name} of **{scale.fine(new)}**{scale.unit_text}{_instead(old, new, scale)}."
    text += NO_PROBABILITY if result.asked_likelihood else ""
    if result.usual_error is not None:
        text += f" How sure it is, its errors tell: it is off by {scale.fine(result.usual_error)}{scale.unit_text} on average."
    return Answer(text, next_parses=_after_prediction(result.group, single=True))


def _instead(old: float, new: float, scale: Scale) -> str:
    if old == new:
        return ", the same as without the change"
    if scale.fine(old) == scale.fine(new):
        return ", hardly different from without the change"
    return f" instead of {scale.fine(old)}, {scale.fine(abs(new - old))} {'more' if new > old else 'less'}"


def predicted_values(result: PredictedValues, schema: Schema) -> Answer:
    scale, name, now = scale_of("", schema), label_of(schema.target.name, schema), result.summary
    would = "predicts" if result.before is None else "would predict"
    text = f"{opening(result.group)}, the model {would} a {name} of **{scale.fine(now.mean)}**{scale.unit_text} on average"
    if result.before is not None:
        text += _instead(result.before.mean, now.mean, scale)
    text += f" (median {scale.fine(now.median)}, from {scale.fine(now.min)} to {scale.fine(now.max)})."
    if result.increased is not None and result.decreased is not None:
        text += f" It would go up for {result.increased:,} and down for {result.decreased:,} of {result.group.rows:,} rows."
    text += NO_PROBABILITY if result.asked_likelihood else ""
    figure = histogram(result.edges, {"rows": result.histogram}, f"Predicted {schema.target.label}", _axis(schema))
    rows_clickable(figure, result.group, [bins("predictionfilter", result.edges)])
    return Answer(text, (), figure, onward(result.group, "important all", "score default"))


def _axis(schema: Schema) -> str:
    unit = f" ({schema.target.unit})" if schema.target.unit else ""
    return f"predicted {schema.target.label}{unit}"


# --- probabilities -------------------------------------------------------------------------------------------------------


def class_probabilities(result: ClassProbabilities, schema: Schema) -> Answer:
    follow = onward(result.group, "explain features", "explain cfe")
    name = _leading(result.probabilities)
    if len(result.probabilities) == 2:
        name = schema.target.classes[schema.target.positive]
    now = result.probabilities[name]
    text = f"{opening(result.group)}, the predicted probability of {quoted(name)} "
    if result.before is None:
        others = [f"{percent(p)} for {quoted(n)}" for n, p in _ordered(result.probabilities) if n != name]
        text += f"is **{percent(now)}** ({listed(others, most=4)})."
    else:
        old = result.before[name]
        text += f"would be **{percent(now)}** instead of {percent(old)} ({points(now - old)})."
    figure = None
    if len(result.probabilities) > 2:
        figure = _bars(result.probabilities, result.before, "Predicted probabilities")
    return Answer(text, (), figure, follow)


def mean_probabilities(result: MeanProbabilities, schema: Schema) -> Answer:
    now, spread = result.mean[result.shown], result.distribution
    text = f"{opening(result.group)}, the mean predicted probability of {quoted(result.shown)} "
    if result.before is None:
        text += f"is **{percent(now)}**."
    else:
        old = result.before[result.shown]
        text += f"would be **{percent(now)}** instead of {percent(old)} ({points(now - old)})."
    text += (
        f" The middle half lies between {percent(spread.lower_quartile)} and {percent(spread.upper_quartile)}, all between "
        f"{percent(spread.min)} and {percent(spread.max)}."
    )
    tables: tuple[AnswerTable, ...] = ()
    if len(result.mean) > 2:
        columns = ("class", "mean probability", *(("before the change",) if result.before else ()))
        before = result.before or {}
        rows = [(n, percent(p), *((percent(before[n]),) if before else ())) for n, p in _ordered(result.mean)]
        tables = (AnswerTable("", columns, tuple(rows)),)
    return Answer(text, tables, _likelihood_figure(result, schema), onward(result.group, "important all", "predict", "show"))


def asked_probability(result: AskedProbability, schema: Schema) -> Answer:
    now, is_single = result.probability, result.distribution is None
    what = "predicted probability" if is_single else "mean predicted probability"
    text = f"{opening(result.group)}, the {what} of {quoted(result.asked)} "
    if result.before is None:
        rest = f"{percent(1 - now)} that it is another" if len(result.others) > 1 else None
        only = next(iter(result.others))
        text += f"is **{percent(now)}** ({rest or f'{percent(result.others[only])} for {quoted(only)}'})."
    else:
        text += f"would be **{percent(now)}** instead of {percent(result.before)} ({points(now - result.before)})."
    if result.distribution is None:
        text += f" That is {'' if result.predicted else 'not '}what the model predicts here."
        figure = _bars({result.asked: now} | result.others, None, "Predicted probabilities") if len(result.others) > 1 else None
        return Answer(text, (), figure, onward(result.group, "explain features", "explain cfe"))
    spread = result.distribution
    text += (
        f" The middle half lies between {percent(spread.lower_quartile)} and {percent(spread.upper_quartile)}; "
        f"{percent(result.predicted)} of the rows are predicted to be so."
    )
    edges = [step / len(result.histogram) for step in range(len(result.histogram) + 1)]
    title = f'Predicted probability of "{result.asked}"'
    figure = histogram(edges, {"rows": result.histogram}, title, "predicted probability", percent=True)
    _probabilities_clickable(figure, result.asked, edges, result.group, schema)
    return Answer(text, (), figure, onward(result.group, "important all", "predict"))


def _probabilities_clickable(figure: Any, name: str, edges: Sequence[float], group: Group, schema: Schema) -> Any:
    filters = bins(f"probabilityfilter {schema.target.classes.index(name)}", edges)
    return rows_clickable(figure, group, [filters])


def _likelihood_figure(result: MeanProbabilities, schema: Schema) -> Any:
    edges = [step / len(result.histogram) for step in range(len(result.histogram) + 1)]
    title, x = f'Predicted probability of "{result.shown}"', "predicted probability"
    if result.histogram_before is None:
        figure = histogram(edges, {"rows": result.histogram}, title, x, percent=True)
        return _probabilities_clickable(figure, result.shown, edges, result.group, schema)
    series = {UNCHANGED: result.histogram_before, CHANGED: result.histogram}
    return outlines(edges, series, title, x, percent=True)


def _ordered(probabilities: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(probabilities.items(), key=lambda item: -item[1])


def _leading(probabilities: Mapping[str, float]) -> str:
    return max(probabilities, key=lambda name: probabilities[name])


def _bars(now: Mapping[str, float], before: Mapping[str, float] | None, title: str) -> Any:
    names = [name for name, _ in _ordered(now)]
    series = {CHANGED if before else "probability": [now[name] for name in names]}
    if before:
        series = {UNCHANGED: [before[name] for name in names]} | series
    return bars(names, series, title, "", percent=True)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    PredictedClass: predicted_class,
    PredictedClasses: predicted_classes,
    PredictedValue: predicted_value,
    PredictedValues: predicted_values,
    ClassProbabilities: class_probabilities,
    MeanProbabilities: mean_probabilities,
    AskedProbability: asked_probability,
}
