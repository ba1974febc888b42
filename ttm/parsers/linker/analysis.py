"""Reading one utterance: ids, numbers, properties, classes and cues, each by its own reader; nothing is put together yet."""

from collections.abc import Sequence
from dataclasses import dataclass

from ttm.parsers.linker.conditions.category_conditions import Properties
from ttm.parsers.linker.conditions.date_conditions import date_conditions
from ttm.parsers.linker.conditions.instances import made_up_instance
from ttm.parsers.linker.conditions.missing_values import missing_conditions
from ttm.parsers.linker.conditions.numeric_conditions import Conditions
from ttm.parsers.linker.conditions.outcome_conditions import Outcomes, is_ranked_by
from ttm.parsers.linker.conditions.quantities import quantity_at
from ttm.parsers.linker.conditions.suppositions import supposed_of_row
from ttm.parsers.linker.conditions.what_if_changes import Changes
from ttm.parsers.linker.references.back_references import points_at_rows
from ttm.parsers.linker.references.bare_ids import leftover_ids
from ttm.parsers.linker.references.row_ids import fold_identifiers
from ttm.parsers.linker.requests.arguments import COUNTED_CHANGES, build
from ttm.parsers.linker.requests.cue_context import FEATURES, CueContext
from ttm.parsers.linker.requests.grouped_figures import AVERAGED, by_groups, contrary_group
from ttm.parsers.linker.requests.operation_cues import CueMatch, cue_book, strongest
from ttm.parsers.linker.requests.requested_cues import LISTING, brief_sentences, requests, without_examples, without_names
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.schema_linking.reading import UtteranceItem, UtteranceReading, build_reading, fold
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken

ABOUT_ROWS = frozenset({"count", "show", "statistic", "distribution", "ranked", "compare", "correlate", "data"})
COUNTING = frozenset({"topk", "bottomk", "similar", "cfe", "ranked", "threshold"})
LISTED = frozenset("and or , more less important relevant than as the a an is being having to with".split())


@dataclass(frozen=True)
class UtteranceAnalysis:
    """Everything read from one utterance. `calls` are the cues that were heard, `rivals` those that were silenced;
    `operations` are what the calls ask for, with their arguments. `back`: it points at rows spoken of before."""

    reading: UtteranceReading
    folded: UtteranceReading
    filters: tuple[SurfacePart, ...]
    changes: tuple[SurfacePart, ...]
    instance: SurfacePart | None
    calls: tuple[CueMatch, ...]
    rivals: tuple[CueMatch, ...]
    operations: tuple[SurfacePart, ...]
    back: bool
    versus: bool

    @property
    def questions(self) -> list[str]:
        parts = [*self.filters, *self.changes, *self.operations]
        return [part.question for part in parts if part.question]


@dataclass(frozen=True)
class _RowsNamed:
    """What an utterance says of rows, before any cue is heard: conditions, changes, a made-up case, and what is wished for."""

    filters: list[SurfacePart]
    changes: list[SurfacePart]
    instance: SurfacePart | None
    wishes: list[SurfacePart]


def analyse(tokens: Sequence[UtteranceToken], linker: Linker, ground: SchemaGrounding) -> UtteranceAnalysis:
    """Read the tokens of an utterance about the data set of `linker` and `ground`.

    The order matters. Conditions are read first and folded away, since their words (`more`, `increase`, `top`) would be heard
    as cues. Classes come after the cues, since `likely to churn` selects rows only in a question about rows. They are folded
    away in turn, so the cues are heard once more.
    """
    reading = fold_identifiers(build_reading(tokens, linker.mentions(list(tokens)), ground.nouns), ground.nouns)
    named = _rows_named(reading, ground)
    filters, changes, instance, wishes = [*named.filters], named.changes, named.instance, named.wishes
    parts = [*filters, *changes, *wishes, *([instance] if instance else [])]
    folded = fold(reading, parts)
    calls, brief = requests(folded, changes), brief_sentences(folded)
    outcomes = _outcomes(reading, ground, filters, calls, brief)
    if outcomes:
        filters += outcomes
        folded = fold(reading, [*parts, *outcomes])
        calls, brief = requests(folded, changes), brief_sentences(folded)
    heard = without_names(strongest(calls, brief), folded)
    contrary = contrary_group(reading, filters) if len(ground.schema.target.classes) in (0, 2) else None
    filters += [contrary] if contrary is not None else []
    groups_named = len({(part.start, part.end) for part in filters if part.text})
    contrasted = contrary is not None or _is_contrast(filters)
    versus = groups_named >= 2 and (contrasted or _is_versus(heard, calls, folded))
    heard = _asked(heard, folded, bool(changes), versus)
    operations = _operations(heard, folded, ground, wishes)
    if not versus and any(part.text.startswith(AVERAGED) for part in operations):
        operations, groups = by_groups(operations, heard, folded, ground)
        filters, versus = filters + groups, bool(groups)
    filters.sort(key=lambda part: part.start)
    rivals = tuple(call for call in calls if call.cue.family not in {other.cue.family for other in heard})
    return UtteranceAnalysis(
        reading, folded, tuple(filters), tuple(changes), instance, tuple(heard), rivals, tuple(operations),
        _points_back(reading, filters, instance), versus,
    )  # fmt: skip


