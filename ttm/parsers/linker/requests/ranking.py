"""Rows in order: how many, by which column or by the predicted probability, and from which end."""

from dataclasses import replace

from ttm.parsers.linker.requests.cue_context import CueContext
from ttm.parsers.linker.requests.operation_cues import CueMatch
from ttm.parsers.linker.schema_linking.grounding import SurfacePart
from ttm.parsers.linker.words.lexicon import lexicon

DEFAULT_ROWS = 5
LOWEST = frozenset("lowest smallest youngest least bottom cheapest shortest safest fewest poorest ascending".split())
CHANCE = frozenset("<c> <t> likely unlikely riskiest safest prone risky".split())
LIKELY = frozenset("likely unlikely risk prone probable <c> <t>".split())
PRICED = frozenset("expensive costly valuable dear dearest cheap cheapest priciest".split())  # what a model of prices ranks by
SINGULAR = frozenset("person feature instance row point patient customer one factor variable example case".split())
LONGEST = 1000


def ranked(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    """`highest 5 age` or `lowest 3 probability` of a cue; without text and with a question if nothing says by what."""
    span = context.reading.words[call.start : call.end + 4]
    by = _subject(context, call, span)
    if by is None:
        return [SurfacePart(call.start, call.end, "", 1.0, question="By which column should the rows be ranked?")]
    low = bool(LOWEST & set(span)) != (by == "probability" and "unlikely" in span)
    return [SurfacePart(call.start, call.end, f"{'lowest' if low else 'highest'} {_count(context, call, span)} {by}")]


def _subject(context: CueContext, call: CueMatch, span: list[str]) -> str | None:
    named = [at for at in range(call.start, call.start + len(span)) if context.reading.words[at] == "<f>"]
    if named:
        return context.token(named[0])
    chance = any(word in CHANCE or word.startswith(("probab", "likel", "chance", "risk", "prediction")) for word in span)
    adjective = next((word for word in span if word in lexicon().dimensions), "")
    feature = context.ground.by_adjective(adjective) if adjective and not chance else None
    if feature is not None:
        return feature.token
    return "probability" if chance or (PRICED & set(span) and context.ground.predicts_worth) else None


def _count(context: CueContext, call: CueMatch, span: list[str]) -> int:
    """The number that was said; else one for a single row or a bare `who`, and five for rows."""
    stated = _rows_counted(context, call) or context.number(call)
    if stated:
        return stated
    bare = span[0] in ("who", "which") and not {"are", "have"} & set(span) and not LIKELY & set(span)
    return 1 if SINGULAR & set(span) or (bare and not _asks_for_many(span)) else DEFAULT_ROWS


def _rows_counted(context: CueContext, call: CueMatch) -> int | None:
    """`which 10 applicants should I see first, those with ...`: the number stands before the noun for rows."""
    first, last = context.reading.bounds[call.clause]
    words = context.reading.words
    for at in range(first, last - 1):
        value = context.reading.items[at].token.value
        if words[at] == "<n>" and words[at + 1] in lexicon().groups["entity"] and value in range(1, LONGEST + 1):
            return int(value)
    for at in range(call.end, len(words)):
        if words[at] == "<n>" and words[at - 1] in ("top", "first", "bottom"):
            return context.number(replace(call, start=at, end=at + 1), 0)
    return None


def _asks_for_many(span: list[str]) -> bool:
    """`which wines have the largest ...`: a plural right after the question word."""
    return len(span) > 1 and span[1].endswith("s") and span[1] in lexicon().groups["entity"]
