"""Draw a query's graph as SVG: in layers by the distance from the answer, which stands at the bottom.

Narrow enough for a phone; colours come from classes, so that a style sheet decides on them. Every text is escaped.
"""

import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from backend.text.templates import Macros
from inspired.ui.drawing.picture import GraphEdge, GraphNode, QueryGraph

HTML = Macros(__file__)
WIDTH = 360
_MARGIN, _BESIDE = 6, 10
_LINE, _PADDING = 15, 7  # pixels: height of a line of text, and above and below it
_LETTER = 6.7  # width of a letter of 12 px, on average and a little more
_MOST_BESIDE = 3  # nodes in a row
_WIDEST = 190
_LABEL = 20  # letters in a line of an edge's label
_MOST_LINES = 3
_DOT = 5


@dataclass(frozen=True)
class Box:
    """Where a node stands: centre and half width, top and bottom, in pixels."""

    node: GraphNode
    x: float
    half: float
    top: float
    bottom: float
    lines: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class EdgeLabel:
    edge: GraphEdge
    x: float
    y: float
    half: float
    lines: tuple[str, ...]


def draw(graph: QueryGraph, name: str = "kb-drawing") -> Markup:
    """An `<svg>` with title and description; `name` begins the ids in it, which a page must hold once."""
    rows = _rows(graph)
    boxes: dict[str, Box] = {}
    labels: list[EdgeLabel] = []
    top = float(_MARGIN)
    below = _edges_below(graph, rows)
    for row, edges in zip(rows, below, strict=True):
        placed = _row(row, top)
        boxes |= {each.node.key: each for each in placed}
        bottom = max(each.bottom for each in placed)
        captions = _labels(edges, rows, bottom)
        labels += captions
        top = max([bottom + 34, *(each.y + len(each.lines) * _LINE / 2 + 16 for each in captions)])
    height = max(each.bottom for each in boxes.values()) + _MARGIN
    lines = [(label.edge.choice, _path(label, boxes)) for edge in graph.edges for label in labels if label.edge is edge]
    parts = Markup("").join([*map(_box, boxes.values()), *map(_label, labels)])
    return HTML("drawing", name, WIDTH, height, _seen(" ".join(graph.sentences())), lines, parts)


def _rows(graph: QueryGraph) -> list[list[GraphNode]]:
    """Nodes by distance from the answer, the farthest first, at most three in a row, each near what it is linked to."""
    distance = _distances(graph)
    layers: dict[int, list[GraphNode]] = defaultdict(list)
    for node in graph.nodes:
        layers[distance[node.key]].append(node)
    rows: list[list[GraphNode]] = []
    across: dict[str, float] = {}
    for depth in sorted(layers):
        ordered = sorted(layers[depth], key=lambda node: _pull(node, graph, across))
        for start in range(0, len(ordered), _MOST_BESIDE):
            row = ordered[start : start + _MOST_BESIDE]
            across |= {node.key: (number + 0.5) / len(row) for number, node in enumerate(row)}
            rows.append(row)
    return rows[::-1]


def _distances(graph: QueryGraph) -> dict[str, int]:
    """Links between each node and the answer; what does not hang together with it comes behind all that does."""
    near: dict[str, set[str]] = defaultdict(set)
    for edge in graph.edges:
        near[edge.start].add(edge.end)
        near[edge.end].add(edge.start)
    depths: dict[str, int] = {}
    for node in graph.nodes:
        if node.key in depths:
            continue
        depths[node.key] = max(depths.values(), default=-1) + 1
        edge_of_known = [node.key]
        while edge_of_known:
            key = edge_of_known.pop(0)
            new = [each for each in sorted(near[key]) if each not in depths]
            depths |= dict.fromkeys(new, depths[key] + 1)
            edge_of_known += new
    return depths


def _pull(node: GraphNode, graph: QueryGraph, across: dict[str, float]) -> float:
    linked = [each.end if each.start == node.key else each.start for each in graph.edges if node.key in (each.start, each.end)]
    known = [across[key] for key in linked if key in across]
    return sum(known) / len(known) if known else 0.5


def _edges_below(graph: QueryGraph, rows: Sequence[Sequence[GraphNode]]) -> list[list[GraphEdge]]:
    """For each row, the edges whose upper end is in it: their labels stand under it."""
    row_of = {node.key: number for number, row in enumerate(rows) for node in row}
    between: list[list[GraphEdge]] = [[] for _ in rows]
    for edge in graph.edges:
        if edge.start != edge.end:
            between[min(row_of[edge.start], row_of[edge.end])].append(edge)
    return between


