"""Operations asked for by their technical names: rates, fairness, the paper's choice of explanation, limits on changes.

The corpus has no line for them yet, so they refine readings after these were ranked: readings that differ only in what the name
settles become one, and their probabilities add up.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ttm.language.operations.data import DefineTerm
from ttm.language.operations.dialogue import Significant
from ttm.language.operations.importance import Otherwise
from ttm.language.operations.predictions import ThresholdCost
from ttm.language.operations.scores import Models, Residuals
from ttm.language.parse import (
    CategoricalCondition,
    Change,
    CountData,
    Counterfactual,
    Explain,
    Fairness,
    IdCondition,
    Instance,
    Joiner,
    LabelCondition,
    Likelihood,
    Method,
    MissingCondition,
    Mistake,
    NumericCondition,
    Parse,
    Predict,
    PredictionCondition,
    PreviousFilter,
    ProbabilityCondition,
    Ranked,
    Score,
    Selection,
    Statistic,
    Step,
    number_text,
)
from ttm.parsers.learned.composition.counterfactual_limits import aimed, bounded, columns_named, limited, limits_of
from ttm.parsers.learned.composition.shared_names import SharedName, shared_name, side_by_side
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.plain_requests.aged_people import with_ages
from ttm.parsers.plain_requests.class_of_rows import class_of_rows
from ttm.parsers.plain_requests.confused_cells import confused_cell
from ttm.parsers.plain_requests.meanings import asked_meanings
from ttm.parsers.plain_requests.other_conditions import without_conditions
from ttm.parsers.plain_requests.plain_request import FAIR, PlainRequest, named_metric, named_rates, plain_request
from ttm.parsers.plain_requests.ranked_class import by_class, ranks
from ttm.parsers.plain_requests.row_as_subject import (
    FLIPPED,
    about_subject,
    row_resembled,
    row_supposed,
    with_changes,
    with_resembled,
)
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.data.schema import FeatureKind, Schema

HIGHEST = 0.97
OFFERED = 3
_DEFINES = re.compile(r"\b(?:mean(?:s|ing)?|explain|defin\w*|under(?:stand|stood)|stands? for|remind)\b|\b(?:is|'s) an?\b")
_MISSES = re.compile(r"\b(?:miss|alarm|overlook|slip)")  # of which class, these do not say
# Of which class, these say.
_APART = re.compile(r"\b(?:truly|actually|really)\b.*\bpredict|\bpredict.*\b(?:truly|actually|really)\b")
_OF_CELLS = frozenset({"mistake count", "score fpr", "score fnr", "score confusion"})
COMPARED = (Likelihood, Predict, Score, Statistic)  # what groups are tested by where a message asks for it
MEANT = 0.93  # probability that a question after a meaning is one
PLAIN = 0.8  # least probability of the likeliest rows where an operation is named
KEPT = 0.6  # probability from which the likeliest reading may stay first, whatever the words name
CHANGED = 0.6  # how much what the words name counts in a conversation, where it is another reading than the likeliest
GUESSED = 0.2  # probability of each column where fairness is asked for without one


def with_named_operations(
    candidates: Sequence[ParseCandidate],
    tokens: Sequence[UtteranceToken],
    mentions: Sequence[SchemaMention],
    schema: Schema,
    follows: bool = False,
    weighed: bool = False,
) -> tuple[ParseCandidate, ...]:
    """The readings with what the message names plainly, likeliest first; as they were if it names nothing of the kind.

    The likeliest reading stays first where it is likely enough: in a conversation, where it makes more of the message, or
    where readings are `weighed` by a second opinion too. 18 authors of the corpus have 203 messages in which what was named
    is another reading than the likeliest: of 48 that follow others, and whose likeliest has 0.6 or more, 40 were right by
    that and 24 as named, of 15 first ones that it makes more of 9 and 1. By both opinions, 23 of 29 first ones of 14
    authors that have 0.6 were right; what was named takes their place only where it has all of them and more.
    A message that says nothing else ("lift", "correlation of age and fare") is as named, whatever came before.
    """
    named = _as_named(candidates, tokens, mentions, schema)
    if follows and candidates and named and candidates[0].parse != named[0].parse:
        request = plain_request(tokens, mentions, schema)
        if request is not None and request.whole:
            return named
    return _beside(candidates, named, tokens, follows, weighed)


def _beside(
    candidates: Sequence[ParseCandidate],
    named: tuple[ParseCandidate, ...],
    tokens: Sequence[UtteranceToken],
    follows: bool,
    weighed: bool,
) -> tuple[ParseCandidate, ...]:
    """What was named, as far as the ranking leaves it open."""
    if not candidates or not named or candidates[0].parse == named[0].parse:
        return named
    first = candidates[0]
    if _alike(first.parse, named[0].parse) == _alike(named[0].parse, named[0].parse):
        return named
    keeps = follows or (weighed and not _says_less(first.parse, named[0].parse, tokens))
    if first.confidence < KEPT or not (keeps or _makes_more(first.parse, named[0].parse, tokens)):
        return tuple(replace(one, confidence=CHANGED * one.confidence) for one in named) if follows else named
    others = (replace(one, confidence=min(one.confidence, 1 - first.confidence)) for one in named if one.parse != first.parse)
    return (first, *others)


def _alike(parse: Parse, named: Parse) -> list[Step]:
    """The steps of a parse without what words settle: what a counterfactual may change, from which end rows are ranked, which
    of two errors costs more, and of errors whether they are too high, where that was `named`."""
    steps = [replace(one, keep=(), only=(), most=None) if isinstance(one, Counterfactual) else one for one in parse.steps]
    steps = [replace(one, lowest=False) if isinstance(one, Ranked) else one for one in steps]
    if any(isinstance(one, Residuals) and one.side for one in named.steps):
        steps = [Residuals() if isinstance(one, Residuals) or one == Mistake("sample") else one for one in steps]
    return [replace(one, ratio=max(one.ratio, 1 / one.ratio)) if isinstance(one, ThresholdCost) else one for one in steps]


def _makes_more(parse: Parse, other: Parse, tokens: Sequence[UtteranceToken]) -> bool:
    """Whether a parse makes more of a message than another one: it says what something means, asks for more scores, or has a
    number of the message that the other lacks."""
    if isinstance(parse.steps[0], DefineTerm):
        return _DEFINES.search(" ".join(token.text for token in tokens)) is not None
    spoken = [abs(token.value) for token in tokens if token.kind is TokenKind.NUMBER]
    numbers = [sum(_has_number(each, value) for value in spoken) for each in (parse, other)]
    scores = [sum(isinstance(step, Score) for step in each.steps) for each in (parse, other)]
    return numbers[0] > numbers[1] or scores[0] > scores[1] > 0


def _has_number(parse: Parse, value: float) -> bool:
    """Whether a parse has a number, or its reciprocal: what is ten times as bad costs the other a tenth."""
    texts = {number_text(value), *([number_text(round(1 / value, 6))] if value else [])}
    return not texts.isdisjoint(str(parse).split())


def _as_named(
    candidates: Sequence[ParseCandidate], tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema
) -> tuple[ParseCandidate, ...]:
    meanings = asked_meanings(tokens, mentions, schema)
    if meanings:
        others = (replace(one, confidence=one.confidence * (1 - MEANT)) for one in candidates)
        return (ParseCandidate(Parse(meanings), MEANT), *others)
    shared = shared_name(tokens, mentions, schema)
    readings = [] if shared is None else _of_each_column(candidates, tokens, mentions, schema, shared)
    return _of_people(tuple(readings) if readings else _named(candidates, tokens, mentions, schema), tokens, mentions, schema)


def _of_people(
    candidates: tuple[ParseCandidate, ...], tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema
) -> tuple[ParseCandidate, ...]:
    """The readings with the rows that the message picks by class ("flagged as bad") or by age alone ("the over-50s")."""
    picked = class_of_rows(tokens, mentions, schema)
    if picked is None and not any(token.form == "aged" for token in tokens):
        return candidates
    aged = _changed(candidates, lambda parse: with_ages(parse, tokens, schema))
    return _summed(_in_one_order(aged if picked is None else _changed(aged, picked.of)), None)


def _of_each_column(
    candidates: Sequence[ParseCandidate], tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema,
    shared: SharedName,
) -> list[ParseCandidate]:  # fmt: skip
    """The readings of a message whose word stands for several columns; none where no operation is about one of them."""
    left = [Parse(tuple(_without(one.parse.steps, {shared.taken_for}))) for one in candidates]
    rows = [replace(one, parse=parse) for one, parse in zip(candidates, left, strict=True) if parse.steps]
    readings: list[ParseCandidate] = []
    for column in shared.columns[:OFFERED]:
        best = next(iter(_named(rows, tokens, shared.mentions_of(mentions, column), schema)), None)
        if best is None or f" {column.token} " not in f" {best.parse} ":
            return []
        beside = side_by_side(best.parse, shared.columns)
        if beside is not None:
            return [replace(best, parse=beside)]
        readings.append(replace(best, confidence=GUESSED))
    return readings


def _named(
    candidates: Sequence[ParseCandidate], tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema
) -> tuple[ParseCandidate, ...]:
    """The readings with what the message names plainly, each mention being about one column."""
    text = _spelled(tokens)
    rates = named_rates(text, schema)
    groups = columns_named(mentions, 0, len(tokens), schema)
    fair = _asks_fairness(text, schema)
    if fair and not groups:
        return _without_column(schema)
    cell = None if fair or rates else confused_cell(text, mentions, schema)
    if cell is not None:
        about = frozenset(columns_named(mentions, cell.words.start, cell.words.stop, schema))
        return _summed(_changed(candidates, lambda parse: cell.of(parse, about)), cell.of(Parse(()), about))
    asks_change = bool(candidates) and any(isinstance(step, Counterfactual) for step in candidates[0].parse.steps)
    limits = limits_of(text, tokens, mentions, schema, asks_change)
    candidates = _of_subject(candidates, tokens, bool(limits) and FLIPPED.search(text) is not None, schema)
    if fair:
        return _summed(_changed(candidates, lambda parse: _in_place(parse, [*map(Fairness, groups)], set(groups))), None)
    request = None if ranks(text, candidates) else plain_request(tokens, mentions, schema)
    if request is not None:
        request, candidates = _suited(request, candidates, bool(mentions))
    if request is not None:
        return _all_requested(candidates, request, tokens, schema)
    if rates:
        return _summed(_made_sure(_changed(candidates, lambda parse: _in_place(parse, [*map(Score, rates)], set()))), None)
    by_paper = "paper" in text.split()
    readings = _changed(candidates, lambda parse: by_class(_refined(parse, limits, by_paper), text, mentions, schema))
    return _summed(_counterfactual(readings) if limits.keys() & {"keep", "only", "most"} else readings, None)


def _counterfactual(readings: Sequence[ParseCandidate]) -> Sequence[ParseCandidate]:
    """The readings of a message that says what alone may change: counterfactuals, where the likeliest is one."""
    own = [one for one in readings if any(isinstance(step, Counterfactual) for step in one.parse.steps)]
    return _made_sure(own) if own and own[0] is readings[0] else readings


def _of_subject(
    candidates: Sequence[ParseCandidate], tokens: Sequence[UtteranceToken], flipped: bool, schema: Schema
) -> Sequence[ParseCandidate]:
    """The readings with the row that is the subject of the message, what it is supposed to have, or what it resembles."""
    candidates, supposed, resembled = about_subject(candidates, tokens, flipped), row_supposed(tokens), row_resembled(tokens)
    candidates = candidates if supposed is None else with_changes(candidates, supposed, schema)
    return candidates if resembled is None else with_resembled(candidates, resembled)


def _changed(candidates: Sequence[ParseCandidate], change: Callable[[Parse], Parse]) -> list[ParseCandidate]:
    return [replace(one, parse=change(one.parse)) for one in candidates]


def _all_requested(
    candidates: Sequence[ParseCandidate], request: PlainRequest, tokens: Sequence[UtteranceToken], schema: Schema
) -> tuple[ParseCandidate, ...]:
    metric = named_metric(tokens, schema)
    spoken = frozenset(token.value for token in tokens if token.kind is TokenKind.NUMBER)
    readings = _changed(candidates, lambda parse: _requested(parse, request, metric, spoken))
    doubtful = request.doubtful_rows and not _of_one_row(candidates)
    return _summed(readings, None if doubtful else Parse(request.steps))


def _of_one_row(candidates: Sequence[ParseCandidate]) -> bool:
    """Whether all readings are about the same row, which is then as sure as that it is named."""
    named = {tuple(re.findall(r"\bid (\S+)", str(one.parse))) for one in candidates}
    return len(named) == 1 and len(named.pop()) == 1


def _spelled(tokens: Sequence[UtteranceToken]) -> str:
    """The words of a message, `NN` for each number, as the patterns of this file have them."""
    return " ".join("NN" if token.kind is TokenKind.NUMBER else token.text for token in tokens)


def _asks_fairness(text: str, schema: Schema) -> bool:
    return schema.target.is_classification and re.search(FAIR, text) is not None


def _made_sure(readings: Sequence[ParseCandidate]) -> list[ParseCandidate]:
    """The readings of a message whose operation is named for sure: what is left to doubt is which rows are meant."""
    total = sum(one.confidence for one in readings)
    factor = max(1.0, PLAIN / total) if total > 0 else 1.0
    return [replace(one, confidence=min(one.confidence * factor, HIGHEST)) for one in readings]


def _in_one_order(candidates: Sequence[ParseCandidate]) -> list[ParseCandidate]:
    """The readings, those with the same conditions in another order as the likeliest of them has it."""
    likeliest: dict[frozenset[str], Parse] = {}
    for one in sorted(candidates, key=lambda one: -one.confidence):
        likeliest.setdefault(_parts(one.parse), one.parse)
    return [replace(one, parse=likeliest[_parts(one.parse)]) for one in candidates]


def _parts(parse: Parse) -> frozenset[str]:
    """The parts of a parse, whose order is of no account where all are joined by "and"."""
    items = parse.items()
    single = all(joiner is Joiner.AND for joiner, _ in items) and not any(text.startswith("change") for _, text in items)
    return frozenset(text for _, text in items) if single else frozenset([str(parse)])


def _says_less(parse: Parse, other: Parse, tokens: Sequence[UtteranceToken]) -> bool:
    """Whether another parse has all of a parse and more. Rows of a cell say more than all that is wrong, and the columns whose
    importance is asked for more than the order of all, or than the prediction; a cell that the message sets apart in words
    ("predicted to have it when they do not") is no other one."""
    parts, others = _parts(parse), _parts(other)
    rough = frozenset[str]()
    if "countdata" in others:
        classes = frozenset(text for text in parts if text.startswith(("predictionfilter ", "labelfilter ")))
        both = sum(text.startswith(("predictionfilter ", "labelfilter ")) for text in others) > 1
        says_so = both and (not _MISSES.search(_spelled(tokens)) or _APART.search(_spelled(tokens)) is not None)
        rough = _OF_CELLS | (classes - others if says_so else frozenset())
    asked = sum(text.startswith("important ") for text in others)
    if asked and not any(text.startswith("important ") and text != "important all" for text in parts):
        rough = frozenset({"explain features", "important all", *(("predict",) if asked > 1 else ())})
    return parts - rough < others


def _summed(candidates: Sequence[ParseCandidate], plain: Parse | None) -> tuple[ParseCandidate, ...]:
    """The readings, each once, with the sum of its probabilities; the first is likely where something `plain` is named."""
    sums: dict[str, ParseCandidate] = {}
    for one in candidates:
        known = sums.get(str(one.parse))
        summed = min(one.confidence + (known.confidence if known is not None else 0.0), HIGHEST)
        sums[str(one.parse)] = ParseCandidate(one.parse, summed)
    ranked = sorted(sums.values(), key=lambda one: -one.confidence)
    if plain is not None:
        first = ranked[0] if ranked else ParseCandidate(plain, PLAIN)
        ranked = [replace(first, confidence=max(first.confidence, PLAIN)), *ranked[1:]]
    return tuple(ranked)


def _suited(
    request: PlainRequest, candidates: Sequence[ParseCandidate], names_something: bool
) -> tuple[PlainRequest | None, Sequence[ParseCandidate]]:
    """The readings that a request can be about: of a row for one that is about a row, of groups side by side for a test.

    Two models are compared on all rows, unless the message names groups: it is not rows that "both" is said of.
    """
    if isinstance(request.steps[0], Models) and not names_something:
        together = [one for one in candidates if _groups(one.parse.steps) == 1]
        return request, together or [ParseCandidate(Parse(()), candidates[0].confidence)]
    if request.one_row:
        about_rows = [one for one in candidates if _names_row(one.parse)]
        about_rows = [one for one in about_rows if "previousfilter" not in str(one.parse)] or about_rows
        return (request, about_rows) if about_rows else (None, candidates)
    compared = request.side_by_side or request.steps == (Significant(),)
    return request, _side_by_side(candidates) if compared else candidates


def _groups(steps: Sequence[Step]) -> int:
    """How many groups of rows are set side by side."""
    return max((len(step.groups) for step in steps if isinstance(step, Selection)), default=1)


def _side_by_side(candidates: Sequence[ParseCandidate]) -> Sequence[ParseCandidate]:
    """The readings that compare groups, unless the first is likely only those that differ in one thing; all where there are
    none."""
    about_groups = [one for one in candidates if _groups(one.parse.steps) > 1]
    if about_groups and about_groups[0].confidence >= PLAIN:
        return about_groups
    return [one for one in about_groups if _is_by_one_thing(one.parse)] or about_groups or candidates


def _is_by_one_thing(parse: Parse) -> bool:
    """Whether the groups that stand side by side differ in the same columns, or all in class or prediction."""
    return all(
        len({frozenset(_about(condition) for part in group for condition in part) for group in step.groups}) == 1
        for step in parse.steps
        if isinstance(step, Selection)
    )


def _about(condition: object) -> str:
    return str(getattr(condition, "feature", type(condition).__name__))


def _without_column(schema: Schema) -> tuple[ParseCandidate, ...]:
    kinds = (FeatureKind.BOOLEAN, FeatureKind.CATEGORICAL)
    features = [feature for feature in schema.features if feature.kind in kinds][:OFFERED]
    return tuple(ParseCandidate(Parse((Fairness(feature.token),)), GUESSED) for feature in features)


def _in_place(parse: Parse, operations: Sequence[Step], without: set[str]) -> Parse:
    """The rows of a parse with these operations in the place of its own; conditions on some columns go."""
    rows = [step for step in parse.steps if isinstance(step, Selection | Instance | Change)]
    return Parse((*_without(rows, without), *operations))


def _without(steps: Sequence[Step], columns: set[str], spoken: frozenset[float] = frozenset()) -> list[Step]:
    kept = [one for one in steps if not (isinstance(one, Change) and one.feature in columns and one.value not in spoken)]
    return without_conditions(kept, lambda one: _is_about(one, columns) and getattr(one, "value", None) not in spoken)


def _requested(parse: Parse, request: PlainRequest, metric: str | None, spoken: frozenset[float]) -> Parse:
    """The rows of a parse with the operations that were named; conditions that only repeat their arguments go.

    A condition or a change with a number that was `spoken` is none of these: "average age by sex for people above 30".
    A test of groups side by side is about the `metric` that the message names, or what the parse asks of them.
    """
    supposed = any(isinstance(step, Otherwise) for step in request.steps)  # "if 5 did not have that age" changes nothing else
    kinds = (Selection, Instance) if supposed else (Selection, Instance, Change)
    rows = [step for step in parse.steps if isinstance(step, kinds)]
    kept = _other_conditions(_without(rows, set(request.columns), spoken - set(request.numbers)), request)
    compared: list[Step] = []
    if request.steps == (Significant(),) and _groups(kept) > 1:
        compared = [step for step in parse.steps if isinstance(step, COMPARED)]
        compared = [Score(metric)] if metric is not None else compared
    return Parse((*kept, *compared, *request.steps))


def _other_conditions(steps: Sequence[Step], request: PlainRequest) -> list[Step]:
    """The steps without conditions on the class, or with the number, that the request takes as its argument."""
    numbers = {number_text(number) for number in request.numbers}
    return without_conditions(steps, lambda condition: _is_argument(condition, request, numbers))


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


def _is_of_column(step: Step, columns: set[str]) -> bool:
    """Whether an operation is about one of some columns alone."""
    return not isinstance(step, Selection | Instance | Change) and getattr(step, "feature", None) in columns


def _refined(parse: Parse, limits: dict[str, tuple[str, ...] | int | bool], by_paper: bool) -> Parse:
    """A parse with the limits on what its counterfactual may change, and with the paper's choice of explanation."""
    parse = aimed(bounded(parse))
    steps: list[Step] = [
        replace(one, method=Method.PAPER) if by_paper and isinstance(one, Explain) else one for one in parse.steps
    ]
    if not limits or not any(isinstance(one, Counterfactual) for one in steps):
        return Parse(tuple(steps))
    columns = {name for value in limits.values() if isinstance(value, tuple) for name in value}
    refined = [limited(one, limits) if isinstance(one, Counterfactual) else one for one in _without(steps, columns)]
    return Parse(tuple(one for one in refined if not isinstance(one, CountData) and not _is_of_column(one, columns)))
