"""A figure of an answer drawn by matplotlib: on the axes of a paper, or as the picture that a notebook keeps.

It draws what the figures of answers are made of: bars, lines and grids of values. Nothing of matplotlib's global state is used
or changed.
"""

import html
import io
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from backend.errors import ExecutionError
from ttm.operations.rendering.figures import COLORS, GREY

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from matplotlib.axes import Axes

COLUMN = 85 / 25.4  # inches; one column of a page with two
INCHES_A_PIXEL = 1 / 150  # of the height of the interactive figure
SMALL, SMALLER = 8, 7  # points
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
INK = "#222222"
WIDEST, NARROWEST = 52, 24  # letters in a column with the labels on its left, and of a title at least
MOST_TICKS = 5
LABEL_WIDTH = 26  # and of a label beside a bar
CLOSE = 1.0  # between the lines of a label, which stand nearer to each other than to those of the next
MOST_INSIDE = 2  # names of bars that a legend holds without covering them
DASHES = {"dot": ":", "dash": "--", "solid": "-"}


def draw(figure: "go.Figure | None", ax: "Axes | None" = None, asked: str = "", ink: str = INK) -> "Axes":
    """Draw an answer's figure on `ax`, or on new axes one column wide, and return the axes.

    Raises ExecutionError if there is no figure.
    """
    if figure is None:
        raise ExecutionError(f"The answer{f' to {asked!r}' if asked else ''} has no figure.")
    ax = _new_axes(figure) if ax is None else ax
    offsets = _Offsets(figure)
    for number, trace in enumerate(figure.data):
        DRAWN[trace.type](trace, ax, number, offsets)
    _write_notes(figure, ax, ink)
    _dress(figure, ax, ink)
    return ax


def svg(figure: "go.Figure") -> str:
    """The figure as SVG to stand inside a page, on a clear ground; its text stays text."""
    import matplotlib as mpl

    drawn = draw(figure, ink=GREY).get_figure(root=True)
    assert drawn is not None
    file = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "parley"}):
        drawn.savefig(file, format="svg", transparent=True, bbox_inches="tight", metadata=NO_METADATA)
    return file.getvalue().partition("<svg")[1] + file.getvalue().partition("<svg")[2]


def _new_axes(figure: "go.Figure") -> "Axes":
    from matplotlib.figure import Figure

    height = max(1.6, (figure.layout.height or 320) * INCHES_A_PIXEL)
    return Figure(figsize=(COLUMN, height), layout="constrained").subplots()


class _Offsets:
    """Where the bars of a trace begin: beside those of the other traces, or on top of them."""

    def __init__(self, figure: "go.Figure") -> None:
        bars = [trace for trace in figure.data if trace.type == "bar"]
        self.stacked = figure.layout.barmode == "stack"
        self.count = 1 if self.stacked else max(1, len(bars))
        self.width = 0.8 / self.count
        self.base: dict[Any, float] = {}
        self.seen = 0


def _bar(trace: Any, ax: "Axes", number: int, offsets: _Offsets) -> None:
    lying = trace.orientation == "h"
    names, values = (trace.y, trace.x) if lying else (trace.x, trace.y)
    lengths = np.array([np.nan if value is None else float(value) for value in values])
    places, width = _places(names, trace.width, offsets)
    bottom = np.array([offsets.base.get(name, 0.0) for name in names]) if offsets.stacked else np.zeros(len(lengths))
    color = trace.marker.color if trace.marker.color is not None else COLORS[number % len(COLORS)]
    if not isinstance(color, str) and not isinstance(color[0], str):  # values for a scale, which the lengths say too
        color = COLORS[1]
    errors: dict[str, Any] = {} if trace.error_x.array is None else {"xerr": [trace.error_x.arrayminus, trace.error_x.array]}
    style: dict[str, Any] = {"color": list(color) if not isinstance(color, str) else color, "label": _text(trace.name or "")}
    if lying:
        ax.barh(places, lengths, width, left=bottom, ecolor=GREY, **style, **errors)
    else:
        ax.bar(places, lengths, width, bottom=bottom, **style)
    if not isinstance(names[0], int | float | np.number):
        _ticks(ax, list(names), lying)
    offsets.base = {
        name: start + (0.0 if np.isnan(length) else length) for name, start, length in zip(names, bottom, lengths, strict=True)
    }
    offsets.seen += 1


def _places(names: Any, width: Any, offsets: _Offsets) -> tuple[Any, Any]:
    if isinstance(names[0], int | float | np.number):
        return np.asarray(names, dtype=float), offsets.width if width is None else np.asarray(width, dtype=float) * 0.96
    shift = (offsets.seen - (offsets.count - 1) / 2) * offsets.width if not offsets.stacked else 0.0
    return np.arange(len(names)) + shift, offsets.width


def _ticks(ax: "Axes", names: list[Any], lying: bool) -> None:
    texts = [_text(name) for name in names]
    if lying:
        ax.set_yticks(range(len(texts)), texts)
    else:
        crowded = sum(map(len, texts)) > 40
        ax.set_xticks(range(len(texts)), texts, rotation=30 if crowded else 0, ha="right" if crowded else "center")


