"""Which class rows are ranked by ("most likely to be bad", "the highest risk"): the model's output is that of the last one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ttm.language.parse import LabelCondition, Parse, PredictionCondition, Ranked
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.plain_requests.other_conditions import without_conditions
from ttm.parsers.plain_requests.plain_request import class_words, classes_by_word
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.data.schema import Schema

# What says which end is meant: of the probability of the class that is named behind it, or of what nobody wants.
_LIKELY = re.compile(
    r"\b(?:(most|least|more|less) (?:un)?(?:likely|probable|probably)|(likeliest)|"
    r"(highest|greatest|largest|biggest|lowest|smallest) (?:predicted )?"
    r"(?:chance|probability|likelihood|odds|risk)s? (?:of|for|to))\b"
)
_RISK = re.compile(
    r"\b(?:(highest|greatest|largest|biggest|most|lowest|smallest|least|less) (?:at )?(?:risk|risky)|(riskiest)|(safest))\b"
)
_LOW = frozenset("least less lowest smallest safest".split())
_DENIED, _UNSURE = re.compile(r"\s*(?:being )?(?:not|never)\b"), re.compile(r"\b(?:not|never|without|no|than)\b")
# What a class is called that people mean by "risk".
_ADVERSE = frozenset(
    "bad poor low fail failed failing default defaulted ill sick dead died deceased denied rejected malignant fraud loss lost "
    "abnormal severe disease yes likely will positive churned left".split()
)


def by_class(parse: Parse, text: str, mentions: Sequence[SchemaMention], schema: Schema) -> Parse:
    """The parse with rows ranked by the class of two that the message speaks of."""
    ranked = [step for step in parse.steps if isinstance(step, Ranked) and step.by == "probability"]
    if len(ranked) != 1 or len(schema.target.classes) != 2:
        return parse
    lowest = _end(text, mentions, schema)
    if lowest is None:
        return parse
    steps = without_conditions(parse.steps, _of_class) if _is_only_end(text, mentions, schema) else parse.steps
    return Parse(tuple(replace(step, lowest=lowest) if step is ranked[0] else step for step in steps))


def _of_class(condition: object) -> bool:
    return isinstance(condition, LabelCondition | PredictionCondition) and condition.comparator is None


def _is_only_end(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> bool:
    """Whether a message names classes for the end only: "most likely to be bad" picks none that are predicted bad."""
    match = _LIKELY.search(text)
    if match is None:
        return False
    start = text[: match.start()].count(" ")
    named = any(one.name.class_number is not None and one.start < start for one in mentions)
    return not named and not classes_by_word(text[: match.start()].split(" "), schema)


def _end(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> bool | None:
    """Whether the lowest output of the last class is meant; None where the message does not tell."""
    matches = list(_LIKELY.finditer(text))
    if len(matches) == 1:
        behind = text[matches[0].end() :]
        start = text[: matches[0].end()].count(" ")
        named = _class_in(behind, start, mentions, schema)
        own = any(one.start == start and one.name.class_number is not None for one in mentions)  # "unlikely to" is in its name
        turned = _DENIED.match(behind)
        if named is not None and (turned is not None or not _UNSURE.search(behind)):
            low = (next(filter(None, matches[0].groups())) in _LOW) != (" un" in matches[0][0] and not own)
            return low == (bool(named) != (turned is not None))
    risks = list(_RISK.finditer(text))
    adverse = {number for word, number in class_words(schema).items() if word in _ADVERSE}
    if len(risks) == 1 and len(adverse) == 1:
        return (next(filter(None, risks[0].groups())) in _LOW) == bool(adverse.pop())
    return None


def _class_in(behind: str, start: int, mentions: Sequence[SchemaMention], schema: Schema) -> int | None:
    """The only class that a part of a message names, by a word of its own or by its name."""
    by_word = set(classes_by_word(behind.split(" "), schema).values())
    by_name = {int(one.name.class_number) for one in mentions if one.name.class_number is not None and one.start >= start}
    named = by_word or by_name
    return named.pop() if len(named) == 1 else None


def ranks(text: str, candidates: Sequence[ParseCandidate]) -> bool:
    """Whether a message asks for the rows at one end: "the five with the highest probability of it" is no probability."""
    first = candidates[0].parse.steps if candidates else ()
    return any(isinstance(step, Ranked) for step in first) and _LIKELY.search(text) is not None
