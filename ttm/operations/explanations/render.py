"""Words, tables and figures for reasons, importance and interactions."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.explain.attribution import HiddenFeatures
from ttm.operations.counterfactuals.render import RENDERERS as COUNTERFACTUALS
from ttm.operations.explanations.figures import importance_bars, interaction_surface, signed_bars
from ttm.operations.explanations.run import (
    ComparedRankings,
    FeatureImportance,
    RankedFeatures,
    Reasons,
    Weighing,
    WorkingTogether,
)
from ttm.operations.mistakes.render import RENDERERS as MISTAKES
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    finer,
    label_of,
    number,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    value_text,
)
from ttm.operations.rendering.marks import features_clickable
from ttm.tabular.data.schema import FeatureKind, Schema

NAMED = 3  # reasons for each side that a sentence names
WORTH_NAMING = 0.1  # of the largest weight
SHOWN = 12  # features in a figure


# --- reasons -------------------------------------------------------------------------------------------------------------


def reasons(result: Reasons, schema: Schema) -> Answer:
    text = f"{opening(result.group)}, {_prediction(result, schema)} {_pushes(result, schema)} {_method(result, schema)}"
    if result.unknown:
        names = listed([label_of(name, schema) for name in result.unknown], most=5)
        text += f" Nothing is known of {names}, so {'it was' if len(result.unknown) == 1 else 'they were'} left as it is."
    if result.moving is not None:
        text += f" {_unmoved(result.moving, schema)}"
    tables = (_side_by_side(result, schema),) if result.asked == "compare" else ()
    figure = signed_bars(
        [_with_value(name, result, schema, plain=True) for name in list(result.chosen.weights)[:SHOWN]],
        list(result.chosen.weights.values())[:SHOWN],
        f"What speaks for and against ({result.chosen.technique})",
        _axis(result.towards, schema),
    )
    features_clickable(figure, list(result.chosen.weights)[:SHOWN], schema)
    follow = ["explain cfe", "explain compare", "similar 5"] if result.asked != "compare" else ["explain cfe", "similar 5"]
    return Answer(text, tables, figure, onward(result.group, *follow))


def _prediction(result: Reasons, schema: Schema) -> str:
    would = "would predict" if result.group.changes else "predicts"
    if result.towards is None:
        scale = scale_of("", schema)
        return f"the model {would} **{scale.fine(result.output)}**{scale.unit_text}."
    certainty = result.output if result.towards == result.prediction else 1 - result.output
    return f"the model {would} **{quoted(result.prediction)}** (probability {percent(certainty)})."


def _pushes(result: Reasons, schema: Schema) -> str:
    """Which features push which way, strongest first."""
    weights = result.chosen.weights
    largest = max((abs(weight) for weight in weights.values()), default=0.0)
    if not largest:
        return "No feature with a known value makes a difference here."
    named = [name for name, weight in weights.items() if abs(weight) >= WORTH_NAMING * largest]
    up = weights[named[0]] > 0
    same = [_with_value(name, result, schema) for name in named if (weights[name] > 0) == up][:NAMED]
    other = [_with_value(name, result, schema) for name in named if (weights[name] > 0) != up][:NAMED]
    first = f"**{same[0][0].upper() + same[0][1:]}** {_direction(result.towards, up, schema)}"
    if len(same) > 1:
        first += f", then {listed(same[1:])}"
    if not other:
        return f"{first}."
    return f"{first}. {listed(other)[0].upper() + listed(other)[1:]} {_against(result.towards, up, schema, len(other))}."


def _direction(towards: str | None, up: bool, schema: Schema) -> str:
    if towards is None:
        return f"{'raises' if up else 'lowers'} the prediction most"
    if up:
        return f"pushes most strongly towards {quoted(towards)}"
    if len(schema.target.classes) == 2:
        return f"pushes most strongly towards {quoted(schema.target.classes[0])}"
    return f"pushes most strongly away from {quoted(towards)}"


def _against(towards: str | None, up: bool, schema: Schema, count: int) -> str:
    verb = "" if count > 1 else "es"
    if towards is None:
        return f"{'lower' if up else 'raise'}{'' if count > 1 else 's'} it"
    if len(schema.target.classes) == 2:
        return f"push{verb} towards {quoted(schema.target.classes[0] if up else towards)}"
    return f"push{verb} {'away from' if up else 'towards'} {quoted(towards)}"


def _with_value(name: str, result: Reasons, schema: Schema, plain: bool = False) -> str:
    """A feature with its value: "glucose 168 mg/dl", "felony = yes"; escaped unless `plain`."""
    feature = schema.by_name[name]
    value = value_text(result.values[name], feature)
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        unit = f" {feature.unit}" if feature.unit and value != "unknown" else ""
        text = f"{feature.label} {value}{unit}"
    else:
        text = f"{feature.label} = {value}"
    return text if plain else escape(text)


def _method(result: Reasons, schema: Schema) -> str:
    name = escape(result.chosen.technique)
    if result.hidden is not None:
        how = {
            "asked": "as you asked",
            "tie": f"than which none of {len(result.candidates)} methods is clearly more faithful",
            "fidelity": f"the most faithful of {len(result.candidates)} methods, and clearly more so than SHAP",
        }
        return f"{_hiding(result.hidden, schema)} *By {name}, {how[result.reason]}.*"
    worth = f"fidelity {_small(result.chosen.fidelity)}"
    if result.chosen.stability is not None:
        worth += f", stability {result.chosen.stability:.2f}"
    if result.reason == "fidelity":
        return f"*By {name}, the most faithful of {len(result.candidates)} methods by equation 1 ({worth}).*"
    return f"*By {name}, the most stable of the methods that are about equally faithful by equation 1 ({worth}).*"


def _hiding(hidden: HiddenFeatures, schema: Schema) -> str:
    """What hiding the highest features does, beside as many at random."""
    unit = scale_of("", schema).unit_text if not schema.target.is_classification else ""
    moved, random = (f"{_size(value, schema)}{unit}" for value in (hidden.moved, hidden.at_random))
    many = {1: "the first feature", 2: "the first two features", 3: "the first three features"}[hidden.count]
    return f"Hiding {many} moves the prediction by **{moved}** on average; as many at random, by {random}."


def _unmoved(moving: tuple[str, ...], schema: Schema) -> str:
    """Why fidelity is 0: the model is flat around the row, in all features or in those that the methods rank highest."""
    if not moving:
        return "*A small change of any one feature does not move the prediction here, so fidelity is 0 for every method.*"
    names = listed([label_of(name, schema) for name in moving], most=4)
    return (
        "*A small change of what the methods rank highest does not move the prediction here, so fidelity is 0 for every "
        f"method; a small change of what they rank lower ({names}) would.*"
    )


def _small(value: float) -> str:
    """A small number with two significant digits."""
    return f"{value:.2g}" if value < 0.095 else f"{value:.2f}"


def _side_by_side(result: Reasons, schema: Schema) -> AnswerTable:
    """All methods as columns; features in the chosen one's order."""
    methods = result.candidates
    names = list(result.chosen.weights)[:SHOWN]
    rows = [(schema.by_name[name].label, *(_signed(m.weights[name], schema) for m in methods)) for name in names]
    rows.append(("fidelity", *(_small(m.fidelity) for m in methods)))
    rows.append(("stability", *(_stability(m) for m in methods)))
    return AnswerTable("Weights by each method", ("feature", *(m.technique for m in methods)), tuple(rows))


