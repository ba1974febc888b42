"""The turn before in a few words, for the encoder: what was asked, of what rows, and the message itself."""

from ttm.language.parse import Parse
from ttm.parsers.learned.encoder.roles import ASPECTS, OPERATIONS, ingredients_of

ALONE = "start"
MOST_LETTERS = 90


def state_words(parse: Parse | None, utterance: str, question: str = "") -> str:
    """Words for the last answered parse and what was said last; `question` is one that was asked back and stays open."""
    said = " ".join(utterance.split())[:MOST_LETTERS]
    if question:
        return f"asked back {question[:MOST_LETTERS]} : {said}"
    if parse is None:
        return f"{ALONE} : {said}" if said else ALONE
    found = ingredients_of(parse)
    rows = [name for name in ASPECTS if name in found]
    return f"{' '.join(name for name in OPERATIONS if name in found)} ( {' '.join(rows) or 'all'} ) : {said}"
