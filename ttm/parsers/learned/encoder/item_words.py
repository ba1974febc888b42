"""How the words of a message fit the names of a data set, by themselves (schema linking as in RAT-SQL, Wang et al. 2020).

The encoder has never seen the names of a new table. What a name shares with the words, and whether a number lies within the
range of the column, holds for any table, so that is an input beside the pieces of words.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ttm.parsers.learned.encoder.schema_items import DENYING, SchemaItem
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import Name
from ttm.parsers.linker.words.lexicon import abbreviates, kin, lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import FeatureKind

Floats = npt.NDArray[np.float32]

LEXICAL = 10  # numbers that `ItemWords.lexical` gives for each item
RELATED = 5  # numbers for each token and item: nearness, share of a name, named by rule, within the range, is the value
WHOLE = 0.99  # share of the words of a name from which all of it counts as said


class ItemWords:
    """The stems that name the items of one data set, so that a word is compared with each stem once."""

    def __init__(self, items: Sequence[SchemaItem]) -> None:
        self._items = items
        self._stems = sorted({one for item in items for phrase in item.stems for one in phrase})
        index = {one: at for at, one in enumerate(self._stems)}
        phrases = [(at, [index[one] for one in phrase]) for at, item in enumerate(items) for phrase in item.stems]
        self._phrase_item = np.array([at for at, _ in phrases], np.int64)
        lengths = np.array([len(phrase) for _, phrase in phrases], np.int64)
        self._lengths, self._starts = lengths, np.cumsum(lengths) - lengths
        self._stem = np.array([one for _, phrase in phrases for one in phrase], np.int64)
        self._stem_item, self._share = np.repeat(self._phrase_item, lengths), np.repeat(1 / np.maximum(lengths, 1), lengths)
        self._keys = {item.key: at for at, item in enumerate(items)}
        self._quantity = np.array([item.is_quantity for item in items])
        self._value = np.array([item.value for item in items])
        self._dates = np.array([item.feature is not None and item.feature.kind is FeatureKind.DATE for item in items])
        self._low, self._high = np.array([_range(item) for item in items], np.float64).reshape(-1, 2).T

    def lexical(self, span: Sequence[UtteranceToken]) -> Floats:
        """How well the words of a span fit each item, (items, LEXICAL), from 0 to 1."""
        words = [token for token in span if token.kind is TokenKind.WORD]
        stop = lexicon().groups["linking.stop"]
        stems = [stem(token.text) for token in words if token.text not in stop or len(words) == 1]
        stems += [stem(token.raw) for token in span if token.raw]
        digits = [token.text for token in span if token.kind is TokenKind.NUMBER]
        numbers = [token.value for token in span if token.kind is TokenKind.NUMBER]
        denied = any(token.text in DENYING or token.text.startswith(("un", "non")) for token in words)
        near = self._nearness([*stems, *digits])
        covered = np.add.reduceat(near.max(axis=0, initial=0), self._starts) / self._lengths
        used = np.maximum.reduceat(near[: len(stems)], self._starts, axis=1).sum(axis=0) / max(len(stems), 1)
        short = self._of_stems(lambda one, other: abbreviates(one, other) or abbreviates(other, one), stems).max(
            axis=0, initial=0
        )
        name = self._best(covered, self._phrase_item)
        features = np.zeros((len(self._items), LEXICAL), np.float32)
        features[:, 0], features[:, 1], features[:, 2] = name, self._best(used, self._phrase_item), name >= WHOLE
        features[:, 3] = self._best(short, self._stem_item)
        features[:, 4] = self._within(numbers).mean(axis=0) if numbers else 0
        features[:, 5 if numbers else 6] = self._quantity
        features[:, 7] = np.isin(self._value, ("false", "no", "n", "f", "0")) & denied
        features[:, 8] = (self._value != "") & ~self._quantity & bool(numbers) & ~np.isin(self._value, digits)
        features[:, 9] = self._dates & any(token.kind is TokenKind.DATE for token in span)
        return features

    def relations(self, tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention]) -> Floats:
        """Each token beside each item, (tokens, items, RELATED), from 0 to 1."""
        related = np.zeros((len(tokens), len(self._items), RELATED), np.float32)
        for at, token in enumerate(tokens):
            if token.kind is TokenKind.WORD:
                near = self._nearness([stem(token.text)])[0]
                related[at, :, 0] = self._best(near, self._stem_item)
                related[at, :, 1] = self._best(near * self._share, self._stem_item)
            elif token.kind is TokenKind.NUMBER:
                related[at, :, 3] = self._within([token.value])[0]
                related[at, :, 4] = (self._value != "") & (self._value == token.text)
        for mention in mentions:
            for name in mention.names:
                index = self._keys.get(_key(name))
                if index is not None:
                    related[mention.start : mention.end, index, 2] = mention.coverage
        return related

    def _nearness(self, stems: Sequence[str]) -> npt.NDArray[np.float64]:
        return self._of_stems(kin, stems)

    def _of_stems(self, compare: Callable[[str, str], float], stems: Sequence[str]) -> npt.NDArray[np.float64]:
        """Each of some stems beside each word of each phrase, (stems, words)."""
        compared = [[compare(own, one) for one in self._stems] for own in stems]
        return np.array(compared, np.float64).reshape(len(stems), len(self._stems))[:, self._stem]

    def _best(self, values: npt.NDArray[np.float64], owner: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        best = np.zeros(len(self._items))
        np.maximum.at(best, owner, values)
        return best

    def _within(self, numbers: Sequence[float]) -> npt.NDArray[np.bool_]:
        column = np.array(numbers)[:, None]
        return np.asarray((self._low <= column) & (column <= self._high))


def _range(item: SchemaItem) -> tuple[float, float]:
    """The least and the greatest value of a column of numbers; no number lies within that of anything else."""
    feature = item.feature
    if not item.is_quantity or feature is None or feature.low is None or feature.high is None:
        return np.inf, -np.inf
    return feature.low, feature.high


def _key(name: Name) -> str:
    if name.feature is None:
        return f"class {name.class_number}"
    return f"{name.feature.token}={name.value}" if name.value else name.feature.token
