"""A decision threshold for each of some groups: "what if the threshold was 0.3 for men and 0.6 for women?".

Each number that can be a threshold stands by the words of its group, before ("0.3 for men") or behind them ("women at 0.4").
These words are read by rule as a group of their own; "the others" are the rows that the other group leaves.
"""

import re
from collections.abc import Sequence

from ttm.language.contrary import contrary
from ttm.language.operations.fairness import ThresholdByGroup
from ttm.language.parse import Condition, Expression, IdCondition, Parse, PreviousFilter, Selection
from ttm.parsers.linker.linking_parser import LinkingParser
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema

_ASKED = re.compile(r"\b(?:thresholds?|cut ?offs?|cut off|cut point|decision (?:boundary|limit|line))\b")
_OTHER = re.compile(r"\bcosts?\b|\bcheapest\b|\bbest\b|\boptimal\b|\bequali[sz]e\b")  # is about which threshold, not about two
_BEFORE_GROUP = frozenset("for on among with in to if when".split())
_BEFORE_VALUE = frozenset("of at to is was be were being = : one got get gets had has have use used using".split())
_REST = frozenset("other others rest remaining else remainder everyone everybody all the people of them those persons".split())
_TELLS_REST = frozenset("other others rest remaining else remainder".split())
_FILLING = frozenset(
    "threshold thresholds cutoff cutoffs cut off decision what if we i you a an one and but , . ? while was were is are be had "
    "has have got get of to at on for among with in when use used using set would happen only percent % - ; : ( )".split()
)
_KEPT_INSIDE = frozenset("with without in of at and".split())  # inside of a group: "people with diabetes"


def thresholds_by_group(tokens: Sequence[UtteranceToken], schema: Schema, rules: LinkingParser) -> Parse | None:
    """The groups side by side with a threshold for each that a message names, their words read by `rules`; or None."""
    text = " ".join(token.text for token in tokens)
    if len(schema.target.classes) != 2 or not _ASKED.search(text) or _OTHER.search(text):
        return None
    for values, segments in (_ahead(tokens), _behind(tokens)):
        groups = _groups(segments, schema, rules) if len(values) > 1 else None
        if groups is not None:
            return Parse((Selection(groups), ThresholdByGroup(tuple(values))))
    return None


def _share(tokens: Sequence[UtteranceToken], at: int) -> float | None:
    """The number at a position as a probability, if it can be one."""
    token, after = tokens[at], tokens[at + 1].text if at + 1 < len(tokens) else ""
    if token.kind is not TokenKind.NUMBER or token.form in ("ordinal", "decade", "plus"):
        return None
    value = token.value / 100 if token.form == "percent" or after in ("percent", "%") else token.value
    return round(value, 6) if 0 < value < 1 else None


Segments = tuple[list[float], list[list[str]]]


def _ahead(tokens: Sequence[UtteranceToken]) -> Segments:
    """Thresholds with the words behind each, up to the next: "0.3 for men and 0.6 for women"."""
    starts: list[tuple[int, int, float]] = []
    for at in range(len(tokens)):
        share, behind = _share(tokens, at), at + 1
        if share is None:
            continue
        while behind < len(tokens) and tokens[behind].text in ("percent", "%"):
            behind += 1
        if behind < len(tokens) and tokens[behind].text in _BEFORE_GROUP:
            starts.append((at, behind, share))
    ends = [*(start for start, _, _ in starts), len(tokens)][1:]
    segments = [[token.text for token in tokens[behind:end]] for (_, behind, _), end in zip(starts, ends, strict=True)]
    return [share for _, _, share in starts], segments


def _behind(tokens: Sequence[UtteranceToken]) -> Segments:
    """Thresholds with the words ahead of each, from the last one on: "women had a threshold of 0.4 and men one of 0.55"."""
    values, segments, start = list[float](), list[list[str]](), 0
    for at in range(1, len(tokens)):
        share = _share(tokens, at)
        if share is not None and tokens[at - 1].text in _BEFORE_VALUE:
            values.append(share)
            segments.append([token.text for token in tokens[start:at]])
            start = at + 1
    return values, segments


def _groups(segments: Sequence[Sequence[str]], schema: Schema, rules: LinkingParser) -> tuple[Expression, ...] | None:
    """The rows of each segment; the rest, where one of two tells so; None where any is unclear."""
    groups = [_group(_trimmed(words), rules) for words in segments]
    open_ones = [at for at, group in enumerate(groups) if group is None]
    if len(groups) == 2 and len(open_ones) == 1 and _is_rest(segments[open_ones[0]]):
        groups[open_ones[0]] = _left_over(groups[1 - open_ones[0]], schema)
    known = tuple(group for group in groups if group is not None)
    return known if len(known) == len(groups) == len(set(known)) else None


def _trimmed(words: Sequence[str]) -> list[str]:
    """The words of a segment without those around that say nothing of the group."""
    kept = list(words)
    while kept and kept[0] in _FILLING:
        kept.pop(0)
    while kept and kept[-1] in _FILLING:
        kept.pop()
    return [word for word in kept if word not in _FILLING or word in _KEPT_INSIDE]


def _is_rest(words: Sequence[str]) -> bool:
    kept = _trimmed(words)
    return bool(kept) and set(kept) <= _REST and bool(_TELLS_REST & set(kept))


def _group(words: Sequence[str], rules: LinkingParser) -> Expression | None:
    """The rows that some words name by rule, if that is all they do."""
    if not words or _is_rest(words):
        return None
    understood = rules.understand(f"accuracy for {' '.join(words)}")
    best = understood.best
    if best is None or understood.unused:
        return None
    selections = [step for step in best.parse.steps if isinstance(step, Selection)]
    if len(selections) != 1 or len(selections[0].groups) != 1:
        return None
    conditions: list[Condition] = [one for part in selections[0].groups[0] for one in part]
    return None if any(isinstance(one, IdCondition | PreviousFilter) for one in conditions) else selections[0].groups[0]


def _left_over(group: Expression | None, schema: Schema) -> Expression | None:
    if group is None or len(group) != 1 or len(group[0]) != 1:
        return None
    other = contrary(group[0][0], schema)
    return None if other is None else ((other,),)
