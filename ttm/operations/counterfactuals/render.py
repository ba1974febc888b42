"""Words and tables for counterfactuals."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.explain.counterfactuals.results import LASTING, CommonChange, CommonStep
from ttm.operations.counterfactuals.run import Alternatives, FlipsFrom, FlipSummary
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    label_of,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    value_text,
)
from ttm.tabular.data.schema import Feature, FeatureKind, Schema


def alternatives(result: Alternatives, schema: Schema) -> Answer:
    goal = _goal(result.wanted, schema)
    if result.already:
        text = f"{opening(result.group)}, nothing has to change: the model predicts {_now(result, schema)} already."
        return Answer(text, next_parses=onward(result.group, "explain features", "explain cfe"))
    follow = onward(result.group, "explain features", "similar 5")
    if not result.found:
        text = f"{opening(result.group)}, no change was found with which the model would predict {goal}."
        return Answer(f"{text} {escape(result.reason)}".rstrip(), next_parses=follow)
    best = listed([_change(c.feature, c.before, c.after, schema) for c in result.found[0].changes])
    text = f"{opening(result.group)}, the model predicts {_now(result, schema)}. It would predict "
    text += f"{_reached(result, 0, schema) if result.wanted is None else goal} **if {best}**"
    more = len(result.found) - 1
    text += f"; {more} other {'way is' if more == 1 else 'ways are'} in the table." if more else "."
    text += f" {_holds(result)}"
    if result.reason:
        text += f" {escape(result.reason)}"
    text += " *These are changes to the model's input; whether they would help in life is another question.*"
    return Answer(text, (_differences(result, schema),), None, follow)


def _holds(result: Alternatives) -> str:
    """How far the answer can be relied on: what slightly different rows would be predicted as."""
    share = percent(result.found[0].holds)
    if result.found[0].holds >= LASTING:
        return f"Of slightly different rows, **{share}** would be predicted so too."
    return f"It lies close to the line: of slightly different rows only **{share}** would be predicted so too."


def _now(result: Alternatives, schema: Schema) -> str:
    if isinstance(result.prediction, str):
        return f"**{quoted(result.prediction)}** (probability {percent(result.outputs[result.prediction])})"
    scale = scale_of("", schema)
    return f"**{scale.fine(result.prediction)}**{scale.unit_text}"


def _goal(wanted: str | tuple[float | None, float | None] | None, schema: Schema) -> str:
    if isinstance(wanted, str):
        return quoted(wanted)
    if wanted is None:
        return "anything else" if schema.target.is_classification else "a clearly different value"
    low, high = wanted
    scale = scale_of("", schema)
    if low is None:
        return f"at most {scale.fine(high)}{scale.unit_text}"
    if high is None:
        return f"at least {scale.fine(low)}{scale.unit_text}"
    return f"about {scale.fine((low + high) / 2)}{scale.unit_text}"


def _reached(result: Alternatives, index: int, schema: Schema) -> str:
    outputs = result.found[index].outputs
    if not schema.target.is_classification:
        scale = scale_of("", schema)
        return f"{scale.fine(float(outputs[0]))}{scale.unit_text}"
    return quoted(_new_class(result, index, schema))


def _new_class(result: Alternatives, index: int, schema: Schema) -> str:
    """The class that a counterfactual is predicted to be: of two, the one that it is not now."""
    classes = schema.target.classes
    if isinstance(result.wanted, str):
        return result.wanted
    if len(classes) == 2:
        return classes[1] if result.prediction == classes[0] else classes[0]
    return classes[int(result.found[index].outputs.argmax())]


def _change(name: str, before: Any, after: Any, schema: Schema) -> str:
    feature = schema.by_name[name]
    old, new = value_text(before, feature), value_text(after, feature)
    unit = f" {feature.unit}" if feature.unit else ""
    return escape(f"{feature.label} were {new}{unit} instead of {old}")


def _differences(result: Alternatives, schema: Schema) -> AnswerTable:
    """Only what changes, before and after, and the model's answer to it."""
    features = [f for f in schema.features if any(c.feature == f.name for one in result.found for c in one.changes)]
    before = {c.feature: c.before for one in result.found for c in one.changes}
    rows = []
    for feature in features:
        cells = [_cell(feature, one.changes, schema) for one in result.found]
        unit = f" ({feature.unit})" if feature.unit else ""
        rows.append((f"{feature.label}{unit}", value_text(before[feature.name], feature), *cells))
    rows += _answers(result, schema)
    rows.append(("of slightly different rows", "", *(percent(one.holds) for one in result.found)))
    columns = ("", "now", *(f"way {number}" for number in range(1, len(result.found) + 1)))
    return AnswerTable("What would have to be different", columns, tuple(rows))