def _rows_named(reading: UtteranceReading, ground: SchemaGrounding) -> _RowsNamed:
    """Read conditions and changes; numbers that operations count with, and columns that they are about, are none."""
    book = cue_book()
    calls = book.calls(reading)
    taken = _counts(calls, reading)
    wanted = Outcomes(reading, ground, book.filters).wanted(taken)
    filters, changes = _selecting(reading, ground, taken | {at for at, _ in wanted}, _claimed(calls, reading))
    filters.sort(key=lambda part: part.start)
    instance = made_up_instance(reading, filters, ground)
    if instance is not None:  # what it is made of selects no rows
        filters = [part for part in filters if not instance.start <= part.start < instance.end]
    return _RowsNamed(filters, changes, instance, [part for _, part in wanted])


def _outcomes(
    reading: UtteranceReading,
    ground: SchemaGrounding,
    filters: Sequence[SurfacePart],
    calls: list[CueMatch],
    brief: frozenset[int],
) -> list[SurfacePart]:
    """Conditions on classes and predictions, as far as the cues leave room for them."""
    book, families = cue_book(), {call.cue.family for call in strongest(calls, brief)}
    outcomes = Outcomes(reading, ground, book.filters).read(not families.isdisjoint(ABOUT_ROWS))
    if any(call.cue.family == "compare" for call in calls) and not outcomes and not filters:
        outcomes = Outcomes(reading, ground, book.filters).compared()
    if "ranked" in families:  # `the most likely to churn`: what rows are ordered by does not select them
        outcomes = [part for part in outcomes if not is_ranked_by(reading, part)]
    return outcomes


def _asked(heard: list[CueMatch], folded: UtteranceReading, changes: bool, versus: bool) -> list[CueMatch]:
    """The cues that ask for something of their own beside the others."""
    if versus:  # groups side by side are compared already
        heard = [call for call in heard if call.cue.family != "compare"]
    heard = without_examples(heard, folded)
    if changes and "show" not in folded.words:  # "give 81 a bmi of 25 and predict"
        heard = [call for call in heard if call.cue.family != "show"]
    counted = next((call.start for call in heard if call.cue.family == "count"), None)
    if counted is not None:  # "are there any ...? how many?", but "count those and show them"
        heard = [call for call in heard if call.cue.family != "show" or "<i>" in folded.words or call.start > counted]
    return heard


def _operations(
    heard: Sequence[CueMatch], folded: UtteranceReading, ground: SchemaGrounding, wishes: Sequence[SurfacePart]
) -> list[SurfacePart]:
    """What the cues ask for. A wish (`to be predicted good`) is a counterfactual with its goal, so it stands in their place."""
    context = CueContext(folded, ground)
    operations = [part for call in heard for part in build(context, call)]
    if not wishes:
        return operations
    return [*[part for part in operations if part.text not in ("explain cfe", "predict", "show", "")], *wishes]


def _points_back(reading: UtteranceReading, filters: Sequence[SurfacePart], instance: SurfacePart | None) -> bool:
    """Whether rows of before are meant. A single row or case cannot be narrowed, so where it begins does not matter."""
    named = [part.start for part in filters if part.text]
    single = instance is not None or any(part.text.startswith("filter id") for part in filters)
    return points_at_rows(reading, None if single else min(named, default=None), bool(named) or single)


def _claimed(calls: Sequence[CueMatch], reading: UtteranceReading) -> set[int]:
    """Items of the columns that operations have as their object, with those listed after them: `felony and being a man`."""
    words = reading.words
    claimed: set[int] = set()
    for call in calls:
        inside = [at for at in range(call.start, call.end) if words[at] in FEATURES] if call.cue.claims else []
        at = inside[-1] + 1 if inside else len(words)
        while at < len(words) and words[at] in LISTED:
            at += 1
            inside += [at] if words[at : at + 1] == ["<b>"] and call.cue.family in LISTING else []
            at += words[at : at + 1] == ["<b>"]
        claimed |= set(inside)
    return claimed


def _is_versus(heard: Sequence[CueMatch], calls: Sequence[CueMatch], folded: UtteranceReading) -> bool:
    """Whether groups of rows are compared, in so many words or as in `what matters differs between <q> and <q>`."""
    between = [call for call in calls if "between" in call.phrase and folded.words[call.start :].count("<q>") >= 2]
    return any(call.cue.family == "compare" for call in (*heard, *between))


def _is_contrast(filters: Sequence[SurfacePart]) -> bool:
    """Those with and those without something: no row is both."""
    texts = {part.text for part in filters}
    return any(text.endswith(" true") and f"{text.removesuffix('true')}false" in texts for text in texts)


def _counts(calls: Sequence[CueMatch], reading: UtteranceReading) -> set[int]:
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


def _selecting(
    reading: UtteranceReading, ground: SchemaGrounding, taken: set[int], claimed: set[int]
) -> tuple[list[SurfacePart], list[SurfacePart]]:
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
    absent = missing_conditions(reading, ground, conditions.used_features)
    known = {at for part in absent for at in range(part.start, part.end)}
    properties = Properties(reading, claimed | known).read()
    filters += [part for part in properties if part.text.startswith("filter")]
    moved += [part for part in properties if part.text.startswith("change")]
    filters += [
        SurfacePart(at, at + 1, f"filter id {_quoted(item)}") for at, item in enumerate(reading.items) if item.word == "<i>"
    ]
    parts = [*filters, *moved]
    covered = {at for part in parts for at in range(part.start, part.end)} | taken
    filters += [
        SurfacePart(at, at + 1, f"filter id {reading.items[at].token.text}", 0.3) for at in leftover_ids(reading, covered)
    ]
    filters += absent
    filters, supposed = supposed_of_row(reading, filters)
    moved += supposed
    return filters, sorted(moved, key=lambda part: part.start)


def _quoted(item: UtteranceItem) -> str:
    text = item.token.text
    return f'"{text}"' if " " in text else text


__all__ = ["TokenKind", "UtteranceAnalysis", "analyse"]