def _row(row: Sequence[GraphNode], top: float) -> list[Box]:
    half = min((WIDTH - 2 * _MARGIN - (len(row) - 1) * _BESIDE) / len(row), _WIDEST) / 2
    letters = int((2 * half - 14) / _LETTER)
    boxes = []
    for number, node in enumerate(row):
        lines = _wrapped(node.text, letters)
        notes = tuple(line for note in node.notes for line in _wrapped(note, letters))
        height = 2 * _DOT if node.kind == "joint" else 2 * _PADDING + _LINE * (len(lines) + (node.kind == "answer"))
        x = WIDTH * (number + 0.5) / len(row)
        width = _DOT if node.kind == "joint" and not notes else half
        boxes.append(Box(node, x, width, top, top + height + _LINE * len(notes), lines, notes))
    return boxes


def _labels(edges: Sequence[GraphEdge], rows: Sequence[Sequence[GraphNode]], bottom: float) -> list[EdgeLabel]:
    """The words of edges under a row, one beside the other where there is room, else one below the other."""
    centre = {node.key: WIDTH * (number + 0.5) / len(row) for row in rows for number, node in enumerate(row)}
    placed: list[EdgeLabel] = []
    for edge in sorted(edges, key=lambda each: centre[each.start] + centre[each.end]):
        lines = _wrapped(f"{edge.step} {edge.text}", _LABEL)
        half = max(map(_letters, lines)) * _LETTER / 2 + 6
        x = min(max((centre[edge.start] + centre[edge.end]) / 2, half + 1), WIDTH - half - 1)
        y = bottom + 18 + len(lines) * _LINE / 2
        for other in sorted(placed, key=lambda each: each.y):
            apart = (len(lines) + len(other.lines)) * _LINE / 2 + 4
            if abs(x - other.x) < half + other.half + 4 and abs(y - other.y) < apart:
                y = other.y + apart
        placed.append(EdgeLabel(edge, x, y, half, lines))
    return placed


def _path(label: EdgeLabel, boxes: dict[str, Box]) -> str:
    """A line from the subject of an edge by way of its label to the object."""
    points = [_end(boxes[label.edge.start], label), (label.x, label.y), _end(boxes[label.edge.end], label)]
    if points[0][1] != points[2][1]:
        return " ".join(f"{'ML'[number > 0]}{x:.0f} {y:.0f}" for number, (x, y) in enumerate(points))
    return f"M{points[0][0]:.0f} {points[0][1]:.0f} Q{label.x:.0f} {label.y:.0f} {points[2][0]:.0f} {points[2][1]:.0f}"


def _end(box: Box, label: EdgeLabel) -> tuple[float, float]:
    """Where a line to `label` leaves a node: on the side that faces it, a little towards it."""
    lean = 0.0 if box.node.kind == "joint" else max(-box.half * 0.6, min(box.half * 0.6, (label.x - box.x) * 0.5))
    return box.x + lean, box.bottom if label.y > box.top else box.top


def _box(box: Box) -> Markup:
    kind, dot = box.node.kind, box.node.kind == "joint"
    top = box.top + (2 * _DOT if dot else _PADDING + (_LINE if kind == "answer" else 0))
    texts = [("kb-role", box.top + _PADDING + 11, "Answer")] if kind == "answer" else []
    for number, line in enumerate([*box.lines, *box.notes]):
        css = "kb-note-text" if number >= len(box.lines) else "kb-node-text"
        texts.append((css, top + 11 + number * _LINE, _seen(line)))
    if dot:
        shape = HTML("circle", box.x, box.top + _DOT, _DOT)
    else:
        round_by = 16 if kind in ("answer", "unknown") else 4
        shape = HTML("rect", box.x - box.half, box.top, 2 * box.half, box.bottom - box.top, round_by)
    whole = _seen("; ".join([box.node.text, *box.node.notes]))
    name = "answer-node" if kind == "answer" else kind  # apart from the class of the answer itself
    return HTML("box", name, whole, shape, box.x, texts)


def _label(label: EdgeLabel) -> Markup:
    height = len(label.lines) * _LINE + 2
    top = label.y - height / 2
    shape = HTML("rect", label.x - label.half, top, 2 * label.half, height, 4)
    texts = [(top + 12 + number * _LINE, _seen(line)) for number, line in enumerate(label.lines)]
    return HTML("label", label.edge.step, _seen(label.edge.text), shape, label.x, texts)


def _seen(text: str) -> str:
    """The text without what cannot be seen: a character that only controls has no place in a picture."""
    return "".join(each if each.isprintable() else " " for each in text)


def _wrapped(text: str, letters: int) -> tuple[str, ...]:
    """`text` in lines of at most `letters`, three at most; the last one ends in … if something is left out."""
    if not text:
        return ()
    wide = _letters(text) / max(len(text), 1)
    lines = textwrap.wrap(text, max(int(letters / wide), 4), max_lines=_MOST_LINES, placeholder=" …")
    return tuple(lines)


def _letters(text: str) -> float:
    """Width in letters; those of Chinese, Japanese and Korean count twice."""
    return sum(1.8 if unicodedata.east_asian_width(each) in "WF" else 1.0 for each in text)
