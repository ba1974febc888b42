"""What-if changes: numbers by which, or to which, a feature is moved ("ten years older", "raise glucose by 20", "set to 3")."""

from collections.abc import Iterator
from dataclasses import dataclass

from ttm.language.parse import ChangeKind
from ttm.parsers.linker.conditions.quantities import quantity_at
from ttm.parsers.linker.conditions.suppositions import is_hypothetical
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.reading import SENTENCE_ENDS, UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.tabular.data.schema import Feature, FeatureKind

WORD = TokenKind.WORD
REACH = 12  # items between a verb and the number that goes with it
LOOSE = frozenset(
    "a an the about around approximately another extra additional further just roughly their his her its by of up".split()
)
CHANGE_NOUNS = frozenset("increase decrease reduction drop rise increment boost raise cut".split())
BEFORE_STATE = frozenset("been <f> instead all only at aged actually not equal".split())
MORE, LESS = ChangeKind.INCREASE, ChangeKind.DECREASE
TURNED = {
    "double": (MORE, "100"), "doubled": (MORE, "100"), "doubling": (MORE, "100"), "triple": (MORE, "200"),
    "tripled": (MORE, "200"), "quadrupled": (MORE, "300"), "halve": (LESS, "50"), "halved": (LESS, "50"),
    "halving": (LESS, "50"),
}  # fmt: skip


@dataclass(frozen=True)
class _Move:
    """A number that moves a feature. `verb_at` is the item that says so, if it is not beside the number."""

    position: int
    kind: ChangeKind
    start: int
    end: int
    verb_at: int | None = None
    adjective: str = ""


