"""Bringing tokens into the form that names and cues are written in: abbreviations spelled out, fixed phrases made short,
compounds joined as the data set's columns join them."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from ttm.parsers.linker.words.lexicon import lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken

LONGEST_PHRASE = 5


def settled(tokens: Sequence[UtteranceToken], compounds: Collection[str]) -> list[UtteranceToken]:
    """Tokens with phrases and compounds resolved; `compounds` are words that may have been written apart (`co-applicant`)."""
    phrases, expansions = lexicon().words["phrases"], lexicon().words["expansions"]
    result: list[UtteranceToken] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        length, words = _phrase_at(tokens, position, phrases)
        if (
            not length
            and token.kind is TokenKind.WORD
            and position + 1 < len(tokens)
            and stem(token.text + tokens[position + 1].text) in compounds
        ):
            length, words = 2, [token.text + tokens[position + 1].text]
        if not length:
            length, words = (
                1,
                expansions.get(token.text, token.text).split(" ") if token.kind is TokenKind.WORD else [token.text],
            )
        last = tokens[position + length - 1].end
        result += [token] if words == [token.text] else [_token(token, word, last) for word in words]
        position += length
    return result


def _token(token: UtteranceToken, word: str, end: int) -> UtteranceToken:
    if word.isdigit():
        return UtteranceToken(word, TokenKind.NUMBER, token.start, end, float(word), "spoken")
    return replace(token, text=word, kind=TokenKind.WORD, end=end, value=0.0, form="", raw="")


def _phrase_at(tokens: Sequence[UtteranceToken], position: int, phrases: dict[str, str]) -> tuple[int, list[str]]:
    for length in range(min(LONGEST_PHRASE, len(tokens) - position), 1, -1):
        phrase = " ".join(token.text for token in tokens[position : position + length])
        if phrase in phrases:
            return length, phrases[phrase].split()
    return 0, []
