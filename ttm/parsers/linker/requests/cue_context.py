"""Where an operation's arguments are looked for: the features and numbers in and around the cue that asks for it."""

from dataclasses import dataclass

from ttm.parsers.linker.requests.operation_cues import CueMatch
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.schema_linking.reading import UtteranceReading

FEATURES = ("<f>", "<b>", "<g>")
LISTING = frozenset(
    "average mean median and or , than versus the feature features more less important is are being to compared "
    "with as a an of also both for".split()
)


@dataclass(frozen=True)
class CueContext:
    """The utterance around a cue. In `reading` the conditions are folded away, so that what they name is no argument."""

    reading: UtteranceReading
    ground: SchemaGrounding

    def features_in(self, call: CueMatch) -> list[int]:
        """Items of the features that a cue speaks of: those within it and the list they belong to, else the nearest."""
        words = self.reading.words
        inside = [at for at in range(call.start, call.end) if words[at] in FEATURES]
        if inside:
            return self._listed(inside)
        first, last = self.reading.bounds[call.clause]
        near = [at for at in range(first, last) if words[at] in ("<f>", "<g>")] or [
            at for at, word in enumerate(words) if word in FEATURES
        ]
        nearest = sorted(near, key=lambda at: (at < call.start, abs(at - call.start)))[:1]
        return self._listed(nearest) if nearest and first <= nearest[0] < last else nearest

    def _listed(self, inside: list[int]) -> list[int]:
        words, positions = self.reading.words, list(inside)
        for step, edge in ((1, inside[-1]), (-1, inside[0])):
            at = edge + step
            while 0 <= at < len(words) and (words[at] in FEATURES or words[at] in LISTING):
                if words[at] in FEATURES:
                    positions.append(at)
                at += step
        return sorted(set(positions))

    def token(self, at: int) -> str:
        feature = self.reading.items[at].feature
        assert feature is not None
        return feature.token

    def number(self, call: CueMatch, reach: int = 3) -> int | None:
        """The count that belongs to a cue: a number within it or right beside it."""
        for at in [
            *range(call.start, call.end),
            *range(call.end, call.end + reach),
            *range(call.start - 1, call.start - reach, -1),
        ]:
            if 0 <= at < len(self.reading.items) and self.reading.words[at] == "<n>":
                value = self.reading.items[at].token.value
                if 1 <= value <= 1000 and float(value).is_integer():
                    return int(value)
        return None
