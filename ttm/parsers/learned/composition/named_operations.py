"""Operations asked for by their technical names: rates, fairness, the paper's choice of explanation, limits on changes.

The corpus has no line for them yet, so they refine readings after these were ranked: readings that differ only in what the name
settles become one, and their probabilities add up.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ttm.language.parse import (
    CategoricalCondition,
    Change,
    CountData,
    Counterfactual,
    Explain,
    Fairness,
    IdCondition,
    Instance,
    LabelCondition,
    Method,
    MissingCondition,
    NumericCondition,
    Parse,
    PredictionCondition,
    PreviousFilter,
    ProbabilityCondition,
    Score,
    Selection,
    Step,
    number_text,
)  # fmt: skip
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.plain_requests.plain_request import RATES, PlainRequest, plain_request
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.data.schema import FeatureKind, Schema

HIGHEST = 0.97
OFFERED = 3
PLAIN = 0.8  # least probability of the likeliest rows where an operation is named
GUESSED = 0.2  # probability of each column where fairness is asked for without one
FAIR = re.compile(
    r"\b(?:un)?fair(?:ly|ness)?\b|\bbias(?:ed|es)?\b|\bdiscriminat\w*|\bdemographic parity\b"
    r"|\bequal(?:ized|ised)? (?:odds|opportunity)\b|\bdisparate impact\b"
)
KEPT = re.compile(
    r"\bwithout (?:chang|touch|alter|modif)\w*|\bkeep(?:ing)?\b|\bleav(?:e|ing)\b|\bhold(?:ing)?\b|\bnot (?:chang|touch)\w*"
)
ONLY = re.compile(r"\b(?:only|just|solely)\b")
CHANGING = re.compile(r"\bchang\w*|\balter\w*|\bvary\w*|\bmodif\w*|\btouch\w*|\bcounterfactual\w*|\bflip\w*")
AT_MOST = re.compile(
    r"\b(?:at most|no more than|not more than|up to|max(?:imum)?(?: of)?) NN (?:\w+ )?"
    r"(?:chang|feature|column|thing|attribute|value)"
)


def with_named_operations(
    candidates: Sequence[ParseCandidate], tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema
) -> tuple[ParseCandidate, ...]:
    """The readings with what the message names plainly, likeliest first; as they were if it names nothing of the kind."""
    text = " ".join("NN" if token.kind is TokenKind.NUMBER else token.text for token in tokens)
    rates = [metric for metric, pattern in RATES.items() if re.search(pattern, text)] if schema.target.is_classification else []
    groups = _columns(mentions, 0, len(tokens), schema)
    fair = schema.target.is_classification and FAIR.search(text) is not None
    if fair and not groups:
        return _without_column(schema)
    limits = _limits(text, tokens, mentions, schema)
    request = None if fair else plain_request(tokens, mentions, schema)
    if request is not None and request.one_row and not any(_names_row(one.parse) for one in candidates):
        request = None
    sums: dict[str, ParseCandidate] = {}
    for one in candidates:
        parse = one.parse
        if fair:
            parse = _in_place(parse, [Fairness(name) for name in groups], set(groups))
        elif request is not None:
            parse = _requested(parse, request)
        elif rates:
            parse = _in_place(parse, [Score(metric) for metric in rates], set())
        else:
            parse = _refined(parse, limits, "paper" in text.split())
        known = sums.get(str(parse))
        summed = min(one.confidence + (known.confidence if known is not None else 0.0), HIGHEST)
        sums[str(parse)] = ParseCandidate(parse, summed)
    if request is not None and not sums:
        sums[""] = ParseCandidate(Parse(request.steps), PLAIN)
    ranked = sorted(sums.values(), key=lambda one: -one.confidence)
    if request is not None:
        ranked[0] = replace(ranked[0], confidence=max(ranked[0].confidence, PLAIN))
    return tuple(ranked)


def _columns(mentions: Sequence[SchemaMention], start: int, end: int, schema: Schema) -> list[str]:
    """Columns that are named between two tokens."""
    named = [mention.name.feature for mention in mentions if mention.start >= start and mention.end <= end]
    return list(dict.fromkeys(feature.token for feature in named if feature is not None))


def _without_column(schema: Schema) -> tuple[ParseCandidate, ...]:
    kinds = (FeatureKind.BOOLEAN, FeatureKind.CATEGORICAL)
    features = [feature for feature in schema.features if feature.kind in kinds][:OFFERED]
    return tuple(ParseCandidate(Parse((Fairness(feature.token),)), GUESSED) for feature in features)


def _in_place(parse: Parse, operations: Sequence[Step], without: set[str]) -> Parse:
    """The rows of a parse with these operations in the place of its own; conditions on some columns go."""
    rows = [step for step in parse.steps if isinstance(step, Selection | Instance | Change)]
    return Parse((*_without(rows, without), *operations))


def _without(steps: Sequence[Step], columns: set[str]) -> list[Step]:
    kept: list[Step] = []
    for step in steps:
        if isinstance(step, Selection) and columns:
            groups = tuple(
                tuple(tuple(one for one in part if not _is_about(one, columns)) for part in group) for group in step.groups
            )
            left = tuple(dict.fromkeys(tuple(part for part in group if part) for group in groups))
            left = tuple(group for group in left if group)
            kept += [replace(step, groups=left)] if left else []
        elif not (isinstance(step, Change) and step.feature in columns):
            kept.append(step)
    return kept


def _requested(parse: Parse, request: PlainRequest) -> Parse:
    """The rows of a parse with the operations that were named; conditions that only repeat their arguments go."""
    rows = [step for step in parse.steps if isinstance(step, Selection | Instance | Change)]
    return Parse((*_other_conditions(_without(rows, set(request.columns)), request), *request.steps))


def _other_conditions(steps: Sequence[Step], request: PlainRequest) -> list[Step]:
    """The steps without conditions on the class, or with the number, that the request takes as its argument."""
    numbers = {number_text(number) for number in request.numbers}
    kept: list[Step] = []
    for step in steps:
        if isinstance(step, Selection):
            groups = [
                [[one for one in part if not _is_argument(one, request, numbers)] for part in group] for group in step.groups
            ]
            left = [tuple(tuple(part) for part in group if part) for group in groups]
            kept += [replace(step, groups=tuple(group for group in left if group))] if any(left) else []
        else:
            kept.append(step)
    return kept


def _names_row(parse: Parse) -> bool:
    """Whether a reading is about a row that is named, made up or was spoken of before."""
    conditions = [one for step in parse.steps if isinstance(step, Selection) for g in step.groups for part in g for one in part]
    return any(isinstance(one, IdCondition | PreviousFilter) for one in conditions) or any(
        isinstance(step, Instance) for step in parse.steps
    )


def _is_argument(condition: object, request: PlainRequest, numbers: set[str]) -> bool:
    if isinstance(condition, LabelCondition | PredictionCondition):
        return request.takes_class
    if isinstance(condition, ProbabilityCondition | IdCondition):
        value = condition.id if isinstance(condition, IdCondition) else number_text(condition.value)
        return value in numbers
    return False


def _is_about(condition: object, columns: set[str]) -> bool:
    return isinstance(condition, NumericCondition | CategoricalCondition | MissingCondition) and condition.feature in columns


def _limits(
    text: str, tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema
) -> dict[str, tuple[str, ...] | int | bool]:
    """What may change in a counterfactual, as fields of `Counterfactual`."""
    found: dict[str, tuple[str, ...] | int | bool] = {}
    starts = {"keep": KEPT.search(text), "only": ONLY.search(text) if CHANGING.search(text) else None}
    for field, match in starts.items():
        if match is not None:
            names = _columns(mentions, text[: match.start()].count(" "), len(tokens), schema)
            found |= {field: tuple(names)} if names else {}
    most = AT_MOST.search(text)
    numbers = [token for token in tokens if token.kind is TokenKind.NUMBER]
    if most is not None:
        before = text[: most.start()].count("NN")
        found["most"] = int(numbers[before].value)
    return found | ({"dice": True} if "dice" in text.split() else {})


def _refined(parse: Parse, limits: dict[str, tuple[str, ...] | int | bool], by_paper: bool) -> Parse:
    """A parse with the limits on what its counterfactual may change, and with the paper's choice of explanation."""
    steps: list[Step] = [
        replace(one, method=Method.PAPER) if by_paper and isinstance(one, Explain) else one for one in parse.steps
    ]
    if not limits or not any(isinstance(one, Counterfactual) for one in steps):
        return Parse(tuple(steps))
    columns = {name for value in limits.values() if isinstance(value, tuple) for name in value}
    refined = [_limited(one, limits) if isinstance(one, Counterfactual) else one for one in _without(steps, columns)]
    return Parse(tuple(one for one in refined if not isinstance(one, CountData)))


def _limited(node: Counterfactual, limits: dict[str, tuple[str, ...] | int | bool]) -> Counterfactual:
    count = None if node.count == limits.get("most") else node.count
    return replace(node, count=count, **limits)  # type: ignore[arg-type]
