"""Amounts that stand apart from the column that they move: "glucose of 57 were 20 lower"."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ttm.parsers.learned.decisions.span_decisions import SpanDecision
from ttm.parsers.linker.words.tokens import TokenKind

# "30 more", "down to", "10 off", "twice", "20 percent", "older", and signs.
MOVES = re.compile(
    r"(?:more|less|few|low|high|up|down|increas|decreas|reduc|drop|ris|rais|rose|fall|fell|grow|grew|gain|los[es]|lost|add|plus|minus"
    r"|extra|another|additional|by|cut|shr|halv|half|doubl|tripl|twice|thrice|times|percent|pct|per|off|top|subtract|climb|jump|sink"
    r"|slid|shift|mov|bump|knock|push|lift|chang|take|took|put|than|step|point|further|deduct|remov|without|quarter|third|fraction)"
    r"|\w{2,}er$|[+\-%±]"
)
_BESIDE = frozenset("by of a an the went goes go going gone were was is units".split())
SURE = -0.1  # log-probability of a link from which a span names its column


def with_columns_of_amounts(spans: Iterable[SpanDecision]) -> Iterator[SpanDecision]:
    """The spans, in which an amount moves the column that was named before it without one, whatever it is nearest to itself.

    A column that is asked about otherwise, as in "suppose the bmi of 293 went down by five", is moved where what the amount
    is nearest to is in doubt.
    """
    column: SpanDecision | None = None
    for span in spans:
        if span.role not in ("change", "argument"):
            yield span
        elif span.role == "change" and _is_amount(span):
            moves = column is not None and (column.role == "change" or not _names_column(span))
            yield replace(span, links=column.links) if column is not None and moves else span
            column = None
        else:
            column = span if not span.numbers and _names_column(span) else None
            yield span


def _names_column(span: SpanDecision) -> bool:
    return bool(span.links) and span.links[0][1] > SURE


def _is_amount(span: SpanDecision) -> bool:
    """Whether a span says how far something moves, and not what: "20 lower", "rose by one hundred"."""
    words = [token.raw or token.text for token in span.tokens if token.kind is not TokenKind.NUMBER]
    return bool(span.numbers) and all(word in _BESIDE or MOVES.match(word) for word in words)
