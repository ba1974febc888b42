"""The turn before in a few words, for the encoder: what was asked, of what rows, and the message itself."""

from ttm.language.parse import Parse
from ttm.parsers.learned.encoder.roles import ASPECTS, OPERATIONS, ingredients_of

ALONE = "start"
MOST_LETTERS = 90


def state_words(parse: Parse | None, utterance: str, question: str = "") -> str:
    """Words for the last answered parse and what was said last; `question` is one that was asked back and stays open."""
    text = " ".join(utterance.split())[:MOST_LETTERS]
    if question:
        return f"asked back {question[:MOST_LETTERS]} : {text}"
    if parse is None:
        return f"{ALONE} : {text}" if text else ALONE
    ingredients = ingredients_of(parse)
    rows = [name for name in ASPECTS if name in ingredients]
    return f"{' '.join(name for name in OPERATIONS if name in ingredients)} ( {' '.join(rows) or 'all'} ) : {text}"
