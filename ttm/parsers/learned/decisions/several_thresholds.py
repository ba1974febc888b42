"""Several decision thresholds in one message: "at 20 %, 30 % or 50 %" asks for each of them."""

from collections.abc import Sequence

from ttm.language.operations.predictions import Threshold
from ttm.language.parse import Parse, Score, Selection
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken


def at_each_threshold(parse: Parse, tokens: Sequence[UtteranceToken]) -> Parse:
    """A reading that asks for one threshold, or for the effect of all, as what it asks at each one that the message names; as
    it is where a number of the message is no threshold."""
    numbers = [token for token in tokens if token.kind is TokenKind.NUMBER]
    named = list(dict.fromkeys(round(token.value / 100 if token.form == "percent" else token.value, 6) for token in numbers))
    rows = [step for step in parse.steps if isinstance(step, Selection)]
    match [step for step in parse.steps if not isinstance(step, Selection)]:
        case [Threshold(value=value), *scores] if value in (None, *named) and all(isinstance(step, Score) for step in scores):
            if len(named) > 1 and all(0 < one < 1 for one in named):
                return Parse((*rows, *(step for one in named for step in (Threshold(one), *scores))))
    return parse
