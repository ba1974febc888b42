"""Questions after the meaning of a term of the trade: "what is a false positive?", "what does recall mean?"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ttm.language.operations.data import DefineTerm
from ttm.language.terms import terms
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema

NAMED = 0.95  # share of a column's name from which a word is that column
BEGIN = r"^(?:\w+ ){0,3}?"  # "ok and now", "can you"
END = (
    r"(?: (?:actually|exactly|again|then|here|please|anyway|to me|for me|in general|in simple (?:words|terms)|in plain \w+"
    r"|in this \w+))*$"
)
ARTICLE = r"(?:(?:an?|the|this|that|these|those|your) )?"
ABOUT = r"(?:(?:word|term|concept|idea|notion|metric|measure|score) (?:of )?)?"


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    return {called: name for name, term in terms().items() for called in term.called}


@lru_cache(maxsize=1)
def _patterns() -> list[re.Pattern[str]]:
    any_term = "|".join(re.escape(called) for called in sorted(_names(), key=len, reverse=True))
    method = "|".join(re.escape(called) for name, term in terms().items() if term.method for called in term.called)
    one = rf"{ARTICLE}{ABOUT}(?P<term>{any_term})"
    what = r"(?:what is|what are|whats)"
    return [
        re.compile(BEGIN + pattern + END)
        for pattern in (
            rf"what (?:does|do|did|would) {one}(?: \w+)? (?:mean|stand for|tell (?:me|us)|say)(?: by)?",
            rf"what {one} means?",
            rf"what (?:do|does) (?:you|they|it|one) (?:mean|understand) (?:by|with|under) {one}",
            rf"{what} (?:meant by|the (?:meaning|definition) of|the (?:term|concept|idea)(?: of)?) {one}",
            rf"{what} an? {ABOUT}(?P<term>{any_term})",
            rf"{what} (?P<term>{method})",
            rf"(?:define|meaning of|definition of|explain the (?:term|concept|idea)(?: of)?) {one}",
            rf"explain (?:what )?(?:is )?{one} (?:is|are|means?)",
            rf"explain what is {one}",
            rf"how (?:do|should|can|to) (?:i|we|one)? ?(?:read|interpret|understand) {one}",
            rf"difference (?:is )?between {one} and {ARTICLE}(?P<other>{any_term})",
        )
    ]


def asked_meanings(
    tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema
) -> tuple[DefineTerm, ...]:
    """The terms whose meaning a message asks for; none where a word names a column."""
    text = " ".join(token.text for token in tokens if token.kind is not TokenKind.MARK)
    if any(mention.coverage >= NAMED and mention.name.feature is not None for mention in mentions):
        return ()
    for pattern in _patterns():
        match = pattern.search(text)
        if match is not None:
            names = [_names()[called] for called in match.groupdict().values() if called]
            return tuple(DefineTerm(name) for name in dict.fromkeys(names) if terms()[name].fits(schema))
    return ()