def _cell(feature: Feature, changes: Any, schema: Schema) -> str:
    change = next((c for c in changes if c.feature == feature.name), None)
    if change is None:
        return "–"
    arrow = "→"
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        arrow = "↑" if change.after > change.before else "↓"
    return f"{arrow} {value_text(change.after, feature)}"


def _answers(result: Alternatives, schema: Schema) -> list[tuple[str, ...]]:
    if not schema.target.is_classification:
        scale = scale_of("", schema)
        values = (result.prediction, *(float(one.outputs[0]) for one in result.found))
        return [(f"predicted {schema.target.name}", *(scale.fine(float(value)) for value in values))]
    classes = list(schema.target.classes)
    shown = {_new_class(result, index, schema) for index in range(len(result.found))}
    return [
        (f'probability of "{name}"', percent(result.outputs[name]),
         *(percent(float(one.outputs[classes.index(name)])) for one in result.found))
        for name in classes if name in shown
    ]  # fmt: skip


def flip_summary(result: FlipSummary, schema: Schema) -> Answer:
    goal = _goal(result.wanted, schema)
    if not result.parts:
        return Answer(f"{opening(result.group)}, every prediction is {goal} already.")
    lines = "\n".join(f"- {_flips(part, result, schema)}" for part in result.parts)
    text = f"{opening(result.group)}, this is what most easily changes predictions:\n\n{lines}"
    if any(part.flips.common for part in result.parts):
        text += "\n\nMade to all alike, the smallest change that turns at least 80% of predictions, or else most of them:\n\n"
        text += "\n".join(f"- {_common(part, part.flips.common, schema)}" for part in result.parts if part.flips.common)
    rows = [
        (part.prediction or "", schema.by_name[name].label, f"{count} of {part.flips.flipped}",
         f"{alone} of {part.flips.flipped}", _typical_change(name, median, schema))
        for part in result.parts
        for name, count, alone, median in zip(part.flips.features, part.flips.counts, part.flips.alone,
                                              part.flips.median_change, strict=True)
    ]  # fmt: skip
    columns = ("predicted now", "feature", "part of the cheapest change", "enough alone", "typical change")
    return Answer(text, (AnswerTable("What flips predictions", columns, tuple(rows)),), None,
                  onward(result.group, "important all", "interact"))  # fmt: skip


def _flips(part: FlipsFrom, result: FlipSummary, schema: Schema) -> str:
    flips, looked = part.flips, part.flips.rows - part.flips.already
    sample = f" (a sample, spread evenly, of {flips.total:,})" if flips.rows < flips.total else ""
    predicted = f" predicted {quoted(part.prediction)}" if part.prediction else ""
    who = f"of {flips.rows:,}{predicted}{sample}"
    if not looked:
        return f"{who}, all are as wanted already"
    if not flips.flipped:
        return f"{who}, none can be brought to {_goal(result.wanted, schema)} by what can be changed"
    name, count = label_of(flips.features[0], schema), flips.counts[0]
    change = _typical_change(flips.features[0], flips.median_change[0], schema)
    by = f", typically {escape(change)}" if change else ""
    number = "all" if flips.flipped == flips.rows else f"{flips.flipped:,}"
    return f"{who}, {number} can be changed, most often through **{name}** ({count:,} times{by})"


def _common(part: FlipsFrom, common: CommonChange, schema: Schema) -> str:
    """What one change made to all alike does: 'predicted "healthy": glucose +46 mg/dl turns 50 of 60 (83.3%)'."""
    steps = listed([f"**{escape(_step(step, schema))}**" for step in common.steps])
    who = f"predicted {quoted(part.prediction)}: " if part.prediction else ""
    return f"{who}{steps} turns {common.turned:,} of {common.rows:,} ({percent(common.turned / common.rows)})"


def _step(step: CommonStep, schema: Schema) -> str:
    feature = schema.by_name[step.feature]
    if step.shift is not None:
        return f"{feature.label} {_typical_change(step.feature, step.shift, schema)}"
    return f"{feature.label} = {value_text(feature.values[int(step.value or 0)], feature)}"


def _typical_change(name: str, median: float, schema: Schema) -> str:
    feature = schema.by_name[name]
    if median != median:
        return ""
    if feature.kind is FeatureKind.DATE:
        return f"{median:+,.0f} days".replace("-", "−")
    unit = f" {feature.unit}" if feature.unit else ""
    return f"{median:+,.{feature.precision}f}{unit}".replace("-", "−")


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {Alternatives: alternatives, FlipSummary: flip_summary}
