"""Words, tables and figures for where the model is wrong."""

from collections.abc import Callable, Sequence
from typing import Any

from backend.text.words import listed
from ttm.language.parse import number_text
from ttm.operations.mistakes.error_tree import error_tree
from ttm.operations.mistakes.run import (
    Criterion,
    FoundBranch,
    FoundRule,
    Judged,
    MistakeCount,
    Mistaken,
    MistakeSample,
    ResidualSummary,
    TypicalMistakes,
)
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    id_text,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    value_text,
)
from ttm.operations.rendering.marks import rows_clickable
from ttm.operations.scores.render import few_rows, interval_text
from ttm.tabular.data.schema import FeatureKind, Schema


def judged(result: Judged, schema: Schema) -> Answer:
    row, follow = result.row, onward(result.group, "explain features", "explain cfe", "similar 5")
    if result.correct is None:
        scale = scale_of("", schema)
        off = abs(result.residual or 0.0)
        way = "above" if (result.residual or 0.0) > 0 else "below"
        text = f"{opening(result.group)}, the model predicts {scale.fine(float(row.prediction))}{scale.unit_text}; the true "
        text += f"value is {scale.fine(float(row.label))}. "
        text += f"It is **{scale.fine(off)} {way}** it." if off else "It is exact."
        return Answer(text, next_parses=follow)
    verdict = "**right**" if result.correct else "**wrong**"
    text = f"{opening(result.group)}, the model is {verdict}: it predicts {quoted(row.prediction)} (probability "
    text += f"{percent(row.probability)}), and the true outcome is {quoted(row.label)}."
    return Answer(text, next_parses=follow)


def sample(result: MistakeSample, schema: Schema) -> Answer:
    follow = onward(result.group, "mistake typical", "score default")
    if result.wrong == 0:
        text = f"{opening(result.group)}, the model makes no mistake on the {result.rows:,} with a known outcome."
        return Answer(text, next_parses=onward(result.group, "score default"))
    shown = len(result.examples)
    if result.wrong is None:
        text = f"{opening(result.group)}, these are the {shown} predictions that are furthest off."
    else:
        which = "here it is" if result.wrong == 1 else f"here are {'all' if shown == result.wrong else 'the'} {shown}"
        surest = "" if shown == result.wrong else " that it was surest of"
        text = f"{opening(result.group)}, the model is wrong on **{result.wrong:,}** of {result.rows:,}; {which}{surest}."
    asked = [f"filter id {id_text(row.id)} and explain features" for row in result.examples[:1]]
    return Answer(text, (_examples(result.examples, schema),), None, (*follow, *asked))


def _examples(examples: tuple[Mistaken, ...], schema: Schema) -> AnswerTable:
    scale = scale_of("", schema)
    if schema.target.is_classification:
        rows = tuple((str(e.id), str(e.label), str(e.prediction), percent(e.probability)) for e in examples)
        return AnswerTable("Wrong predictions", ("id", "truth", "prediction", "probability"), rows)
    rows = tuple(
        (str(e.id), scale.fine(float(e.label)), scale.fine(float(e.prediction)),
         scale.fine(abs(float(e.prediction) - float(e.label))))
        for e in examples
    )  # fmt: skip
    return AnswerTable("Largest errors", ("id", "truth", "prediction", "off by"), rows)


def count(result: MistakeCount, schema: Schema) -> Answer:
    text = f"{opening(result.group)}, the model is wrong on **{result.wrong:,}** of {result.rows:,} "
    text += f"({percent(result.share)}, 95% interval {interval_text('', result.estimate)})"
    if result.elsewhere is not None:
        text += f"; elsewhere on {percent(result.elsewhere)}"
    parts = [
        f"{wrong:,} of {rows:,} that are truly {quoted(name)} ({percent(wrong / rows)})"
        for name, (wrong, rows) in result.by_truth.items()
        if rows
    ]
    text += f". It misjudges {listed(parts, most=6)}." if result.wrong and len(parts) > 1 else "."
    text += few_rows(result.rows)
    follow = ("mistake typical", "mistake sample") if result.wrong else ("score default",)
    return Answer(text, next_parses=onward(result.group, *follow))


def residuals(result: ResidualSummary, schema: Schema) -> Answer:
    scale = scale_of("", schema)
    text = f"{opening(result.group)}, the model is off by **{scale.fine(result.mean_absolute)}**{scale.unit_text} on average "
    text += f"(median {scale.fine(result.median_absolute)}, at worst {scale.fine(result.largest)}; "
    text += f"{result.rows:,} rows with a known outcome)."
    if abs(result.bias) > 0.05 * result.mean_absolute:
        text += f" On average it predicts {scale.fine(abs(result.bias))} too {'much' if result.bias > 0 else 'little'}."
    return Answer(text, next_parses=onward(result.group, "mistake typical", "mistake sample"))