def _stability(weighing: Weighing) -> str:
    return "" if weighing.stability is None else f"{weighing.stability:.2f}"


def _signed(weight: float, schema: Schema) -> str:
    decimals = 3 if schema.target.is_classification else finer(weight, schema.target.precision)
    text = number(weight, decimals)
    return f"+{text}" if weight > 0 and float(text.replace(",", "")) else text.replace("-", "−")


def _axis(towards: str | None, schema: Schema) -> str:
    if towards is None:
        return f"effect on the predicted {schema.target.name}"
    return f'effect on the probability of "{towards}"'


# --- importance ----------------------------------------------------------------------------------------------------------


def ranked(result: RankedFeatures, schema: Schema) -> Answer:
    figure = importance_bars(
        [(schema.by_name[f.feature].label, f.mean_absolute, f.absolute_low, f.absolute_high) for f in _shown(result)],
        _axis_of_size(schema),
        result.group.rows == 1,
    )
    features_clickable(figure, [f.feature for f in _shown(result)], schema)
    follow = ("interact", "mistake typical") if result.group.rows > 1 else ("explain features", "explain cfe")
    text = _one_feature(result, schema) if result.feature else _several(result, schema)
    tables = () if result.group.rows == 1 else (_importance_table(result, schema),)
    return Answer(f"{text} {_how(result)}", tables, figure, onward(result.group, *follow))


