"""Reading one utterance: ids, numbers, properties, classes and cues, each by its own reader; nothing is put together yet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ttm.parsers.arguments import COUNTED_CHANGES, FEATURES, Builder
from ttm.parsers.changes import Changes
from ttm.parsers.conditions import Conditions
from ttm.parsers.dates import date_conditions
from ttm.parsers.grounding import Ground, Part
from ttm.parsers.groups import AVERAGED, by_groups
from ttm.parsers.identifiers import fold_identifiers
from ttm.parsers.instances import made_up_instance
from ttm.parsers.lexicon import lexicon
from ttm.parsers.linking import Linker
from ttm.parsers.missing import missing_conditions
from ttm.parsers.operations import Call, cue_book, strongest
from ttm.parsers.outcomes import Outcomes, is_ranked_by
from ttm.parsers.properties import Properties
from ttm.parsers.quantities import quantity_at
from ttm.parsers.reading import Item, Reading, build_reading
from ttm.parsers.references import points_at_rows
from ttm.parsers.tokens import Kind, Token

ABOUT_ROWS = frozenset({"count", "show", "statistic", "distribution", "ranked", "compare", "correlate", "data"})
COUNTING = frozenset({"topk", "bottomk", "similar", "cfe", "ranked", "threshold"})
INTRODUCING = frozenset(
    "check consider considering look looking take taking focus focusing given regarding concerning among when".split()
)
BEFORE_ID = frozenset(
    "why did does for about of on to explain predict show is with regarding concerning was if instance display list "
    "see view make makes".split()
)
NOT_AFTER_ID = frozenset(
    "<f> <b> <g> <v> <n> features feature or more less top most important similar counterfactuals years".split()
)
LONGEST_FOLD = 9


@dataclass(frozen=True)
class Analysis:
    """Everything read from one utterance. `calls` are the cues that were heard, `rivals` those that were silenced;
    `operations` are what the calls ask for, with their arguments. `back`: it points at rows spoken of before."""

    reading: Reading
    folded: Reading
    filters: tuple[Part, ...]
    changes: tuple[Part, ...]
    instance: Part | None
    calls: tuple[Call, ...]
    rivals: tuple[Call, ...]
    operations: tuple[Part, ...]
    back: bool
    versus: bool

    @property
    def questions(self) -> list[str]:
        parts = [*self.filters, *self.changes, *self.operations]
        return [part.question for part in parts if part.question]


def analyse(tokens: Sequence[Token], linker: Linker, ground: Ground) -> Analysis:
    """Read the tokens of an utterance about the data set of `linker` and `ground`."""
    reading = fold_identifiers(build_reading(tokens, linker.mentions(list(tokens)), ground.entity), ground.entity)
    book = cue_book()
    first_calls = book.calls(reading)
    claimed = {
        at for call in first_calls if call.cue.claims for at in range(call.start, call.end) if reading.words[at] in FEATURES
    }
    taken = _counts(first_calls, reading)
    wanted = Outcomes(reading, ground, book.filters).wanted(taken)
    taken |= {at for at, _ in wanted}
    filters, changes = _selecting(reading, ground, taken, claimed)
    filters.sort(key=lambda part: part.start)
    instance = made_up_instance(reading, filters, ground)
    if instance is not None:
        filters = [part for part in filters if not instance.start <= part.start < instance.end]
    wishes = [part for _, part in wanted]
    parts = [*filters, *changes, *wishes, *([instance] if instance else [])]
    folded = fold(reading, parts)
    calls = _calls(folded, changes)
    brief = _brief(folded)
    about_rows = any(call.cue.family in ABOUT_ROWS for call in strongest(calls, brief))
    outcomes = Outcomes(reading, ground, book.filters).read(about_rows)
    if any(call.cue.family == "compare" for call in calls) and not outcomes and not filters:
        outcomes = Outcomes(reading, ground, book.filters).compared()
    if any(call.cue.family == "ranked" for call in strongest(calls, brief)):
        outcomes = [part for part in outcomes if not is_ranked_by(reading, part)]
    if outcomes:
        filters += outcomes
        folded = fold(reading, [*parts, *outcomes])
        calls = _calls(folded, changes)
        brief = _brief(folded)
    heard = strongest(calls, brief)
    versus = any(call.cue.family == "compare" for call in heard) and len([part for part in filters if part.text]) >= 2
    if versus:
        heard = [call for call in heard if call.cue.family != "compare"] or heard[:0]
    builder = Builder(folded, ground)
    heard = _without_examples(heard, folded)
    operations = [part for call in heard for part in builder.build(call)]
    if wishes:
        operations = [*[part for part in operations if part.text not in ("explain cfe", "predict", "show", "")], *wishes]
    if not versus and any(part.text.startswith(AVERAGED) for part in operations):
        operations, groups = by_groups(operations, heard, folded, ground)
        filters, versus = filters + groups, bool(groups)
    filters.sort(key=lambda part: part.start)
    named = [part.start for part in filters if part.text]
    single = instance is not None or any(part.text.startswith("filter id") for part in filters)
    first = None if single else min(named, default=None)
    back = points_at_rows(reading, min(named, default=None) if not single else first, bool(named) or single)
    rivals = tuple(call for call in calls if call.cue.family not in {other.cue.family for other in heard})
    return Analysis(
        reading, folded, tuple(filters), tuple(changes), instance, tuple(heard), rivals, tuple(operations), back, versus
    )


def _brief(folded: Reading) -> frozenset[int]:
    """Sentences of a word or two, such as "Why?" after a question."""
    return frozenset(number for number, (first, last) in enumerate(folded.bounds)
                     if last - first <= 2 and number and folded.bounds[number - 1][1] < first)  # fmt: skip


def _without_examples(heard: list[Call], folded: Reading) -> list[Call]:
    """ "Can you show examples" after a clause about mistakes asks for examples of those."""
    if len(heard) > 1:
        heard = [call for call in heard if call.cue.family != "show" or not _introduces(folded, call.clause)]
    if not any(call.cue.family == "mistake" for call in heard):
        return heard
    return [call for call in heard if call.cue.family != "show" or not _asks_examples(folded, call.clause)]


def _introduces(folded: Reading, clause: int) -> bool:
    """`Looking at those with ..., what ...`: says which rows are meant and asks for nothing; a single row is shown."""
    words = folded.words[slice(*folded.bounds[clause])]
    return "<i>" not in words and bool(INTRODUCING & set(words[:4]))


def _asks_examples(folded: Reading, clause: int) -> bool:
    words = folded.words[slice(*folded.bounds[clause])]
    return "<i>" not in words and bool({"example", "examples", "instances", "some"} & set(words))


def _calls(folded: Reading, changes: Sequence[Part]) -> list[Call]:
    """The cues of a reading. Where a change is supposed, "what would happen" asks for its effect, not for another change."""
    calls = cue_book().calls(folded)
    if not changes:
        return calls
    asked = ("counterfactual", "cfe", "need", "must", "take", "should")
    return [
        call
        for call in calls
        if call.cue.family != "cfe" or any(word.startswith(asked) for word in folded.words[call.start : call.end])
    ]


def _counts(calls: Sequence[Call], reading: Reading) -> set[int]:
    """Numbers that count features or rows (`top 3`) rather than compare values."""
    units = lexicon().groups["numbers.units"]
    taken: set[int] = set()
    for call in calls:
        if call.cue.gives not in COUNTING:
            continue
        reach = call.end + (4 if call.cue.gives == "threshold" else 0)
        for at in range(call.start, min(reach, len(reading.items))):
            if reading.words[at] != "<n>" or (
                reading.items[at].token.form in ("percent", "plus", "decade") and call.cue.gives != "threshold"
            ):
                continue
            quantity = quantity_at(reading, at)
            following = reading.words[at + 1 : at + 2]
            if call.cue.gives == "cfe" and not (following and following[0].startswith(COUNTED_CHANGES)):
                continue
            counts = (following and following[0] in lexicon().groups["feature"]) or (
                not quantity.explicit
                and quantity.feature_at is None
                and not (following and following[0] in units and following[0] not in ("points", "point", "so", "of"))
            )
            if counts or call.cue.gives == "threshold":
                taken.add(at)
    return taken


def _selecting(reading: Reading, ground: Ground, taken: set[int], claimed: set[int]) -> tuple[list[Part], list[Part]]:
    """Conditions and changes, by ids, numbers and properties."""
    outcomes = Outcomes(reading, ground, cue_book().filters)
    by_number = [*outcomes.probabilities()]
    taken = taken | {at for at, _ in by_number}
    by_date, dates = date_conditions(reading, ground)
    taken = taken | dates
    by_number += outcomes.target_conditions(taken)
    taken |= {at for at, _ in by_number}
    changes = Changes(reading, ground, taken)
    conditions = Conditions(reading, ground, taken | changes.positions)
    filters = [part for _, part in by_number] + conditions.read() + by_date
    moved = changes.read(conditions.used_features)
    properties = Properties(reading, claimed).read()
    filters += [part for part in properties if part.text.startswith("filter")]
    moved += [part for part in properties if part.text.startswith("change")]
    filters += [Part(at, at + 1, f"filter id {_quoted(item)}") for at, item in enumerate(reading.items) if item.word == "<i>"]
    parts = [*filters, *moved]
    covered = {at for part in parts for at in range(part.start, part.end)} | taken
    filters += [Part(at, at + 1, f"filter id {reading.items[at].token.text}", 0.3) for at in _bare_ids(reading, covered)]
    filters += missing_conditions(reading, ground, conditions.used_features)
    return filters, sorted(moved, key=lambda part: part.start)


def _bare_ids(reading: Reading, covered: set[int]) -> list[int]:
    """Numbers that nothing else explains, where an id can stand: `why did 55 get that`, `show me everything about 12`."""
    found: list[int] = []
    units, nouns = lexicon().groups["numbers.units"].whole, lexicon().groups["entity"]
    for at, word in enumerate(reading.words):
        token = reading.items[at].token
        whole = word == "<n>" and token.form == "" and float(token.value).is_integer() and not token.text.startswith("-")
        if whole and at not in covered and reading.words[at - 1 : at] and reading.words[at - 1] in BEFORE_ID:
            following = reading.words[at + 1 : at + 2]
            found += [at] if not following or (following[0] not in NOT_AFTER_ID | units and following[0] not in nouns) else []
    return found


def _quoted(item: Item) -> str:
    text = item.token.text
    return f'"{text}"' if " " in text else text


def fold(reading: Reading, parts: Sequence[Part]) -> Reading:
    """Conditions and changes become single items `<q>`, so that their words (`more`, `increase`) are no cues."""
    hidden: set[int] = set()
    for part in parts:
        if part.end - part.start <= LONGEST_FOLD:
            hidden |= set(range(part.start, part.end))
        else:
            hidden |= {part.start, part.end - 1}
    hidden = {at for at in hidden if reading.words[at] != "<i>"}
    items: list[Item] = []
    places: list[int] = []
    for at, item in enumerate(reading.items):
        if at not in hidden:
            items.append(item)
            places.append(at)
        elif at - 1 not in hidden:
            items.append(replace(item, word="<q>", mention=None))
            places.append(at)
    bounds = [(sum(at < first for at in places), sum(at < last for at in places)) for first, last in reading.bounds]
    return Reading(tuple(items), tuple((a, b) for a, b in bounds if b > a) or ((0, len(items)),))


__all__ = ["Analysis", "Kind", "analyse", "fold"]
