"""Figures can be read: writing on colours by its contrast, labels that need no room beside, and all numbers as a table."""

import json
from itertools import product

import pytest

from ttm.operations.explanations.figures import signed_bars
from ttm.operations.rendering.figure_table import figure_table
from ttm.operations.rendering.figures import bars, confusion, histogram, lines, text_on


def _luminance(color: tuple[float, ...]) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    red, green, blue = (c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


INK = {"black": (0.0, 0.0, 0.0), "white": (255.0, 255.0, 255.0)}


def test_writing_on_any_colour_has_the_better_contrast() -> None:
    for color in product(range(0, 256, 15), repeat=3):
        chosen = text_on(*color)
        other = "white" if chosen == "black" else "black"
        assert _contrast(INK[chosen], color) >= _contrast(INK[other], color)
        assert _contrast(INK[chosen], color) >= 4.5


def test_counts_in_a_matrix_are_read_on_each_tone() -> None:
    for right in range(0, 101, 5):
        figure = confusion({"a": {"a": right, "b": 100 - right}, "b": {"a": 1, "b": 1}}, "t")
        (_, light), (_, dark) = figure.data[0].colorscale
        ends = [tuple(map(float, tone.removeprefix("rgb(").removesuffix(")").split(","))) for tone in (light, dark)]
        tone = tuple(low + (high - low) * right / 100 for low, high in zip(*ends, strict=True))
        assert _contrast(INK[figure.layout.annotations[0].font.color], tone) >= 4.5


def test_labels_of_lying_bars_stand_above_them_each_at_its_own() -> None:
    names = [f"a feature with a long name, number {number}" for number in range(9)]
    for figure in (signed_bars(names, list(range(9)), "t", "x"), bars(names, {"n": list(range(9))}, "t", "n")):
        assert [note.y for note in figure.layout.annotations] == list(range(9))
        assert [note.text[:14] for note in figure.layout.annotations] == ["a feature with"] * 9
        assert figure.layout.yaxis.showticklabels is False
        assert len(set(figure.data[0].y)) == 9


def test_a_figure_holds_its_numbers_as_a_table() -> None:
    table = figure_table(bars(["red & blue", "green"], {"one": [1, 2.5], "two": [None, 4]}, "t", "mean"))
    assert table is not None
    assert table.columns == ("", "one", "two")
    assert table.rows == (("red & blue", "1", "–"), ("green", "2.5", "4"))
    counts = figure_table(confusion({"good": {"good": 7, "bad": 1}, "bad": {"good": 2, "bad": 9}}, "t"))
    assert counts is not None
    assert counts.columns == ("true / predicted", "good", "bad")
    assert counts.rows == (("good", "7", "1"), ("bad", "2", "9"))
    bins = figure_table(histogram([0, 10, 20], {"all": [3, 4]}, "t", "age"))
    assert bins is not None
    assert bins.rows == (("0 to 10", "3"), ("10 to 20", "4"))
    moved = figure_table(lines([1, 2], {"p": [0.5, 0.25]}, "t", "age", "probability", percent=True))
    assert moved is not None
    assert moved.rows == (("1", "50.0%"), ("2", "25.0%"))


@pytest.mark.parametrize("lying", [False, True])
def test_the_table_has_every_bar(lying: bool) -> None:
    names = [f"{'a very long name ' * 3}{number}" if lying else f"n{number}" for number in range(5)]
    figure = bars(names, {"x": [0.1, 0.2, 0.3, 0.4, 0.5]}, "t", "share", percent=True)
    table = figure_table(figure)
    assert table is not None
    assert [row[1] for row in table.rows] == ["10.0%", "20.0%", "30.0%", "40.0%", "50.0%"]
    json.loads(figure.to_json())
