"""The map of answers: every place is on it, where it belongs beside the others."""

import re
from itertools import combinations

import pytest

from inspired.ui.drawing.point_map import WIDTH, MapPlace, degrees, draw_map, window_of

VIENNA, GRAZ, SUVA, APIA, LONDON, SYDNEY = (
    (48.2, 16.4),
    (47.1, 15.4),
    (-18.1, 178.4),
    (-13.8, -171.8),
    (51.5, -0.1),
    (-33.9, 151.2),
)


@pytest.mark.parametrize("positions", [
    [VIENNA], [VIENNA, GRAZ], [LONDON, SYDNEY, VIENNA], [SUVA, APIA], [(90.0, 180.0), (-90.0, -180.0)],
    [(90.0, 0.0)], [VIENNA, VIENNA],
])  # fmt: skip
def test_every_place_is_on_the_map(positions: list[tuple[float, float]]) -> None:
    window = window_of(positions)
    for x, y in map(window.at, positions):
        assert 0 <= x <= WIDTH
        assert 0 <= y <= window.height


def test_north_is_above_and_east_is_to_the_right_also_across_the_line_of_dates() -> None:
    window = window_of([VIENNA, GRAZ])
    (x, y), (west, south) = window.at(VIENNA), window.at(GRAZ)
    assert x > west
    assert y < south
    pacific = window_of([SUVA, APIA])
    assert 0 < pacific.at(APIA)[0] - pacific.at(SUVA)[0] < WIDTH


def test_a_degree_is_as_long_upwards_as_to_the_side_at_the_equator_and_longer_than_that_in_the_north() -> None:
    equator, north = window_of([(-5.0, 0.0), (5.0, 10.0)]), window_of([(60.0, 0.0), (62.0, 10.0)])
    assert equator.across == pytest.approx(equator.down)
    assert north.across < 0.6 * north.down


def test_names_cover_neither_each_other_nor_places() -> None:
    places = [MapPlace(f"Place {number}", (48 + number % 7 / 50, 16 + number % 11 / 40)) for number in range(40)]
    svg = draw_map(places)
    assert svg.count("<circle") == 40
    assert all(f"<title>{each.name}</title>" in svg for each in places)
    shown = re.findall(r'</circle><text x="([\d.]+)" y="([\d.]+)">([^<]*)<', svg)
    assert 3 < len(shown) < 40
    boxes = [(float(x), float(y) - 13, float(x) + 7.3 * len(text), float(y) + 4) for x, y, text in shown]
    assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for a, b in combinations(boxes, 2))


def test_the_map_is_told_in_words() -> None:
    assert "1 place: Vienna (48.2°N, 16.4°E)." in draw_map([MapPlace("Vienna", VIENNA)])
    assert degrees(-18.1, -171.84) == "18.1°S, 171.8°W"
    assert degrees(0, 0) == "0°, 0°"
