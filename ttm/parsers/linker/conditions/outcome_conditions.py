"""Conditions on what the model says and on what is true: predicted class, true class, predicted probability.

"People who have diabetes" selects by true class only where rows are counted, shown or described: after "predict whether" or
"how likely" the same words only name what is predicted.
"""

import re

from ttm.language.parse import number_text
from ttm.parsers.linker.conditions.quantities import quantity_at
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.parsers.linker.words.patterns import PatternSet

CHANCE = re.compile(r"probabilit\w*|likelihood\w*|likel\w*|chances?|odds|risk|certain\w*|confiden\w*|sure|predicted|score")
CONTRADICTION = re.compile(
    r"(actually|really|in reality)( \S+)? (did|do|does|were|are|was|is) not|(did|do|were|was) not (actually|really)"
    r"|but (did|were|do) not"
)
WORTH = frozenset("worth cost costs costing sell sells sold selling priced valued expensive".split())
WISH = re.compile(
    r"\b(what|how)\b.*\b(would|could|can|must|should|might|to|needs?|has|have)\b.*"
    r"\b(make|get|bring|push|raise|reach|lift|lower|become|be|cost|sell|worth|take)\b"
)
NO_WISH = re.compile(r"\bhow (many|much|often|likely|accurate)\b|\bpredict|\bif\b|\bwho\b|\bwhich\b")
TRUE = frozenset("true actual real".split())
OWNING = frozenset("whose with have has having where".split())
DENIALS = frozenset("not never no without non".split())


