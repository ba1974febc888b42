"""Which operations an utterance asks for: cue phrases in its clauses, the less specific of them silenced by the others."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon, read_data
from ttm.parsers.linker.words.patterns import Pattern, PatternSet, compile_pattern
from ttm.parsers.linker.words.spelling import english

NAMING = frozenset({"define", "important", "effect", "distribution", "crossing"})  # they ask about columns, whatever those hold


@dataclass(frozen=True)
class Cue:
    """What a cue phrase asks for: `gives` as in cues.toml. `claims`: the property in it is its object, not a condition."""

    gives: str
    weak: bool = False
    claims: bool = False
    kind: str = ""

    @property
    def family(self) -> str:
        """The operation without its arguments, by which cues silence each other; `how` for a mere way of asking why."""
        if self.kind:
            return self.kind
        if self.gives in ("topk", "bottomk"):
            return "important"
        first, _, second = self.gives.partition(" ")
        return second if second == "cfe" else first


@dataclass(frozen=True)
class CueMatch:
    """A cue found: items `start` to `end` of a reading, in clause number `clause`; `weight` is the number
    of words it rests on, `phrase` the pattern that matched."""

    cue: Cue
    start: int
    end: int
    clause: int
    weight: int
    phrase: str = ""


@dataclass(frozen=True)
class CueBook:
    """cues.toml, compiled."""

    cues: PatternSet[Cue]
    filters: PatternSet[str]
    silences: dict[str, frozenset[str]]

    def calls(self, reading: UtteranceReading) -> list[CueMatch]:
        """Every cue in the clauses of a reading, the strongest of each kind and place."""
        matches: list[CueMatch] = []
        for clause, (first, last) in enumerate(reading.bounds):
            for start, end, pattern, cue in self.cues.find(reading.words[first:last]):
                matches.append(CueMatch(cue, first + start, first + end, clause, pattern.weight, pattern.text))
        return matches


@lru_cache(maxsize=1)
def cue_book() -> CueBook:
    content = read_data("cues.toml")
    cues: list[tuple[Pattern, Cue]] = []
    for entry in content["cue"]:
        cue = Cue(entry["gives"], entry.get("weak", False), entry.get("claims", False), entry.get("family", ""))
        cues += [(compile_pattern(phrase), cue) for phrase in entry["phrases"]]
        if cue.family in NAMING and not cue.claims:
            tight = [phrase.replace("<f>|<g>", "<b>|<g>") for phrase in entry["phrases"] if _is_tight(phrase)]
            cues += [(compile_pattern(phrase), replace(cue, claims=True)) for phrase in tight]
    filters = [(compile_pattern(phrase), kind) for kind, phrases in content["conditions"].items() for phrase in phrases]
    silences = {family: frozenset(others) for family, others in content["silences"].items()}
    return CueBook(PatternSet(cues), PatternSet(filters), silences)


def _is_tight(phrase: str) -> bool:
    """Whether a phrase names one column word for word, so that a 0/1 column in its place selects no rows."""
    words = phrase.split()
    plain = [word for word in words if word[:1].isalpha() and not word.endswith("?")]
    return "..." not in words and "...." not in words and "<f>|<g>" in phrase and "<b>" not in phrase and len(plain) > 1


def strongest(calls: list[CueMatch], brief: frozenset[int] = frozenset()) -> list[CueMatch]:
    """What is left of the calls when the specific have silenced the general: strong over weak everywhere, `silences` within a
    clause, and of one family in one clause the first of the most telling."""
    strong = [call for call in calls if not call.cue.weak]
    kept = list(_audible(strong))
    apart = {call.clause for call in kept} & brief
    if kept and not (apart and all(call.clause in apart for call in kept)):
        return kept
    if kept:  # a bare "Why?" stands beside what the sentence before it asks
        others = [call for call in calls if call.clause not in apart and call.cue.family != "previousoperation"]
        return sorted([*strongest(others), *kept], key=lambda call: call.start)
    weak = list(_audible(calls))
    if any(call.cue.family == "predict" for call in weak):  # "suppose ..., prediction?" says what is asked
        weak = [call for call in weak if call.cue.family != "previousoperation"]
    return weak[:1] if not weak else [max(weak, key=lambda call: (call.weight, -call.start))]


def _audible(calls: list[CueMatch]) -> Iterator[CueMatch]:
    silences = cue_book().silences
    families: dict[tuple[int, str], list[CueMatch]] = {}
    for call in calls:
        families.setdefault((call.clause, call.cue.family), []).append(call)
    for (clause, family), same in sorted(families.items(), key=lambda pair: min(call.start for call in pair[1])):
        silenced = any(
            other_clause == clause
            and family in silences.get(other, frozenset())
            and not _is_mutual(family, other, same, rivals)
            for (other_clause, other), rivals in families.items()
            if other != family
        )
        if not silenced and family == "score" and len({call.cue.gives for call in same} & METRICS) > 1:
            yield from _each_metric(same)
        elif not silenced:
            yield max(same, key=lambda call: (precedence(call.cue.gives), call.weight, -call.start))


METRICS = frozenset(
    f"score {metric}"
    for metric in "accuracy f1 roc precision recall sensitivity specificity ppv npv confusion calibration".split()
)


def _each_metric(calls: list[CueMatch]) -> Iterator[CueMatch]:
    """`sensitivity, specificity and ppv`: every metric that is named, once; of words inside one another the longer."""
    named = [call for call in calls if call.cue.gives in METRICS]
    for call in named:
        inside = any(
            other.start <= call.start and call.end <= other.end and other.end - other.start > call.end - call.start
            for other in named
        )
        if not inside and call is next(other for other in named if other.cue.gives == call.cue.gives):
            yield call


def _is_mutual(family: str, other: str, same: list[CueMatch], rivals: list[CueMatch]) -> bool:
    """Two families that silence each other: the one with the more telling phrase is heard."""
    if other not in cue_book().silences.get(family, frozenset()):
        return False
    own = max(call.weight for call in same)
    rival = max(call.weight for call in rivals)
    places = min(call.start for call in same), min(call.start for call in rivals)
    order = list(cue_book().silences)
    return (own, -places[0], -order.index(family)) > (rival, -places[1], -order.index(other))


VOCABULARY = (
    "entity", "system", "feature", "mistake", "data", "predict", "prediction", "change", "correct", "wrong", "usual",
    "important", "scope.known", "show",
)  # fmt: skip
PRECEDENCE = {
    "mistake count": 3, "mistake typical": 2, "mistake sample": 1, "topk": 3, "bottomk": 4, "important feature": 2,
    "explain lime": 2, "explain shap": 2, "explain compare": 3, "score default": -1,
}  # fmt: skip


def precedence(gives: str) -> int:
    """Within one family, which request stands over the others."""
    return PRECEDENCE.get(gives, 0)


@lru_cache(maxsize=1)
def cue_vocabulary() -> frozenset[str]:
    """Whole words of the cue phrases, for the correction of typing errors."""
    parts = _cue_parts()
    whole = {part for part in cue_words() if len(part) > 3}
    groups = lexicon().groups.values()
    beginnings = {part[:-1] for part in parts if part.endswith("*")} | {start for group in groups for start in group.beginnings}
    long = tuple(beginning for beginning in beginnings if len(beginning) > 4)
    return frozenset(whole | {word for word in english() if word.startswith(long)})


@lru_cache(maxsize=1)
def cue_words() -> frozenset[str]:
    """Whole words of the cue phrases."""
    return frozenset(part for part in _cue_parts() if part.isalpha())


@lru_cache(maxsize=1)
def _cue_parts() -> frozenset[str]:
    phrases = [phrase for entry in read_data("cues.toml")["cue"] for phrase in entry["phrases"]]
    return frozenset(part.removesuffix("?") for phrase in phrases for word in phrase.split() for part in word.split("|"))


def explains(word: str) -> bool:
    """Whether a word belongs to what questions are made of, whatever the data set."""
    groups = lexicon().groups
    return word in groups["scope.function"] or word in cue_words() or any(word in groups[name] for name in VOCABULARY)
