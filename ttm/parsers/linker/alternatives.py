"""Other readings of an utterance, the likeliest first: what the parser takes wrongly most often, turned round.

How often each way of turning a wrong reading round makes it right stands in `alternatives.toml`, as counted over our own
utterances; `twins` are operations that the same words often ask for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ttm.parsers.linker.analysis import UtteranceAnalysis
from ttm.parsers.linker.composition import compose, selection_surface
from ttm.parsers.linker.conditions.suppositions import as_change, as_filter, is_exact
from ttm.parsers.linker.references.bare_ids import is_whole_number
from ttm.parsers.linker.requests.arguments import build
from ttm.parsers.linker.requests.cue_context import CueContext
from ttm.parsers.linker.requests.operation_cues import CueMatch
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.unlinked_words import Unused
from ttm.parsers.linker.words.lexicon import lexicon, read_data

MOST_RIVALS = 3
OBJECTS = ("important", "define", "compare", "effect", "distribution")  # operations whose object may look like a condition


@dataclass(frozen=True)
class Whole:
    """The parts of one reading; `either` joins the filters by the other word than the utterance seems to say."""

    filters: tuple[SurfacePart, ...]
    changes: tuple[SurfacePart, ...]
    operations: tuple[SurfacePart, ...]
    back: tuple[str, ...]
    guessed: bool
    either: bool = False
    versus: bool | None = None


@dataclass(frozen=True)
class DraftSurface:
    """A surface before it is read by the grammar, with what makes it doubtful; `kind` is how it came about."""

    surface: str
    doubt: float
    guessed: bool
    kind: str = "first"


Turned = Iterator[tuple[str, Whole]]


def drafts(analysis: UtteranceAnalysis, whole: Whole, unused: Unused, ground: SchemaGrounding) -> Iterator[DraftSurface]:
    """The reading as it was analysed, then with one thing turned round at a time."""
    yield _draft(analysis, whole, "first")
    turned = [
        *_vague(whole, unused), *_other_columns(whole), *_other_filters(whole), *_rivals(analysis, whole, ground),
        *_twins(whole), *_fewer(whole), *_supposed(analysis, whole), *_ids(analysis, whole), *_objects(analysis, whole),
        *_back(analysis, whole),
    ]  # fmt: skip
    worth = table()["worth"]
    for kind, other in sorted(turned, key=lambda pair: -worth.get(pair[0], 0.0)):
        yield _draft(analysis, other, kind)


@lru_cache(maxsize=1)
def table() -> dict[str, dict[str, float]]:
    """alternatives.toml: `worth` of each kind; of a twin `twin OPERATION -> OPERATION`."""
    content = read_data("alternatives.toml")
    twins = {f"twin {one} -> {other}": worth for one, others in content["twins"].items() for other, worth in others.items()}
    return {"worth": {**content["worth"], **twins}}


def _draft(analysis: UtteranceAnalysis, whole: Whole, kind: str) -> DraftSurface:
    versus = analysis.versus if whole.versus is None else whole.versus
    selection = selection_surface(whole.filters, analysis.reading, versus, whole.either)
    if analysis.instance is not None:
        selection = [("and", analysis.instance.text), *selection]
    doubt = sum(part.doubt for part in [*whole.filters, *whole.changes, *whole.operations])
    return DraftSurface(compose(whole.back, selection, whole.changes, whole.operations), doubt, whole.guessed, kind)


def _vague(whole: Whole, unused: Unused) -> Turned:
    """What "old people" may mean."""
    if unused.vague:
        yield "vague", replace(whole, filters=(*whole.filters, SurfacePart(0, 1, unused.bounded, 0.5)))
        yield "vague", replace(whole, operations=(SurfacePart(0, 1, f"compare {unused.vague[0][1].token}", 0.5),))


def _other_columns(whole: Whole) -> Turned:
    for index, part in enumerate(whole.filters):
        for other in part.others:
            yield "column", replace(whole, filters=_swapped(whole.filters, index, replace(part, text=other)))


def _other_filters(whole: Whole) -> Turned:
    stated = [part for part in whole.filters if part.text]
    if len(stated) > 1:
        yield "either", replace(whole, either=True)
        yield "versus", replace(whole, versus=True)
    for index, part in enumerate(whole.filters):
        if part.text and not part.text.startswith("filter id "):
            yield "dropped filter", replace(whole, filters=_swapped(whole.filters, index))


def _rivals(analysis: UtteranceAnalysis, whole: Whole, ground: SchemaGrounding) -> Turned:
    """The most telling silenced cue of each family, instead of what was heard and beside it."""
    best: dict[str, CueMatch] = {}
    for call in analysis.rivals:
        known = best.get(call.cue.family)
        if known is None or call.weight > known.weight:
            best[call.cue.family] = call
    context = CueContext(analysis.folded, ground)
    for call in sorted(best.values(), key=lambda call: (call.cue.weak, -call.weight))[:MOST_RIVALS]:
        parts = tuple(part for part in build(context, call) if part.text)
        if parts:
            strength = "weak" if call.cue.weak else "strong"
            yield f"{strength} rival", replace(whole, operations=parts, guessed=False)
            if not call.cue.weak:
                yield "added rival", replace(whole, operations=(*whole.operations, *parts), guessed=False)


def _twins(whole: Whole) -> Turned:
    twins = read_twins()
    for index, part in enumerate(whole.operations):
        name, _, argument = part.text.partition(" ")
        for key, rest in ((part.text, ""), (f"{name} F", argument)):
            for twin in twins.get(key, ()):
                if not twin.endswith(" F") or rest:
                    text = f"{twin.removesuffix(' F')} {rest}" if twin.endswith(" F") else twin
                    other = _swapped(whole.operations, index, replace(part, text=text))
                    yield f"twin {key} -> {twin}", replace(whole, operations=other)


@lru_cache(maxsize=1)
def read_twins() -> dict[str, tuple[str, ...]]:
    return {one: tuple(others) for one, others in read_data("alternatives.toml")["twins"].items()}


def _fewer(whole: Whole) -> Turned:
    if len(whole.operations) > 1:
        for index, part in enumerate(whole.operations):
            kind = "dropped show" if part.text in ("show", "previousoperation", "label") else "dropped operation"
            yield kind, replace(whole, operations=_swapped(whole.operations, index))


def _supposed(analysis: UtteranceAnalysis, whole: Whole) -> Turned:
    """A condition as a change, a change as a condition."""
    words, supposing = analysis.reading.words, lexicon().groups["identifiers.supposing"]
    manner = "supposed" if any(word in supposing or word == "would" for word in words) else "described"
    for index, part in enumerate(whole.filters):
        if is_exact(part):
            rest = _swapped(whole.filters, index)
            yield f"{manner} change", replace(whole, filters=rest, changes=(*whole.changes, as_change(part)))
    for index, part in enumerate(whole.changes):
        if as_filter(part) is not None:
            rest = _swapped(whole.changes, index)
            filters = tuple(sorted((*whole.filters, as_filter(part) or part), key=lambda one: one.start))
            yield f"{manner} filter", replace(whole, filters=filters, changes=rest)


def _ids(analysis: UtteranceAnalysis, whole: Whole) -> Turned:
    """A number as the id of a row."""
    if not whole.operations or any(part.text.startswith("filter id ") for part in whole.filters):
        return
    for at, item in enumerate(analysis.reading.items):
        if is_whole_number(analysis.reading, at):
            filters = tuple(part for part in whole.filters if not part.start <= at < part.end)
            changes = tuple(part for part in whole.changes if not part.start <= at < part.end)
            row = SurfacePart(at, at + 1, f"filter id {item.token.text}", 0.5)
            yield "id", replace(whole, filters=(*filters, row), changes=changes)


def _objects(analysis: UtteranceAnalysis, whole: Whole) -> Turned:
    """A property as what is asked about: `important black`, not the black people."""
    families = [call.cue.family for call in (*analysis.calls, *analysis.rivals)]
    asked = [name for name in OBJECTS if name in families] or ["important"]
    for index, part in enumerate(whole.filters):
        words = part.text.split()
        if is_exact(part) and " equal " not in part.text:
            operations = tuple(SurfacePart(part.start, part.end, f"{name} {words[1]}") for name in asked[:1])
            kind = "object" if asked[0] in families else "guessed object"
            yield kind, replace(whole, filters=_swapped(whole.filters, index), operations=operations)


def _back(analysis: UtteranceAnalysis, whole: Whole) -> Turned:
    """With or without the rows spoken of before."""
    pointing = lexicon().groups["reference.pronouns"]
    points = any(word in pointing or word in ("its", "group", "subset") for word in analysis.reading.words)
    if whole.back:
        yield "not back", replace(whole, back=())
    elif whole.operations:
        yield "back" if points else "back unsaid", replace(whole, back=("previousfilter",))


def _swapped(parts: Sequence[SurfacePart], index: int, *other: SurfacePart) -> tuple[SurfacePart, ...]:
    return (*parts[:index], *other, *parts[index + 1 :])