def typical(result: TypicalMistakes, schema: Schema) -> Answer:
    is_rate = result.errors is not None
    overall = _error(result.error, is_rate, schema)
    if is_rate and result.truths:
        names = listed([quoted(name) for name in result.truths])
        text = f"{opening(result.group)}, the model is wrong about all, so these were set beside all that are truly {names}: "
        text += f"there it is wrong on {result.errors:,} of {result.rows:,} ({overall})."
    elif is_rate:
        text = f"{opening(result.group)}, the model is wrong on {result.errors:,} of {result.rows:,} ({overall})."
    else:
        text = f"{opening(result.group)}, the model is off by {overall} on average."
    follow = onward(result.group, "mistake sample", "score default")
    if not result.rules:
        return Answer(f"{text} {escape(result.reason)}", next_parses=follow)
    lines = "\n".join(f"- {_sentence(rule, is_rate, schema)}" for rule in result.rules)
    text += f" It errs most often:\n\n{lines}" if is_rate else f" It errs most:\n\n{lines}"
    text += f"\n\nThe {'shares' if is_rate else 'errors'} are those of rows that were not used to find the pattern."
    words = ["all" if one.criterion is None else criterion_words(one.criterion, schema) for one in result.branches]
    branches = [(one.parent, label, one.rows, one.error) for one, label in zip(result.branches, words, strict=True)]
    figure = error_tree(branches, is_rate, "Where the mistakes are")
    if result.truths:  # the rows are others than those of the group
        return Answer(text, (), figure, follow)
    rows_clickable(figure, result.group, [_branch_filters(result.branches, schema)])
    closer = [parse for rule in result.rules if (parse := rule_filter(rule, schema)) is not None]
    first = onward(result.group, f"{closer[0]} and mistake sample") if closer else ()
    return Answer(text, (), figure, (*first, *follow))


def _error(error: float, is_rate: bool, schema: Schema) -> str:
    scale = scale_of("", schema)
    return percent(error) if is_rate else f"{scale.fine(error)}{scale.unit_text}"


def _sentence(rule: FoundRule, is_rate: bool, schema: Schema) -> str:
    who = listed([escape(criterion_words(criterion, schema)) for criterion in rule.criteria])
    error, low, high, there = (_error(e, is_rate, schema) for e in (rule.error, rule.low, rule.high, rule.elsewhere))
    if rule.errors is None:
        here = _error(rule.here, is_rate, schema)
        text = f"with {who}: off by about **{error}** on average (95% interval {low} to {high}), elsewhere by {there}"
        return f"{text}; over these {rule.rows:,} rows by {here}"
    text = f"with {who}: about **{error}** wrong (95% interval {low} to {high}), elsewhere {there}"
    return f"{text}; {rule.errors:,} of these {rule.rows:,} rows"


def criterion_words(criterion: Criterion, schema: Schema) -> str:
    """A condition of a rule in words, as plain text."""
    feature = schema.by_name[criterion.feature]
    unknown = " or unknown" if criterion.or_unknown else ""
    if criterion.value is not None:
        value = value_text(criterion.value, feature)
        if feature.kind is FeatureKind.BOOLEAN and criterion.negated:
            value = "no" if value == "yes" else "yes"
            return f"{feature.label} = {value}{unknown}"
        return f"{feature.label} {'other than' if criterion.negated else '='} {value}{unknown}"
    above, most = ("after", "until") if feature.kind is FeatureKind.DATE else ("above", "of at most")
    parts = []
    if criterion.low is not None:
        parts.append(f"{above} {value_text(criterion.low, feature)}")
    if criterion.high is not None:
        parts.append(f"{most} {value_text(criterion.high, feature)}")
    return f"{feature.label} {' and '.join(parts)}{unknown}"


def rule_filter(rule: FoundRule, schema: Schema) -> str | None:
    """The rule as filters; None where "or unknown" would need brackets, which the parse language lacks."""
    return _filters(rule.criteria, schema)


def _filters(criteria: Sequence[Criterion], schema: Schema) -> str | None:
    if any(criterion.or_unknown for criterion in criteria):
        return None
    return " and ".join(surface for criterion in criteria for surface in _surfaces(criterion, schema))


def _branch_filters(branches: Sequence[FoundBranch], schema: Schema) -> list[str]:
    """The filters of each branch: its own criterion and those of the branches above it."""
    paths: list[tuple[Criterion, ...]] = []
    for branch in branches:
        above = () if branch.parent is None else paths[branch.parent]
        paths.append(above if branch.criterion is None else (*above, branch.criterion))
    return [_filters(path, schema) or "" for path in paths]


def _surfaces(criterion: Criterion, schema: Schema) -> list[str]:
    feature = schema.by_name[criterion.feature]
    if criterion.value is not None:
        value = feature.value_token(criterion.value)
        if feature.kind is FeatureKind.BOOLEAN:
            return [f"filter {feature.token} {'true' if (value == 'true') != criterion.negated else 'false'}"]
        return [f"filter {feature.token} {'not ' if criterion.negated else ''}{value}"]
    surfaces = []
    for comparator, bound in (("greater than", criterion.low), ("less equal than", criterion.high)):
        if bound is not None:
            text = f"{bound:%Y-%m-%d}" if feature.kind is FeatureKind.DATE else number_text(bound)
            surfaces.append(f"filter {feature.token} {comparator} {text}")
    return surfaces


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    Judged: judged,
    MistakeSample: sample,
    MistakeCount: count,
    ResidualSummary: residuals,
    TypicalMistakes: typical,
}
