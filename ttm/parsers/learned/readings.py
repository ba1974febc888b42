"""The readings of a message in the order of their cost: the best decisions, and what changes where the doubt is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush

from ttm.language.grammar import Grammar
from ttm.language.parse import Parse
from ttm.parsers.learned.composition.compose import Composer
from ttm.parsers.learned.composition.span_rows import Composition
from ttm.parsers.learned.decisions.span_decisions import Decisions, ReadingChoice, SpanDecision
from ttm.parsers.learned.encoder.roles import ASPECTS, OPERATIONS, VERDICTS, ingredients_of
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.parsers.understanding import DialogueContext

OTHERS = 6
FAR = 5.0  # what costs more is not tried
MOST_TURNED = 3  # things decided the other way in one reading
MOST_TRIED = 48
PROBLEM = 1.5  # cost of a span that could not be used
UNUSED_NUMBER = 1.5
CONTRADICTION = 1.2  # cost of an aspect that was decided and does not come out, or the other way round
CHECKED = tuple(name for name in ASPECTS if name not in ("keep", "negation", "either", "where"))


@dataclass(frozen=True)
class Reading:
    """A parse with what it costs in log-probability, and how it was put together."""

    parse: Parse
    cost: float
    composition: Composition
    choice: ReadingChoice


def readings_of(decisions: Decisions, composer: Composer, grammar: Grammar, context: DialogueContext) -> list[Reading]:
    """Distinct readings that the grammar of the data set allows, the cheapest first."""
    readings: dict[str, Reading] = {}
    read = cache(grammar.read_if_valid)  # many choices come to the same
    for choice in choices(decisions):
        composition = composer.compose(decisions, choice, context)
        if composition.parse is None:
            continue
        parse = read(str(composition.parse))
        if parse is None:
            continue
        cost = choice.cost + _penalty(decisions, choice, composition, parse, context)
        known = readings.get(str(parse))
        if known is None or cost < known.cost:
            readings[str(parse)] = Reading(parse, cost, composition, choice)
    return sorted(readings.values(), key=lambda reading: reading.cost)


@dataclass(frozen=True)
class _OtherDecision:
    """One thing decided the other way: `group` names what it excludes, `cost` the log-probability that it gives away."""

    group: str
    cost: float
    flips: frozenset[str] = frozenset()
    field: str = ""
    index: int = 0
    rank: int = 0


def choices(decisions: Decisions) -> list[ReadingChoice]:
    """The best choice and those near it, cheapest first: any combination of things decided the other way."""
    base, turns = _turns(decisions)
    options: list[ReadingChoice] = []
    heap: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    while heap and len(options) < MOST_TRIED:
        cost, chosen = heappop(heap)
        picked = [turns[at] for at in chosen]
        if len({turn.group for turn in picked}) == len(picked):
            options.append(_choice(base, picked, cost))
        last = chosen[-1] if chosen else -1
        if last + 1 < len(turns):
            following = turns[last + 1].cost
            if len(chosen) < MOST_TURNED and cost + following <= FAR:
                heappush(heap, (cost + following, (*chosen, last + 1)))
            if chosen and cost - turns[last].cost + following <= FAR:
                heappush(heap, (cost - turns[last].cost + following, (*chosen[:-1], last + 1)))
    return options


def _choice(base: frozenset[str], picked: Sequence[_OtherDecision], cost: float) -> ReadingChoice:
    ingredients, changes = base, dict[str, dict[int, int]]()
    for turn in picked:
        ingredients = ingredients.symmetric_difference(turn.flips)
        if turn.field:
            changes.setdefault(turn.field, {})[turn.index] = turn.rank
    return ReadingChoice(ingredients, cost=cost, **changes)


def _turns(decisions: Decisions) -> tuple[frozenset[str], list[_OtherDecision]]:
    """The ingredients that are there with more than even odds, and all that may be decided otherwise, cheapest first."""
    base, flips = _ingredients(decisions.ingredients)
    beside = len(decisions.of_role("compared")) >= 2
    turns = []
    for name in flips:
        cost = abs(decisions.ingredients[name]) * (0.3 if name == "versus" and beside and name not in base else 1.0)
        turns.append(_OtherDecision(name, cost, frozenset({name})))
    turns += list(_other_operations(base, decisions.ingredients))
    turns += [turn for index, span in enumerate(decisions.spans) for turn in _of_span(index, span)]
    return base, sorted((turn for turn in turns if turn.cost <= FAR), key=lambda turn: turn.cost)


def _ingredients(scores: Mapping[str, float]) -> tuple[frozenset[str], list[str]]:
    """What is there with more than even odds, and the names in order of doubt. An operation is there, or rows are counted."""
    base = {name for name, score in scores.items() if score > 0 and name not in VERDICTS}
    if not base & set(OPERATIONS) and not base & {"case", "change"}:
        base.add(max(OPERATIONS, key=lambda name: scores[name]))
    doubtful = sorted((name for name in scores if name not in VERDICTS), key=lambda name: abs(scores[name]))
    return frozenset(base), doubtful


def _other_operations(base: frozenset[str], scores: Mapping[str, float]) -> Iterator[_OtherDecision]:
    """Another operation in the place of the least sure one."""
    own = sorted(base & set(OPERATIONS), key=lambda name: scores[name])
    if not own:
        return
    others = sorted((name for name in OPERATIONS if name not in base), key=lambda name: -scores[name])[:OTHERS]
    for other in others:
        yield _OtherDecision("operation", max(scores[own[0]] - scores[other], 0.0), frozenset({own[0], other}))


def _of_span(index: int, span: SpanDecision) -> Iterator[_OtherDecision]:
    """What one span may mean otherwise: another item, relation or outcome, or another role in which its best ones count."""
    for field, ranked in (("links", span.links), ("relations", span.relations), ("outcomes", span.outcomes)):
        if field == "outcomes" and span.role not in ("condition", "compared"):
            continue
        for rank in range(1, min(len(ranked), 4)):
            yield _OtherDecision(f"{field} {index}", ranked[0][1] - ranked[rank][1], field=field, index=index, rank=rank)
    for rank, (_, cost) in enumerate(span.others):
        yield _OtherDecision(f"links {index}", cost, field="roles", index=index, rank=rank)


def _penalty(
    decisions: Decisions, choice: ReadingChoice, composition: Composition, parse: Parse, context: DialogueContext
) -> float:
    """What speaks against a composition beside the decisions: spans and numbers left over, aspects that did not come out."""
    come_out = ingredients_of(parse)
    differing = sum((name in choice.ingredients) != (name in come_out) for name in CHECKED)
    if "previous rows" in choice.ingredients and "previous rows" not in come_out and context.rows is not None:
        differing -= 1  # the rows of before are written out
    left = sum(token.kind is TokenKind.NUMBER and at not in composition.used for at, token in enumerate(decisions.tokens))
    nowhere = "previous rows" in come_out and context.rows is None
    open_points = len(composition.problems) + len(composition.questions)
    return CONTRADICTION * max(differing, 0) + UNUSED_NUMBER * left + PROBLEM * open_points + 2.0 * nowhere