def _line(trace: Any, ax: "Axes", number: int, offsets: _Offsets) -> None:
    step: dict[str, Any] = {"drawstyle": "steps-post"} if trace.line.shape == "hv" else {}
    mode = trace.mode or "lines"
    x = (
        np.array(trace.x, dtype="datetime64[D]")
        if len(trace.x) and isinstance(trace.x[0], str) and _is_date(trace.x[0])
        else trace.x
    )
    ax.plot(
        x, trace.y, DASHES.get(trace.line.dash or "solid", "-") if "lines" in mode else "", linewidth=1.2,
        color=trace.line.color or COLORS[number % len(COLORS)], marker="." if "markers" in mode else None, markersize=4,
        label=_text(trace.name or "") if trace.showlegend is not False else "_", **step,
    )  # fmt: skip


def _is_date(text: str) -> bool:
    try:
        np.datetime64(text)
    except ValueError:
        return False
    return True


def _grid(trace: Any, ax: "Axes", number: int, offsets: _Offsets) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    tones = LinearSegmentedColormap.from_list("answers", [_rgba(tone) for _, tone in trace.colorscale])
    shown = ax.imshow(np.asarray(trace.z, dtype=float), cmap=tones, vmin=trace.zmin, vmax=trace.zmax, aspect="auto")
    _ticks(ax, list(trace.x), lying=False)
    _ticks(ax, list(trace.y), lying=True)
    if trace.showscale is not False:
        bar = ax.get_figure().colorbar(shown, ax=ax)  # type: ignore[union-attr]
        bar.ax.tick_params(labelsize=SMALLER, colors=GREY)


def _rgba(tone: str) -> Any:
    if not tone.startswith("rgb"):
        return tone
    red, green, blue, *alpha = (float(part) for part in tone[tone.index("(") + 1 : -1].split(","))
    return (red / 255, green / 255, blue / 255, alpha[0] if alpha else 1.0)


def _write_notes(figure: "go.Figure", ax: "Axes", ink: str) -> None:
    """Labels that stand above the bars on a screen stand beside them on paper; other notes stay where they are."""
    notes = figure.layout.annotations or ()
    labels = [note for note in notes if note.xref == "paper"]
    if labels:
        texts = [textwrap.fill(_text(note.text), LABEL_WIDTH) for note in labels]
        ax.set_yticks([note.y for note in labels], texts, linespacing=CLOSE)
    for note in notes:
        if note.xref != "paper":
            color = ink if note.font.color in (None, GREY) else note.font.color
            ax.text(note.x, note.y, _text(note.text), ha="center", va="center", fontsize=SMALL, color=color)


def _few_numbers(ax: "Axes") -> None:
    """Have numbers under the figure stand apart, also when its axes become narrower: with sign and decimals they are wide."""
    from matplotlib.ticker import AutoLocator, MaxNLocator

    class FewNumbers(MaxNLocator):
        def __call__(self) -> Any:
            self.set_params(nbins=min(max(ax.xaxis.get_tick_space() // 2, 1), MOST_TICKS))
            return super().__call__()

    if isinstance(ax.xaxis.get_major_locator(), AutoLocator):
        ax.xaxis.set_major_locator(FewNumbers(steps=[1, 2, 2.5, 5, 10]))


def _dress(figure: "go.Figure", ax: "Axes", ink: str) -> None:
    layout = figure.layout
    room = _letters_beside(ax)
    ax.set_title(textwrap.fill(_text(layout.title.text or ""), room), fontsize=SMALL, loc="left", color=ink)
    ax.set_xlabel(textwrap.fill(_text(layout.xaxis.title.text or ""), room), fontsize=SMALL, color=ink)
    ax.set_ylabel(_text(layout.yaxis.title.text or ""), fontsize=SMALL, color=ink)
    ax.tick_params(labelsize=SMALLER, colors=ink)
    _few_numbers(ax)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(ink)
    grids = any(trace.type == "heatmap" for trace in figure.data)
    if (layout.yaxis.autorange == "reversed") != grids:  # a grid begins at the top by itself
        ax.invert_yaxis()
    for axis, name in ((ax.xaxis, "xaxis"), (ax.yaxis, "yaxis")):
        if layout[name].tickformat == ".0%":
            axis.set_major_formatter(lambda value, index: f"{value:.0%}")
        if layout[name].range is not None and not grids:
            (ax.set_xlim if name == "xaxis" else ax.set_ylim)(layout[name].range)
    if layout.xaxis.zeroline and layout.xaxis.zerolinewidth:
        ax.axvline(0, color=ink, linewidth=0.8)
    if layout.showlegend and any(trace.name for trace in figure.data):
        _place_legend(figure, ax, ink)


def _letters_beside(ax: "Axes") -> int:
    """How many letters of a title the axes are wide, without the labels on their left."""
    lines = [line for label in ax.get_yticklabels() for line in label.get_text().split("\n")]
    return max(NARROWEST, WIDEST - max(map(len, lines), default=0))


def _place_legend(figure: "go.Figure", ax: "Axes", ink: str) -> None:
    """Inside where it finds room; below the axes where bars would be covered."""
    style: dict[str, Any] = {"fontsize": SMALLER, "frameon": False, "labelcolor": ink}
    bars = sum(trace.type == "bar" for trace in figure.data)
    if bars > MOST_INSIDE:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, **style)
    else:
        ax.legend(loc="best", **style)


def _text(shown: object) -> str:
    """Text of a figure as it reads: its line breaks kept, its entities as characters, no formula in it."""
    return html.unescape(str(shown).replace("<br>", "\n")).replace("$", r"\$")


DRAWN = {"bar": _bar, "scatter": _line, "heatmap": _grid}