class Changes:
    """Finds the changes of one utterance. `taken`: items of numbers that mean something else (counts)."""

    def __init__(self, reading: UtteranceReading, ground: SchemaGrounding, taken: set[int]) -> None:
        self._reading, self._ground = reading, ground
        self._moves = [move for at in range(len(reading.items)) if at not in taken for move in self._moves_at(at)]
        self.positions = {move.position for move in self._moves}

    def read(self, used_features: set[int]) -> list[SurfacePart]:
        """The changes; `used_features` are the items of features that conditions have already claimed."""
        used = set(used_features)
        parts = [part for move in self._moves for part in [self._part(move, used)] if part is not None]
        return parts + self._multiples(used)

    def _moves_at(self, position: int) -> list[_Move]:
        if self._reading.words[position] != "<n>":
            return []
        for find in (self._signed, self._difference, self._by, self._to, self._beside_verb, self._hypothetical):
            move = find(position)
            if move is not None:
                return [move]
        return []

    def _signed(self, position: int) -> _Move | None:
        """`bathrooms +3`, `age -20%`: a sign right after the feature."""
        words, negative = self._reading.words, self._reading.items[position].token.text.startswith("-")
        if words[max(0, position - 2) : position] == ["<f>", "+"]:
            return _Move(position, ChangeKind.INCREASE, position - 2, position + 1)
        feature = self._reading.items[position - 1].feature if position else None
        if not negative or feature is None or feature.low is None or feature.low < 0:
            return None
        return _Move(position, ChangeKind.DECREASE, position - 1, position + 1)

    def _difference(self, position: int) -> _Move | None:
        """`three years older`, `10 points lower`, `2 fewer pregnancies`, `20 years more aged`.

        The same words compare (`10 points lower than`, `more likely`, `20 or more`), so each of these is turned down by what
        follows.
        """
        words, groups = self._reading.words, lexicon().groups
        if words[position + 1 : position + 2] in (["extra"], ["additional"]):
            return _Move(position, ChangeKind.INCREASE, position, position + 2)
        at = position + 1
        while at < len(words) and (words[at] in groups["numbers.units"] or words[at] in ("<f>", "<b>")) and at - position < 4:
            if words[at] in ("or", "so", "of", "in"):
                return None
            at += 1
        if at >= len(words):
            return None
        kind, before = _direction(words[at]), words[position - 1] if position else ""
        if kind is None:
            added = before in ("extra", "additional", "further", "another")
            return _Move(position, ChangeKind.INCREASE, position - 1, position + 1) if added else None
        if _compares(words, at) or before == "to" or (before == "or" and words[at] in ("more", "less")):
            return None
        adjective = next((word for word in words[at : at + 2] if word in lexicon().dimensions), "")
        return _Move(position, kind, position, at + 1, adjective=adjective)

    def _by(self, position: int) -> _Move | None:
        """`increased by 5`, `lower their bmi by 10`; without a verb of its own it continues the one before."""
        words = self._reading.words
        at = position - 1
        while at > 0 and words[at] in LOOSE and words[at] != "by":
            at -= 1
        if at < 0 or words[at] != "by":
            return None
        if words[at - 1] in lexicon().groups["changes.more"] or words[at - 1] in lexicon().groups["changes.less"]:
            kind = ChangeKind.INCREASE if words[at - 1] in lexicon().groups["changes.more"] else ChangeKind.DECREASE
            adjective = words[at - 1] if words[at - 1] in lexicon().dimensions else ""
            return _Move(position, kind, at - 1, position + 1, adjective=adjective)
        verb = self._verb(at, ("up", "down"), both_sides=True)
        if verb is None:
            return None
        kind = ChangeKind.INCREASE if self._is(verb, "up") else ChangeKind.DECREASE
        return _Move(position, kind, at, position + 1, verb_at=verb)

    def _to(self, position: int) -> _Move | None:
        """`changed to 5`, `if glucose was raised to 150`."""
        words = self._reading.words
        at = position - 1
        while at > 0 and words[at] in ("a", "an", "the", "be", "exactly", "about", "only", "just", "value", "of", "<f>"):
            at -= 1
        if at < 1 or words[at] not in ("to", "at", "as", "="):
            return None
        if words[at] == "to" and words[at - 1] in ("<n>", "equal", "up", "year", "years", "compared"):
            return None
        verb = self._verb(at, ("set", "up", "down") if words[at] == "to" else ("set",))
        if verb is None or (words[at] != "to" and words[verb] not in ("set", "sets", "setting", "fixed", "fix")):
            return None
        return _Move(position, ChangeKind.SET, at, position + 1, verb_at=verb)

    def _beside_verb(self, position: int) -> _Move | None:
        """`went down 20`, `dropped their bmi 10 points`, `an increase of 5`, `a 5 point increase`."""
        words, at = self._reading.words, position - 1
        passed_feature = False
        while at >= 0 and position - at < 5 and (words[at] in LOOSE or (words[at] == "<f>" and not passed_feature)):
            passed_feature = passed_feature or words[at] == "<f>"
            at -= 1
        if (
            at >= 0
            and self._is_verb(at, ("up", "down"))
            and words[at] not in ("age", "aged", "ages", "plus", "minus")
            and not self._is_compared(position)
        ):
            kind = ChangeKind.INCREASE if self._is(at, "up") else ChangeKind.DECREASE
            return _Move(position, kind, at, position + 1, verb_at=at)
        after = position + 1
        while (
            after < len(words)
            and (words[after] in lexicon().groups["numbers.units"] or words[after] == "<f>")
            and after - position < 4
        ):
            after += 1
        if after < len(words) and words[after] in CHANGE_NOUNS:
            kind = ChangeKind.INCREASE if self._is(after, "up") else ChangeKind.DECREASE
            return _Move(position, kind, position, after + 1, verb_at=after)
        return None

    def _hypothetical(self, position: int) -> _Move | None:
        """`if they had 3 pregnancies`, `if glucose were 80`, `what if he was 20 years old`: a state that is set."""
        quantity = quantity_at(self._reading, position)
        if quantity.explicit:
            return None
        words = self._reading.words
        first = max(0, position - 8)
        at = position - 1
        while at >= first and words[at] not in ("were", "had", "was", "became", "become"):
            if words[at] not in LOOSE and words[at] not in BEFORE_STATE:
                return None
            at -= 1
        if at < first or words[at - 1 : at] in (["have"], ["has"]) or not is_hypothetical(self._reading, at):
            return None
        return _Move(position, ChangeKind.SET, at, max(position + 1, quantity.end), verb_at=at)

    def _is_compared(self, position: int) -> bool:
        return quantity_at(self._reading, position).explicit

    def _verb(self, before: int, kinds: tuple[str, ...], both_sides: bool = False) -> int | None:
        words = self._reading.words
        for at in range(before - 1, max(-1, before - REACH - 1), -1):
            if words[at] in SENTENCE_ENDS:
                break
            if self._is_verb(at, kinds):
                return at
        if both_sides:
            for at in range(before + 1, min(len(words), before + 8)):
                if words[at] in SENTENCE_ENDS:
                    break
                if self._is_verb(at, kinds):
                    return at
        return None

    def _is_verb(self, at: int, kinds: tuple[str, ...]) -> bool:
        following = self._reading.words[at + 1 : at + 2]
        return following != ["than"] and following != ["or"] and any(self._is(at, kind) for kind in kinds)

    def _is(self, at: int, kind: str) -> bool:
        return self._reading.words[at] in lexicon().groups[f"changes.{kind}"]

    def _part(self, move: _Move, used: set[int]) -> SurfacePart | None:
        feature, at, doubt = self._feature(move, used)
        if feature is None or feature.kind not in (FeatureKind.NUMERIC, FeatureKind.DATE):
            number = self._reading.items[move.position].token.text
            return SurfacePart(move.start, move.end, "", 1.0, question=f"Which column should change by {number}?")
        used.update({at} if at is not None else set())
        token = self._reading.items[move.position].token
        unit = next(iter(self._reading.words[move.position + 1 : move.position + 2]), "")
        is_percent = move.kind is not ChangeKind.SET and (token.form == "percent" or unit in ("percent", "percents"))
        value = token.text if is_percent else self._ground.value(feature, token, unit)
        value = value.lstrip("-") if move.kind is LESS else value
        positions = [move.start, move.end - 1, *([at] if at is not None else []), *([move.verb_at] if move.verb_at else [])]
        text = f"change {feature.token} {move.kind} {value}{' percent' if is_percent else ''}"
        return SurfacePart(min(positions), max(positions) + 1, text, doubt)

    def _feature(self, move: _Move, used: set[int]) -> tuple[Feature | None, int | None, float]:
        """The feature that moves: the adjective's, else the unclaimed one nearest to the number and its verb.

        `Raise age and income by 5` and `if they were 5 years older` name it on either side or not at all; distance is counted
        over commas as well, and years without a column near are a person's age.
        """
        if move.adjective:
            feature = self._ground.by_adjective(move.adjective)
            if feature is not None:
                return feature, None, 0.0
        cost, at = min(self._costs(move, used), default=(None, -1))
        unit = next(iter(self._reading.words[move.position + 1 : move.position + 2]), "")
        is_far = cost is None or cost > (10 if move.verb_at is not None else 4)
        if self._ground.age is not None and is_far and unit in ("year", "years"):
            return self._ground.age, None, 0.1
        if cost is None:
            return (self._ground.age, None, 0.5) if move.adjective or unit == "years" else self._implied(move)
        return self._reading.items[at].feature, at, 0.0 if cost <= 8 else 0.3

    def _costs(self, move: _Move, used: set[int]) -> Iterator[tuple[int, int]]:
        """How far each unclaimed feature is from a number and its verb, and its item."""
        words, ends = self._reading.words, (move.position, move.position if move.verb_at is None else move.verb_at)
        low, high = min(ends), max(ends)
        for at, word in enumerate(words):
            if word == "<f>" and at not in used:
                distance = 0 if low < at < high else min(abs(at - low), abs(at - high))
                crossed = sum(other in SENTENCE_ENDS or other == "," for other in words[min(at, low) : max(at, high)])
                yield distance + 3 * crossed, at

    def _implied(self, move: _Move) -> tuple[Feature | None, int | None, float]:
        """The feature that words around the number hint at (`studied 5 more hours`), or the only one that can move so far."""
        near = self._reading.items[max(0, move.start - 3) : move.end + 2]
        value = self._reading.items[move.position].token.value
        features = self._ground.hinted([item.token.text for item in near if item.mention is None and item.token.kind is WORD])
        if len(features) != 1 and move.kind is not ChangeKind.SET:
            features = self._ground.spacious(value)
        return (features[0], None, 0.3) if len(features) == 1 else (None, None, 1.0)

    def _multiples(self, used: set[int]) -> list[SurfacePart]:
        """`if their income doubled`, `halve the loan amount`."""
        parts = []
        for at, word in enumerate(self._reading.words):
            if word in TURNED:
                near = [
                    (abs(other - at), other)
                    for other, name in enumerate(self._reading.words)
                    if name == "<f>" and other not in used
                ]
                if near and min(near)[0] <= 6:
                    feature = self._reading.items[min(near)[1]].feature
                    kind, percent = TURNED[word]
                    assert feature is not None
                    parts.append(SurfacePart(at, at + 1, f"change {feature.token} {kind} {percent} percent"))
        return parts


def _direction(word: str) -> ChangeKind | None:
    """Where a word such as `more`, `older` or `lower` moves a value."""
    groups, dimensions = lexicon().groups, lexicon().dimensions
    sign = dimensions[word][1] if word.endswith("er") and word in dimensions else ""
    if word in groups["changes.more"] or sign == "+":
        return MORE
    return LESS if word in groups["changes.less"] or sign == "-" else None


def _compares(words: list[str], at: int) -> bool:
    """Whether the `more`, `lower` or `above` at `at` compares and moves nothing: `less than 5`, `above 5`, `more likely`."""
    following = words[at + 1 : at + 3]
    if following[:1] == ["than"] and following[1:2] in (["<n>"], ["or"]):
        return True
    if words[at] in ("up", "above", "below", "down") and following[:1] == ["<n>"]:
        return True
    return words[at] in ("more", "less") and following[:1] in (["<c>"], ["<t>"], ["likely"], ["often"], ["accurate"])
