"""The evidence that a ranking was fitted on, as a file, so that lines can be added without reading the corpus again."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from backend.errors import DatasetError
from ttm.lab.learning.ranking.fitting import WeighedTurn
from ttm.parsers.learned.evidence import FEATURES, MESSAGE_FEATURES


def write_evidence(path: Path, turns: Sequence[WeighedTurn]) -> None:
    np.savez_compressed(
        path,
        names=np.array([*FEATURES, *MESSAGE_FEATURES]),
        counts=np.array([len(turn.fair) for turn in turns], np.int16),
        features=np.concatenate([turn.features for turn in turns]).astype(np.float16),
        fair=np.concatenate([turn.fair for turn in turns]).astype(bool),
        messages=np.stack([turn.message for turn in turns]).astype(np.float16),
        authors=np.array([turn.author for turn in turns]),
        weights=np.array([turn.weight for turn in turns], np.float32),
    )


def read_evidence(path: Path) -> list[WeighedTurn]:
    """Raises DatasetError where there is none, or it was made by another version of the parser."""
    try:
        with np.load(path) as stored:
            parts = {name: stored[name] for name in stored.files}
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path} holds no evidence of a ranking; `python -m ttm learn --only-ranking` makes it.") from error
    if list(parts["names"]) != [*FEATURES, *MESSAGE_FEATURES]:
        raise DatasetError(f"{path} was made by another version; `python -m ttm learn --only-ranking` makes it again.")
    ends = np.cumsum(parts["counts"].astype(int))
    starts = ends - parts["counts"]
    return [
        WeighedTurn(
            parts["features"][start:end].astype(np.float64), message.astype(np.float64),
            parts["fair"][start:end].astype(np.float64), str(author), float(weight),
        )
        for start, end, message, author, weight in zip(
            starts, ends, parts["messages"], parts["authors"], parts["weights"], strict=True
        )
    ]  # fmt: skip