class Outcomes:
    """`filters` are the phrases of [conditions] in cues.toml: each yields `predictionfilter`, `labelfilter` or `described`
    (a true class if the rows are the object of the question)."""

    def __init__(self, reading: UtteranceReading, ground: SchemaGrounding, filters: PatternSet[str]) -> None:
        self._reading, self._ground, self._filters = reading, ground, filters
        self._classes = len(ground.schema.target.classes)
        self._positive = ground.schema.target.positive

    def probabilities(self) -> list[tuple[int, SurfacePart]]:
        """Numbers that a predicted probability is compared with: the item of the number and the condition."""
        if not self._ground.is_classification:
            return []
        parts = []
        for at, item in enumerate(self._reading.items):
            if item.word == "<n>" and (0 <= item.token.value <= 1 or (item.token.value <= 100 and self._is_percent(at))):
                part = self._probability(at)
                parts += [(at, part)] if part else []
        return parts

    def _is_percent(self, at: int) -> bool:
        return self._reading.items[at].token.form == "percent" or self._reading.words[at + 1 : at + 2] in (
            ["percent"],
            ["percentage"],
        )

    def _probability(self, at: int) -> SurfacePart | None:
        quantity = quantity_at(self._reading, at)
        if quantity.feature_at is not None or not quantity.explicit:
            return None
        near = [
            *range(max(0, quantity.start - 7), quantity.start),
            *range(quantity.end, min(len(self._reading.words), quantity.end + 7)),
        ]
        chance = [position for position in near if CHANCE.fullmatch(self._reading.words[position])]
        likely = [position for position in near if self._reading.words[position] in ("<c>", "<t>")]
        if not self._is_percent(at) and not any(position < at for position in chance):
            return None  # "one or more crimes, how likely": a count, not a share
        said_likely = any("likely" in self._reading.items[position].spoken for position in likely)
        if not chance and not said_likely:
            return None
        value = self._reading.items[at].token.value / (100 if self._is_percent(at) else 1)
        number = self._class_at(likely[0]) if likely else self._positive
        places = [quantity.start, quantity.end, *[position for position in chance if abs(position - at) < 4]]
        places += [likely[0] + 1] if likely and likely[0] > at else []
        text = f"probabilityfilter {number} {quantity.comparator} {number_text(round(value, 6))}"
        return SurfacePart(min(places), max(places), text)

    def _class_at(self, at: int, denied: bool = False) -> int:
        mention = self._reading.items[at].mention
        number = mention.name.class_number if mention else None
        number = self._positive if number is None else number
        return 1 - number if denied and self._classes == 2 else number

    def read(self, counts_rows: bool) -> list[SurfacePart]:
        """Conditions on predicted and true classes. `counts_rows`: the question is about rows, not about predictions.

        The name of a class is a condition in `how many churned`, a wish in `to be predicted churned` and the question itself in
        `did 3 churn`; of several readings of one name the closest counts.
        """
        parts: dict[int, tuple[str, SurfacePart]] = {}
        for first, last in self._reading.bounds if self._classes else ():
            for start, end, _, kind in self._filters.find(self._reading.words[first:last]):
                at = self._class_between(first + start, first + end)
                if at is None or (kind == "described" and not counts_rows):
                    continue
                if self._is_no_condition(kind, first, first + start, at) or self._asks_label(kind, first, last):
                    continue
                part = self._condition(kind, first, first + start, at)
                if at not in parts or _is_closer(kind, part, *parts[at]):
                    parts[at] = (kind, part)
        ordered = [part for _, part in sorted(parts.values(), key=lambda pair: pair[1].start)]
        return ordered + self._contradicted(ordered)

    def _class_between(self, start: int, end: int) -> int | None:
        """The last item with the name of what is predicted, if it names a class."""
        named = [at for at in range(start, end) if self._reading.words[at] in ("<c>", "<t>")]
        return named[-1] if named and self._says_class(named[-1]) else None

    def _condition(self, kind: str, first: int, start: int, at: int) -> SurfacePart:
        word = "predictionfilter" if kind == "predictionfilter" else "labelfilter"
        denied = bool(DENIALS & set(self._reading.words[max(first, start - 2) : at]))
        return SurfacePart(self._verb(start, at, kind), at + 1, f"{word} {self._class_at(at, denied)}", 0.2)

    def _asks_label(self, kind: str, first: int, last: int) -> bool:
        """`is 3 really ...?` asks for the label of a row."""
        words = self._reading.words[first:last]
        return kind == "labelfilter" and bool(words) and words[0] in ("is", "was", "did") and "<i>" in words

    def _is_no_condition(self, kind: str, first: int, start: int, at: int) -> bool:
        """Whether the words from `start` to the class at `at`, in a clause that begins at `first`, select no rows."""
        words = self._reading.words
        before = words[start - 1 : start]
        if words[start] == "who" and start > first and before in (["deciding"], ["predicting"]):
            return True
        if kind != "predictionfilter":
            return False
        if words[start - 2 : start] == ["to", "be"] or before in (["these"], ["those"], ["this"]):
            return True  # "to be predicted ..." is a wish; "why were these people diagnosed": the main verb
        return not TRUE.isdisjoint(words[max(first, at - 3) : at])

    def compared(self) -> list[SurfacePart]:
        """True classes on either side of a comparison, `diabetics versus non-diabetics`: two groups of rows."""
        parts: list[SurfacePart] = []
        words = self._reading.words
        for at, word in enumerate(words):
            if word in ("<c>", "<t>") and self._says_class(at):
                denied = words[at - 1 : at] and words[at - 1] in DENIALS
                text = f"labelfilter {self._class_at(at, bool(denied))}"
                parts += [SurfacePart(at - 1 if denied else at, at + 1, text, 0.2)]
        return parts if len({part.text for part in parts}) >= 2 else []

    def _contradicted(self, parts: list[SurfacePart]) -> list[SurfacePart]:
        """ "... predicted to leave who actually did not": the true class is the other one."""
        if self._classes != 2 or len(parts) != 1 or not parts[0].text.startswith("predictionfilter"):
            return []
        words = " ".join(self._reading.words)
        match = CONTRADICTION.search(words)
        if not match:
            return []
        start = len(words[: match.start()].split())
        return [
            SurfacePart(start, start + len(match.group().split()), f"labelfilter {1 - int(parts[0].text.split()[-1])}", 0.2)
        ]

    def _says_class(self, at: int) -> bool:
        mention = self._reading.items[at].mention
        return mention is not None and mention.name.class_number is not None

    def _verb(self, start: int, at: int, kind: str) -> int:
        """Where the words of the condition begin, so that those of the question before it (`how many`) stay cues."""
        if kind == "labelfilter" and self._reading.words[start - 1 : start] and self._reading.words[start - 1] in OWNING:
            return start
        if kind != "predictionfilter":
            return at
        if self._reading.words[start] in ("who", "which", "what", "whom"):
            return start + 1  # "who will leave?" asks for the rows and nothing more
        return next((index for index in range(start, at) if self._reading.words[index] in lexicon().groups["predict"]), at)

    def wanted(self, taken: set[int]) -> list[tuple[int, SurfacePart]]:
        """For a regression target: the range that a prediction should move to ("what would make it worth more than 300")."""
        parts: list[tuple[int, SurfacePart]] = []
        for at, item in enumerate(self._reading.items):
            quantity = quantity_at(self._reading, at) if item.word == "<n>" and at not in taken else None
            if self._classes or quantity is None or quantity.feature_at is not None or not quantity.explicit:
                continue
            before = " ".join(self._reading.words[: quantity.start])
            if WISH.search(before) and not NO_WISH.search(before):
                text = f"explain cfe {quantity.comparator} {number_text(item.token.value)}"
                parts.append((at, SurfacePart(quantity.start, quantity.end, text, 0.1)))
        return parts[:1]

    def target_conditions(self, taken: set[int]) -> list[tuple[int, SurfacePart]]:
        """For a regression target: `price above 300`, `predicted under 10`, as conditions on the true or predicted value."""
        parts: list[tuple[int, SurfacePart]] = []
        if self._classes:
            return parts
        words, predict = self._reading.words, lexicon().groups["predict"]
        for at, item in enumerate(self._reading.items):
            quantity = quantity_at(self._reading, at) if item.word == "<n>" and at not in taken else None
            if quantity is None or quantity.feature_at is not None or not quantity.explicit:
                continue
            before = range(max(0, quantity.start - 5), quantity.start)
            priced = WORTH if self._ground.predicts_worth else frozenset[str]()
            target = [position for position in before if words[position] == "<t>" or words[position] in priced]
            predicted = [position for position in before if words[position] in predict]
            if target or predicted:
                start = min(target + predicted)
                word = "predictionfilter" if predicted else "labelfilter"
                text = f"{word} {quantity.comparator} {number_text(item.token.value)}"
                parts.append((at, SurfacePart(start, quantity.end, text)))
        return parts


def _is_closer(kind: str, part: SurfacePart, other_kind: str, other: SurfacePart) -> bool:
    """Whether one reading of a class tells more than another: it is no mere description, or takes in more words."""
    return (kind != "described" and other_kind == "described") or (part.start < other.start and kind == other_kind)


def is_ranked_by(reading: UtteranceReading, part: SurfacePart) -> bool:
    """`least likely to churn`: the class says what the rows are ranked by and selects none."""
    before = reading.words[max(0, part.start - 5) : part.start]
    return bool({"most", "least", "highest", "lowest"} & set(before))
