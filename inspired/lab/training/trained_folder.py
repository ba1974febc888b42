"""The folder of a trained model as `predict` needs it: also of one that was trained with less context than is usual."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.errors import InspiredError
from backend.models.sequence_models.opening import load
from backend.models.sequence_models.seam import SequenceModel
from inspired.lab.training.contexts import CONTEXTS, USUAL
from inspired.parsers.trained_task import ABOUT


@dataclass(frozen=True)
class TrainedFolder:
    """`model` is what training began with, such as lstm or facebook/bart-base; `run` is a digest of the whole training."""

    folder: Path
    task: str
    context: str
    model: str
    kinds: tuple[str, ...]
    predicates: tuple[str, ...]
    run: str

    def load(self) -> SequenceModel:
        """Raises LanguageModelError as `backend.models.sequence_models.opening.load` does."""
        return load(self.folder)


def read_trained_folder(folder: Path) -> TrainedFolder:
    """What `train` has written about a model. Raises InspiredError where it has not."""
    try:
        text = (folder / ABOUT).read_text(encoding="utf-8")
        about: dict[str, Any] = json.loads(text)
        task = str(about["task"]).partition(" ")[0]
        context = str(about.get("context", USUAL[task]))
        kinds, predicates = tuple(map(str, about["kinds"])), tuple(map(str, about["predicates"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InspiredError(f"{folder} holds no model that `python -m inspired train` has saved.") from error
    if context != USUAL[task] and context not in CONTEXTS[task]:
        raise InspiredError(f"{folder} was trained with the context {context}, which {task} does not have.")
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return TrainedFolder(folder, task, context, str(about.get("model", folder.name)), kinds, predicates, digest)


def first_model(name: str) -> str:
    """The model that training began with, where `name` may be a folder of an earlier training."""
    about = Path(name) / ABOUT
    return read_trained_folder(Path(name)).model if about.is_file() else name