def _importance_table(result: RankedFeatures, schema: Schema) -> AnswerTable:
    """Every number of the features that were asked for; signs are towards the positive class or a higher value."""
    rows = [
        (schema.by_name[f.feature].label, *([_ranks(f)] if result.is_estimated else []), _size(f.mean_absolute, schema),
         f"{_size(f.absolute_low, schema)} to {_size(f.absolute_high, schema)}", _signed(f.mean_weight, schema),
         f"{f.mean_rank:.2f}", f"{f.low:.2f} to {f.high:.2f}", _lost(f.shuffled, schema))
        for f in _shown(result)
    ]  # fmt: skip
    lost = "accuracy lost when shuffled" if schema.target.is_classification else "error added when shuffled"
    position = ("95% interval of its number",) if result.is_estimated else ()
    columns = ("feature", *position, "mean size", "95% interval", "mean weight", "mean rank", "95% interval of it", lost)
    return AnswerTable(f"How much each feature moves the prediction, by {result.technique}", columns, tuple(rows))


def _size(value: float, schema: Schema) -> str:
    """A mean absolute weight: in points of probability, or in the unit of the target."""
    if schema.target.is_classification:
        return f"{100 * value:.1f} points"
    return number(value, finer(value, schema.target.precision))


def _lost(value: float | None, schema: Schema) -> str:
    return "" if value is None else _size(value, schema)


def _axis_of_size(schema: Schema) -> str:
    what = "probability" if schema.target.is_classification else schema.target.label
    return f"mean change of the predicted {what}"


def _shown(result: RankedFeatures) -> list[FeatureImportance]:
    """What the figure shows: those asked for, or the first ones, and in any case the one asked for."""
    if result.count is not None:
        return _asked(result)[:SHOWN]
    shown = list(result.features[:SHOWN])
    extra = [f for f in result.features[SHOWN:] if f.feature == result.feature]
    return shown[: SHOWN - len(extra)] + extra


def _asked(result: RankedFeatures) -> list[FeatureImportance]:
    if result.count is None:
        return list(result.features)
    if result.least:
        return list(reversed(result.features))[: result.count]
    return list(result.features[: result.count])


def _one_feature(result: RankedFeatures, schema: Schema) -> str:
    ranked = next(f for f in result.features if f.feature == result.feature)
    name, total = label_of(ranked.feature, schema), len(result.features)
    if result.group.rows == 1:
        rank = f"is number **{ranked.rank}** of {total} features"
    else:
        size, low, high = (_size(v, schema) for v in (ranked.mean_absolute, ranked.absolute_low, ranked.absolute_high))
        moves = f"it moves the prediction by **{size}** on average (95% interval {low} to {high})"
        sure = f" (95% interval {_ranks(ranked)})" if result.is_estimated else ""
        rank = f"is number **{ranked.rank}** of {total} features{sure}: {moves}"
    return f"{about(result)}, {name} {rank}. It is **{ranked.level} important** here."


def _several(result: RankedFeatures, schema: Schema) -> str:
    asked = _asked(result)
    if result.group.rows == 1:
        items = [label_of(f.feature, schema) for f in asked]
    else:
        items = [f"{label_of(f.feature, schema)} ({_sized(f, result, schema)})" for f in asked]
    items[0] = f"**{items[0]}**"
    kind = "least" if result.least else "most"
    if len(asked) == 1:
        sentence = f"the {kind} important feature is {items[0]}"
    elif result.count is None:
        sentence = f"features matter in this order: {listed(items, most=8)}"
    else:
        sentence = f"the {len(asked)} {kind} important features are {listed(items, most=SHOWN)}"
    note = "" if result.group.rows == 1 else " In brackets: how far it moves the prediction on average"
    note += ", and the 95% interval of its number in the order of all rows." if result.is_estimated else "." if note else ""
    return f"{about(result)}, {sentence}.{note}"


def about(result: RankedFeatures) -> str:
    """The group that an order is about, and how many of its rows it is estimated from where these are not all."""
    estimated = f", estimated from **{result.explained:,} of these {result.group.rows:,} rows**" if result.is_estimated else ""
    return f"{opening(result.group)}{estimated}"


def _sized(one: FeatureImportance, result: RankedFeatures, schema: Schema) -> str:
    size = _size(one.mean_absolute, schema)
    return f"{size}, number {_ranks(one)}" if result.is_estimated else size


