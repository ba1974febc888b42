"""The folder of a trained sequence-to-sequence model: which task of section 5 it was trained for, and the model itself."""

import json
from dataclasses import dataclass
from pathlib import Path

from backend.errors import InspiredError
from backend.models.sequence_models.opening import load
from backend.models.sequence_models.seam import SequenceModel

ABOUT = "task.json"


@dataclass(frozen=True)
class TrainedTask:
    """What a folder with a trained model says of it: which task, and which kinds and predicates it has seen."""

    task: str
    kinds: tuple[str, ...]
    predicates: tuple[str, ...]


def load_trained(folder: Path, task: str) -> tuple[SequenceModel, TrainedTask]:
    """A model that `train` has saved. Raises InspiredError if it was trained for something else, or not by `train`."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        trained = TrainedTask(about["task"], tuple(about["kinds"]), tuple(about["predicates"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InspiredError(f"{folder} holds no model that `python -m inspired train {task}` has saved.") from error
    if trained.task != task:
        raise InspiredError(f"{folder} holds a model for {trained.task}; one for {task} is needed.")
    return load(folder), trained
