"""The answers to a question, found by walking the graph."""

from collections.abc import Iterator, Mapping

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import NOTABLE, Node
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.relations import NUMBER, TEXT, kind_of_literal
from inspired.parsers.query_graphs.query_graph import Attribute, Bound, Either, Extreme, Thing, Tie

Value = float | str
# What was found, each with the values it may be sorted by.
NodeValues = dict[Node, tuple[Value, ...]]


def answers(graph: Graph, thing: Thing) -> tuple[Node, ...]:
    """Everything that `thing` describes, sorted; for a superlative those that share the first place."""
    nodes = described(graph, thing)
    extreme = _extreme(thing)
    if extreme is not None:
        nodes = _first(nodes, extreme)
    return tuple(sorted(nodes, key=_sorting))


def described(graph: Graph, thing: Thing) -> NodeValues:
    """What `thing` describes before a superlative chooses, with the values to choose by."""
    nodes: NodeValues | None = None
    for tie in thing.ties:
        if tie.finds:
            led_to = _led_to(graph, tie)
            nodes = led_to if nodes is None else {node: nodes[node] + led_to[node] for node in nodes if node in led_to}
    if nodes is None:
        nodes = {Entity(each): () for each in graph.subjects(NOTABLE, Entity(thing.kind))} if thing.kind else {}
    elif thing.kind is not None:
        nodes = {node: values for node, values in nodes.items() if has_kind(graph, node, thing.kind)}
    for tie in thing.ties:
        if not tie.finds:
            nodes = _looked_at(graph, tie, nodes)
    kept = {node: values for node, values in nodes.items() if not _is_beside(graph, node, thing)}
    extreme = _extreme(thing) if thing.chosen else None
    return dict.fromkeys(_first(kept, extreme), ()) if extreme else kept


def has_kind(graph: Graph, node: Node, kind: str) -> bool:
    return isinstance(node, Entity) and Entity(kind) in graph.objects(node.id, NOTABLE)


def value_of(literal: Literal) -> Value:
    """A number as such; a date as its text, which sorts as it does."""
    return float(literal.text) if kind_of_literal(literal) == NUMBER else literal.text


def values_of(graph: Graph, node: Node, path: tuple[str, ...]) -> tuple[Value, ...]:
    """The numbers or dates at the end of `path` from `node`."""
    ends: list[Node] = [node]
    for predicate in path:
        ends = [end for each in ends if isinstance(each, Entity) for end in graph.objects(each.id, predicate)]
    return tuple(value_of(each) for each in ends if isinstance(each, Literal) and kind_of_literal(each) != TEXT)


def holds(value: Value, bound: Bound) -> bool:
    limit = value_of(bound.value)
    if isinstance(value, str) or isinstance(limit, str):
        return (str(value) > str(limit)) if bound.operator == ">" else (str(value) < str(limit))
    return value > limit if bound.operator == ">" else value < limit


def _led_to(graph: Graph, tie: Tie) -> NodeValues:
    nodes: NodeValues = {}
    for known in _known(graph, tie):
        for node, values in _across(graph, tie, known):
            nodes[node] = nodes.get(node, ()) + values
    return nodes


def _known(graph: Graph, tie: Tie) -> tuple[Node, ...]:
    match tie.other:
        case Thing() as other:
            return tuple(described(graph, other))
        case Either(options):
            return options
        case Entity() | Literal() as known:
            return (known,)
        case _:
            return ()


def _across(graph: Graph, tie: Tie, known: Node) -> Iterator[tuple[Node, tuple[Value, ...]]]:
    if len(tie.path) == 1:
        ends: tuple[Node, ...] = tuple(map(Entity, graph.subjects(tie.path[0], known))) if tie.outward else ()
        if not tie.outward and isinstance(known, Entity):
            ends = graph.objects(known.id, tie.path[0])
        yield from ((end, ()) for end in ends)
        return
    first, second = tie.path
    if tie.outward:
        middles = graph.subjects(second, known)
    else:
        middles = tuple(each.id for each in graph.objects(_id(known), first) if isinstance(each, Entity))
    for middle in middles:
        values = _attributed(graph, tie, middle)
        if values is None:
            continue
        ends = tuple(map(Entity, graph.subjects(first, Entity(middle)))) if tie.outward else graph.objects(middle, second)
        yield from ((end, values) for end in ends)


def _attributed(graph: Graph, tie: Tie, middle: str) -> tuple[Value, ...] | None:
    """The values that a mediating node gives to sort by; None if it is not as the tie says."""
    values: tuple[Value, ...] = ()
    for attribute in tie.attributes:
        if isinstance(attribute.value, Extreme):
            values += values_of(graph, Entity(middle), (attribute.predicate,))
            if not values:
                return None
        elif not _has_attribute(graph, attribute, middle):
            return None
    return values if tie.year is None or _in_year(graph, tie, middle, tie.year) else None


def _has_attribute(graph: Graph, attribute: Attribute, middle: str) -> bool:
    held = graph.objects(middle, attribute.predicate)
    if isinstance(attribute.value, Bound):
        return any(holds(value_of(each), attribute.value) for each in held if isinstance(each, Literal))
    return attribute.value in held


def _in_year(graph: Graph, tie: Tie, middle: str, year: int) -> bool:
    type_ = tie.path[1].rpartition(".")[0]
    starts = values_of(graph, Entity(middle), (f"{type_}.from",))
    ends = values_of(graph, Entity(middle), (f"{type_}.to",))
    begun = not starts or any(str(each) <= f"{year:04}-12-31T00:00:00" for each in starts)
    return begun and (not ends or any(str(each) >= f"{year:04}-01-01T00:00:00" for each in ends))


def _looked_at(graph: Graph, tie: Tie, nodes: NodeValues) -> NodeValues:
    kept: NodeValues = {}
    for node, before in nodes.items():
        values = values_of(graph, node, tie.path)
        if isinstance(tie.other, Bound):
            if any(holds(each, tie.other) for each in values):
                kept[node] = before
        elif values:
            kept[node] = before + values
    return kept


def _is_beside(graph: Graph, node: Node, thing: Thing) -> bool:
    """Whether the filters that open a form exclude `node`: it is itself what the thing is tied to."""
    for tie in thing.ties:
        if tie.other == node or (isinstance(tie.other, Either) and node in tie.other.options):
            return True
        if isinstance(tie.other, Thing):
            ways = [known for known in described(graph, tie.other) if any(end == node for end, _ in _across(graph, tie, known))]
            if ways == [node]:
                return True
    return False


def _extreme(thing: Thing) -> Extreme | None:
    for tie in thing.ties:
        if isinstance(tie.other, Extreme):
            return tie.other
        for attribute in tie.attributes:
            if isinstance(attribute.value, Extreme):
                return attribute.value
    return None


def _first(nodes: NodeValues, extreme: Extreme) -> NodeValues:
    first = max if extreme.largest else min
    numbers: Mapping[Node, Value] = {node: first(values) for node, values in nodes.items() if values}
    if not numbers:
        return {}
    best = first(numbers.values())
    return {node: nodes[node] for node, value in numbers.items() if value == best}


def _id(node: Node) -> str:
    return node.id if isinstance(node, Entity) else ""


def _sorting(node: Node) -> tuple[str, str]:
    return (node.id, "") if isinstance(node, Entity) else ("", node.text)
