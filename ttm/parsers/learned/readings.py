"""The readings of a message in the order of their cost: the best decisions, and what changes where the doubt is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from backend.errors import ParseError
from ttm.language.grammar import Grammar
from ttm.language.parse import Parse
from ttm.parsers.learned.composition.compose import Composer, Composition
from ttm.parsers.learned.decisions.span_decisions import Decisions, ReadingChoice
from ttm.parsers.learned.encoder.roles import ASPECTS, OPERATIONS, VERDICTS, ingredients_of
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.parsers.understanding import DialogueContext

DOUBTED = 6  # ingredients that are tried the other way
OTHERS = 5
FAR = 4.5  # a change that costs more is not tried
MOST_TRIED = 32
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
    found: dict[str, Reading] = {}
    for choice in choices(decisions):
        composition = composer.compose(decisions, choice, context)
        if composition.parse is None:
            continue
        try:
            parse = grammar.read(str(composition.parse))
        except ParseError:
            continue
        cost = choice.cost + _penalty(decisions, choice, composition, parse, context)
        known = found.get(str(parse))
        if known is None or cost < known.cost:
            found[str(parse)] = Reading(parse, cost, composition, choice)
    return sorted(found.values(), key=lambda reading: reading.cost)


def choices(decisions: Decisions) -> list[ReadingChoice]:
    """The best choice and those near it, cheapest first."""
    base, flips = _ingredients(decisions.ingredients)
    found = [ReadingChoice(base)]
    for size in (1, 2):
        for flipped in combinations(flips[: DOUBTED if size == 1 else 3], size):
            cost = sum(abs(decisions.ingredients[name]) for name in flipped)
            if cost <= FAR:
                found.append(ReadingChoice(base.symmetric_difference(flipped), cost=cost))
    beside = len(decisions.of_role("compared")) >= 2
    if beside and "versus" not in base:
        found.append(ReadingChoice(base | {"versus"}, cost=0.3 * abs(decisions.ingredients["versus"])))
    found += list(_other_operations(base, decisions.ingredients))
    found += [ReadingChoice(base, cost=cost, **change) for change, cost in _span_changes(decisions)]
    return sorted(found, key=lambda choice: choice.cost)[:MOST_TRIED]


def _ingredients(scores: Mapping[str, float]) -> tuple[frozenset[str], list[str]]:
    """What is there with more than even odds, and the names in order of doubt. An operation is there, or rows are counted."""
    base = {name for name, score in scores.items() if score > 0 and name not in VERDICTS}
    if not base & set(OPERATIONS) and not base & {"case", "change"}:
        base.add(max(OPERATIONS, key=lambda name: scores[name]))
    doubtful = sorted((name for name in scores if name not in VERDICTS), key=lambda name: abs(scores[name]))
    return frozenset(base), doubtful


def _other_operations(base: frozenset[str], scores: Mapping[str, float]) -> Iterator[ReadingChoice]:
    """The same with another operation in the place of the least sure one."""
    own = sorted(base & set(OPERATIONS), key=lambda name: scores[name])
    if not own:
        return
    others = sorted((name for name in OPERATIONS if name not in base), key=lambda name: -scores[name])[:OTHERS]
    for other in others:
        cost = scores[own[0]] - scores[other]
        if cost <= FAR:
            yield ReadingChoice(base - {own[0]} | {other}, cost=max(cost, 0.0))


def _span_changes(decisions: Decisions) -> Iterator[tuple[dict[str, Mapping[int, int]], float]]:
    for number, span in enumerate(decisions.spans):
        for rank in (1, 2):
            if rank < len(span.links) and span.links[0][1] - span.links[rank][1] <= FAR:
                yield {"links": {number: rank}}, span.links[0][1] - span.links[rank][1]
        if len(span.relations) > 1 and span.relations[0][1] - span.relations[1][1] <= FAR:
            yield {"relations": {number: 1}}, span.relations[0][1] - span.relations[1][1]


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
