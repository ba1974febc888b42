"""Simple questions of special kinds: for a figure, a code, one of two, a holder of an office, a time, the first of all."""

from dataclasses import replace

from inspired.knowledge_base.vocabulary import Edge
from inspired.lab.questions.ties import FEWEST_TO_CHOOSE, JOIN, Ties, usage
from inspired.logical_form.forms import Entity
from inspired.parsers.query_graphs.query_graph import Attribute, Either, Extreme, Thing, Tie
from inspired.parsers.query_graphs.walk import answers, described, values_of


def figure_asked(ties: Ties) -> Thing | None:
    """The figure itself is asked for."""
    edges = [each for each in ties.links.values if ties.words(each.path, None)]
    edge = ties.least_used(edges)
    if edge is None:
        return None
    start, _ = ties.rng.choice(ties.links.pairs(edge))
    tie = ties.tie(edge, Entity(start), asks_end=True)
    return Thing((tie,)) if tie else None


def text_asked(ties: Ties) -> Thing | None:
    """A code or a name is asked for, or what has it."""
    edge = ties.least_used([each for each in ties.links.texts if ties.words(each.path, None)])
    if edge is None:
        return None
    start, end = ties.rng.choice(ties.links.pairs(edge))
    if ties.rng.random() < 0.3:
        return Thing((Tie(edge.path, end, outward=True),))
    tie = ties.tie(edge, Entity(start), asks_end=True)
    return Thing((tie,)) if tie else None


def either(ties: Ties) -> Thing | None:
    """What one of two things leads to, neither being enough."""
    tie = ties.any_tie()
    if tie is None or tie.outward or not isinstance(tie.other, Entity):
        return None
    edge = next((each for each in ties.links.graph.edges if each.path == tie.path), None)
    if edge is None:
        return None
    starts = [start for start, _ in ties.links.pairs(edge) if _fits(ties, start, tie.other.id)]
    if not starts:
        return None
    both = Either((tie.other, Entity(ties.rng.choice(starts))))
    one, other = (set(described(ties.graph, Thing((replace(tie, other=each),)))) for each in both.options)
    if one <= other or other <= one or one & {Entity(each.id) for each in both.options}:
        return None
    return ties.with_kind(Thing((replace(tie, other=both),)))


def _fits(ties: Ties, start: str, beside: str) -> bool:
    same_kind = ties.links.graph.kinds.get(start) == ties.links.graph.kinds.get(beside)
    return start != beside and same_kind and start in ties.links.clear_names


def titled(ties: Ties) -> Thing | None:
    """A relation with an attribute that narrows it: who holds an office under a certain title."""
    paths = [each for each in usage()["titles"] if ties.words(tuple(each.split(JOIN)), None)]
    edges = [each for each in ties.links.graph.edges if JOIN.join(each.path) in paths]
    if not edges:
        return None
    edge = ties.rng.choice(edges)
    start, _ = ties.rng.choice(ties.links.pairs(edge))
    tie = ties.tie(edge, Entity(start), asks_end=True)
    middles = ties.graph.objects(start, edge.path[0])
    if tie is None or not middles:
        return None
    predicate = ties.rng.choice(usage()["titles"][JOIN.join(edge.path)])
    middle = ties.rng.choice(middles)
    held = ties.graph.objects(middle.id, predicate) if isinstance(middle, Entity) else ()
    titles = [each for each in held if isinstance(each, Entity)]
    if not titles or len(middles) < 2:
        return None
    return Thing((replace(tie, attributes=(Attribute(predicate, ties.rng.choice(titles)),)),))


def in_year(ties: Ties) -> Thing | None:
    """A relation at a time, where the graph says from when to when it held."""
    edges = [each for each in ties.links.all if len(each.path) == 2 and _has_times(ties, each)]
    edge = ties.least_used([each for each in edges if ties.words(each.path, None)])
    if edge is None:
        return None
    start, _ = ties.rng.choice(ties.links.pairs(edge))
    tie = ties.tie(edge, Entity(start), asks_end=True)
    type_ = ties.links.mediator(edge.path)
    middles = ties.graph.objects(start, edge.path[0])
    days = [day for each in middles for end in ("from", "to") for day in values_of(ties.graph, each, (f"{type_}.{end}",))]
    years = sorted(int(str(day)[:4]) for day in days)
    if tie is None or len(years) < 2 or years[0] == years[-1]:
        return None
    narrowed = replace(tie, year=ties.rng.randint(years[0], years[-1]))
    whole = described(ties.graph, Thing((tie,)))
    return Thing((narrowed,)) if 0 < len(described(ties.graph, Thing((narrowed,)))) < len(whole) else None


def _has_times(ties: Ties, edge: Edge) -> bool:
    type_ = ties.links.mediator(edge.path)
    return f"{type_}.from" in ties.graph.predicates and f"{type_}.to" in ties.graph.predicates


def of_all(ties: Ties) -> Thing | None:
    """The first of all things of a kind."""
    kinds = [kind for kind, edges in ties.links.figures_of_kind.items() if any(ties.words(e.path, None) for e in edges)]
    if not kinds:
        return None
    thing = Thing((), ties.rng.choice(kinds))
    edge = ties.figure_of(tuple(described(ties.graph, thing)))
    if edge is None:
        return None
    chosen = replace(thing, ties=(Tie(edge.path, Extreme(ties.prefers_largest()), outward=True),))
    return chosen if decides(ties, chosen, thing) else None


def decides(ties: Ties, chosen: Thing, among: Thing) -> bool:
    """Whether a superlative picks exactly one of enough things."""
    return len(described(ties.graph, among)) >= FEWEST_TO_CHOOSE and len(answers(ties.graph, chosen)) == 1
