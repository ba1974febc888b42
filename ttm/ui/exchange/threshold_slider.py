"""A slider for the decision threshold with the confusion matrix and the scores, beside the chat and in answers about it.

Every position is in the page, so that sliding asks nothing of the server.
"""

import json
from typing import Any, NamedTuple

from markupsafe import Markup

from backend.text.templates import Macros
from ttm.chat.conversation import Turn
from ttm.chat.instruments.threshold_scale import HUNDREDTHS, ThresholdScale, threshold_scale
from ttm.chat.session import ChatSession
from ttm.operations.scores.render import threshold_cells
from ttm.operations.scores.run import ClassScores, ThresholdScores, ThresholdTable

HTML = Macros(__file__)
ALL_ROWS = 0  # in place of the number of a turn


class MatrixCell(NamedTuple):
    """A count of rows, and its share of its true class, from 0 to 1."""

    rows: str
    share: float


class SliderPosition(NamedTuple):
    """A threshold as the slider, a person and the matrix show it."""

    step: int
    value: str
    matrix: list[list[MatrixCell]]


def slider(scale: ThresholdScale, value: float, turn: int = ALL_ROWS) -> Markup:
    """The slider at a threshold, about the rows that a turn was about, or all."""
    step = round(value * 100)
    positions = [_position(scale, index) for index in range(len(HUNDREDTHS))]
    cells = [threshold_cells(at) for at in scale.scores]
    # One list for each position: the value, each cell of the matrix with its share, and the scores, in the order of the page.
    table = [
        [at.value, [cell for row in at.matrix for cell in row], [text for _, text in scores]]
        for at, scores in zip(positions, cells, strict=True)
    ]
    default = threshold_cells(scale.default)
    return Markup(HTML("slider", scale, cells[step], positions[step], default, json.dumps(table, ensure_ascii=False), turn))


def _position(scale: ThresholdScale, index: int) -> SliderPosition:
    matrix: list[list[MatrixCell]] = []
    for row in scale.matrices[index].tolist():
        whole = sum(row) or 1
        matrix.append([MatrixCell(f"{count:,}", round(count / whole, 2)) for count in row])
    return SliderPosition(index, f"{HUNDREDTHS[index]:g}", matrix)


def slider_of_answer(session: ChatSession, turn: Turn) -> Markup | None:
    """The slider that belongs into the answer of a turn whose last result is about a threshold; None for other answers.

    Its scores are those of the answer's own table.
    """
    value = _asked(turn.results[-1]) if turn.results else None
    if value is None or len(turn.memory.groups) > 1:
        return None
    return slider(threshold_scale(session.loaded.engine, turn.memory), value, turn.number)


def _asked(result: Any) -> float | None:
    match result:
        case ThresholdScores(chosen=at):
            return at.threshold
        case ThresholdTable(current=current):
            return current
        case ClassScores(threshold=threshold):
            return threshold
    return None
