"""Draw places as SVG between lines of latitude and longitude, as large a part of the world as they need.

Nothing is fetched from anywhere. Colours come from classes, so that a style sheet decides on them. Every text is escaped.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from backend.text.templates import Macros
from backend.text.words import listed
from inspired.dialogue.answer_rows.rows import Position

HTML = Macros(__file__)
WIDTH = 460
_LOWEST, _HIGHEST = 200.0, 340.0  # height in pixels
_ROOM = 0.12  # beside the outermost places, as a share
_NARROWEST = 1.0  # degrees
_LETTER, _LINE, _DOT = 7.3, 17, 5  # pixels: width of a letter of 13 px, height of a line, radius of a place
_LONGEST = 26  # letters of a name
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 90)
_MOST_LINES = 6


@dataclass(frozen=True)
class MapPlace:
    name: str
    position: Position


@dataclass(frozen=True)
class MapPoint:
    """A place in pixels; `label` is its name where there is room for it, from `left`, on the line `base`."""

    name: str
    x: float
    y: float
    label: str = ""
    left: float = 0.0
    base: float = 0.0


@dataclass(frozen=True)
class Window:
    """The part of the world that is drawn, in degrees, and how many pixels a degree takes."""

    west: float
    north: float
    height: float
    across: float
    down: float
    shifted: bool

    def at(self, position: Position) -> tuple[float, float]:
        latitude, longitude = position
        east = longitude + 360 if self.shifted and longitude < 0 else longitude
        return (east - self.west) * self.across, (self.north - latitude) * self.down


def draw_map(places: Sequence[MapPlace], name: str = "kb-map") -> Markup:
    """An `<svg>` with title and description; `name` begins the ids in it, which a page must hold once."""
    window = window_of([each.position for each in places])
    points = _labelled([MapPoint(each.name, *window.at(each.position)) for each in places])
    count = "1 place" if len(places) == 1 else f"{len(places)} places"
    seen = f"{count}: {listed(f'{each.name} ({degrees(*each.position)})' for each in places)}."
    return HTML(
        "point_map", name, WIDTH, round(window.height), seen, list(_meridians(window)), list(_parallels(window)), points
    )


def window_of(positions: Sequence[Position]) -> Window:
    """The part of the world that holds the places with some room; across the line of dates where that is narrower."""
    longitudes = [longitude for _, longitude in positions]
    east = [each + 360 if each < 0 else each for each in longitudes]
    shifted = max(east) - min(east) < max(longitudes) - min(longitudes)
    west, wide = _room(east if shifted else longitudes)
    south, high = _room([latitude for latitude, _ in positions])
    # A degree of longitude is shorter away from the equator.
    narrow = max(math.cos(math.radians(min(abs(south + high / 2), 75))), 0.2)
    height = min(max(WIDTH * high / (wide * narrow), _LOWEST), _HIGHEST)
    scale = min(WIDTH / (wide * narrow), height / high)
    across, down = scale * narrow, scale
    west -= (WIDTH / across - wide) / 2
    north = south + high + (height / down - high) / 2
    return Window(west, north, height, across, down, shifted)


def _room(values: Sequence[float]) -> tuple[float, float]:
    """The least of what is drawn, and how many degrees, with room at both ends."""
    span = max(max(values) - min(values), _NARROWEST)
    middle = (max(values) + min(values)) / 2
    wide = span * (1 + 2 * _ROOM)
    return middle - wide / 2, wide


def _meridians(window: Window) -> Iterator[tuple[float, str]]:
    for degree in _lines(window.west, window.west + WIDTH / window.across):
        yield (degree - window.west) * window.across, _degree((degree + 180) % 360 - 180, "E", "W")


def _parallels(window: Window) -> Iterator[tuple[float, str]]:
    south = window.north - window.height / window.down
    for degree in _lines(max(south, -90), min(window.north, 90)):
        yield (window.north - degree) * window.down, _degree(degree, "N", "S")


def _lines(first: float, last: float) -> list[float]:
    step = next((each for each in _STEPS if (last - first) / each <= _MOST_LINES), _STEPS[-1])
    return [number * step for number in range(math.ceil(first / step), math.floor(last / step) + 1)]


def _degree(value: float, positive: str, negative: str) -> str:
    rounded = round(value, 1)
    return f"{abs(rounded):g}°{'' if not rounded else positive if rounded > 0 else negative}"


def degrees(latitude: float, longitude: float) -> str:
    """A place as people write it: "48.2°N, 16.4°E"."""
    return f"{_degree(latitude, 'N', 'S')}, {_degree(longitude, 'E', 'W')}"


def _labelled(points: Sequence[MapPoint]) -> list[MapPoint]:
    """The points with their names, where these cover neither another name nor a point."""
    taken = [(each.x - _DOT, each.y - _DOT, each.x + _DOT, each.y + _DOT) for each in points]
    result = []
    for number, point in enumerate(points):
        label = point.name if len(point.name) <= _LONGEST else f"{point.name[: _LONGEST - 1]}…"
        wide = len(label) * _LETTER
        others = [*taken[:number], *taken[number + 1 :]]
        for left, base in ((point.x + 9, point.y + 4), (point.x - 9 - wide, point.y + 4),
                           (point.x - wide / 2, point.y - 9), (point.x - wide / 2, point.y + 19)):  # fmt: skip
            box = (left, base - _LINE + 4, left + wide, base + 4)
            if left >= 2 and left + wide <= WIDTH - 2 and not any(_overlap(box, each) for each in others):
                taken.append(box)
                point = MapPoint(point.name, point.x, point.y, label, left, base)
                break
        result.append(point)
    return result


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
