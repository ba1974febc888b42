"""The grammar of what one utterance can mean: of all numbers and ids only those that were said (appendix A.2).

What is kept for a data set costs nothing again; what an utterance adds is a line of text, and some milliseconds to compile.
"""

from itertools import zip_longest

from ttm.language.grammar import grammar_text
from ttm.language.parse import number_text
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken, tokenise, with_codes
from ttm.tabular.data.schema import Schema

PERCENT = frozenset({"percent", "percentage", "per", "pct"})
# Words that say by how many percent something changes.
CHANGES = {
    word: percent
    for words, percent in (
        ("half halve halves halved halving", 50.0),
        ("double doubles doubled doubling twice", 100.0),
        ("triple triples tripled tripling", 200.0),
        ("quarter", 25.0),
    )
    for word in words.split()
}


def spoken_grammar(schema: Schema, utterance: str) -> str:
    """The Lark text of the data set's grammar with the numbers and ids of an utterance; 0 where it has none."""
    tokens = tokenise(utterance)
    numbers = numbers_of(tokens)
    return grammar_text(schema, numbers, dict.fromkeys((*identifiers_of(tokens, utterance), *numbers)) or ("0",))


def numbers_of(tokens: list[UtteranceToken]) -> list[str]:
    """The numbers of an utterance in figures, each once.

    With a percentage stands its share, with a decade its ends, with a negative number its size, as in a decrease by so much;
    words such as `doubled` are percentages of a change.
    """
    numbers: list[float] = []
    for token, after in zip_longest(tokens, tokens[1:]):
        if token.kind is TokenKind.NUMBER:
            is_share = token.form == "percent" or (after is not None and after.text in PERCENT)
            numbers += [token.value, abs(token.value)]
            numbers += [round(abs(token.value) / 100, 6)] if is_share else []
            numbers += [token.value + 9, token.value + 10] if token.form == "decade" else []
        elif token.text in CHANGES:
            numbers.append(CHANGES[token.text])
    return list(dict.fromkeys(map(number_text, numbers)))


def identifiers_of(tokens: list[UtteranceToken], utterance: str) -> list[str]:
    """What may be the id of a row without being a number: codes such as `c-0005`, words with figures, dates."""
    coded = [token.text for token in with_codes(tokens, utterance, frozenset()) if token.form == "code"]
    words = [word.strip(".,;:?!()'\"").lower() for word in utterance.split() if any(map(str.isdigit, word))]
    return list(dict.fromkeys(word for word in (*coded, *words) if word and '"' not in word))