def _ranks(one: FeatureImportance) -> str:
    return f"{one.rank_low} to {one.rank_high}" if one.rank_low < one.rank_high else str(one.rank)


def _how(result: RankedFeatures) -> str:
    asked = ", as you asked" if result.asked in ("lime", "shap", "paper") else ""
    fidelity = "" if result.fidelity is None else f" (mean fidelity {_small(result.fidelity)})"
    if result.group.rows == 1:
        return f"*By {escape(result.technique)}{asked}{fidelity}.*"
    over = f"all {result.explained:,} rows"
    if result.is_estimated:
        over = f"{result.explained:,} of the {result.group.rows:,} rows, spread evenly"
    scaled = "; its values of the log odds are scaled to the probability" if result.is_scaled else ""
    kind = "mean rank" if result.asked == "paper" else "mean |weight|"
    return f"*By {kind} of {escape(result.technique)}{asked}, over {over}{fidelity}{scaled}.*"


def compared(result: ComparedRankings, schema: Schema) -> Answer:
    first = result.rankings[0]
    titles = {"lime": "LIME", "shap": "SHAP"}
    ranks = [{f.feature: f for f in ranking.features} for ranking in result.rankings]
    rows = [
        (schema.by_name[f.feature].label, *(str(by_feature[f.feature].rank) for by_feature in ranks),
         *(f"{by_feature[f.feature].mean_rank:.2f}" for by_feature in ranks))
        for f in first.features[:SHOWN]
    ]  # fmt: skip
    names = [titles[ranking.asked] for ranking in result.rankings]
    leaders = [f"**{label_of(r.features[0].feature, schema)}** by {titles[r.asked]}" for r in result.rankings]
    agree = len({r.features[0].feature for r in result.rankings}) == 1
    lead = label_of(first.features[0].feature, schema)
    sentence = (
        f"both methods find **{lead}** the most important feature"
        if agree
        else (f"the methods differ on the most important feature: {listed(leaders)}")
    )
    columns = ("feature", *(f"rank by {name}" for name in names), *(f"mean rank by {name}" for name in names))
    table = AnswerTable("Ranks by each method", columns, tuple(rows))
    return Answer(f"{about(first)}, {sentence}.", (table,), None, onward(result.group, "important all", "interact"))


# --- interactions --------------------------------------------------------------------------------------------------------


def working_together(result: WorkingTogether, schema: Schema) -> Answer:
    best = result.pairs[0]
    pair = f"**{label_of(best.first, schema)}** and **{label_of(best.second, schema)}**"
    numbers = f"interaction strength {_small(best.strength)}, Friedman's H {best.h:.2f}"
    if result.asked:
        text = f"{opening(result.group)}, {pair} {_how_strongly(best.h)} ({numbers})."
    else:
        text = f"{opening(result.group)}, {pair} work together most ({numbers})."
        rest = [f"{_pair(p.first, p.second, schema)} ({_small(p.strength)})" for p in result.pairs[1:4]]
        text += f" Then come {listed(rest)}." if rest else ""
    text += " The effect of the one depends on the other; without interaction both numbers would be 0."
    sample = f", on {result.used:,} of {result.group.rows:,} rows" if result.used < result.group.rows else ""
    text += f" *By partial dependence{sample}.*"
    rows = tuple(
        (schema.by_name[p.first].label, schema.by_name[p.second].label, _small(p.strength), f"{p.h:.2f}")
        for p in result.pairs[:SHOWN]
    )
    tables = () if result.asked else (AnswerTable("Pairs of features", ("feature", "with", "strength", "Friedman's H"), rows),)
    figure = interaction_surface(result.surface, schema, result.towards)
    effects = [f"effect {schema.by_name[name].token}" for name in (best.first, best.second)]
    return Answer(text, tables, figure, onward(result.group, *effects, "important all"))


def _pair(first: str, second: str, schema: Schema) -> str:
    return f"{label_of(first, schema)} with {label_of(second, schema)}"


def _how_strongly(h: float) -> str:
    if h < 0.05:
        return "hardly work together"
    return "work together somewhat" if h < 0.2 else "clearly work together"


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = (
    COUNTERFACTUALS
    | MISTAKES
    | {
        Reasons: reasons,
        RankedFeatures: ranked,
        ComparedRankings: compared,
        WorkingTogether: working_together,
    }
)
