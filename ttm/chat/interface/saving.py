"""A chat in a folder: its table, what was stated about it, its model as skops, and the questions with their parses.

The folder is a data set folder like any other (docs/reference/dataset-folder.md), so the app opens it too.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import DatasetError, ModelError
from ttm.chat.session import ChatSession
from ttm.tabular.data.dataset import CONFIG_FILE, Dataset
from ttm.tabular.data.schema import FeatureKind, Schema
from ttm.tabular.model.model_file import save_model
from ttm.tabular.model.own_model import OwnModel

if TYPE_CHECKING:
    import pandas as pd

DATA, TRAIN, MODEL, QUESTIONS = "data.csv", "train.csv", "model.skops", "questions.json"
ROW_ID = "row id"


def save(session: ChatSession, folder: Path) -> Path:
    """Write the folder, made if it is missing. Raises ModelError for a model that skops cannot keep."""
    subject = session.loaded.subject
    if isinstance(subject.model.estimator, OwnModel):
        raise ModelError(
            f"{subject.model.name} cannot be kept in a file from which no code runs. Keep the function in your program and "
            "the conversation by chat.export('chat.json')."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_data(subject.dataset, folder)
        save_model(subject.model, folder / MODEL)
        (folder / QUESTIONS).write_text(json.dumps(_questions(session), indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise DatasetError(f"Cannot write {folder}: {error.strerror or error}.") from error
    return folder


def _questions(session: ChatSession) -> list[dict[str, str]]:
    return [{"utterance": turn.utterance, "parse": str(turn.parse)} for turn in session.turns if turn.parse is not None]


def _write_data(dataset: Dataset, folder: Path) -> None:
    with_labels(dataset.frame, dataset.labels, dataset.schema).to_csv(folder / DATA, index_label=ROW_ID)
    own = dataset.labels is not None and dataset.train_frame.index.isin(dataset.frame.index).all()
    if not own:
        with_labels(dataset.train_frame, dataset.train_labels, dataset.schema).to_csv(folder / TRAIN, index_label=ROW_ID)
    (folder / CONFIG_FILE).write_text(_config(dataset.schema, with_train=not own), "utf-8")


def with_labels(frame: "pd.DataFrame", labels: Any, schema: Schema) -> "pd.DataFrame":
    """The features and, as the last column, the outcome where it is known."""
    target = schema.target
    if labels is None:
        return frame.copy()
    values: Any = (
        [target.class_values[int(one)] if one >= 0 else None for one in labels] if target.is_classification else labels
    )
    return frame.assign(**{target.name: values})


def _config(schema: Schema, with_train: bool) -> str:
    """A `dataset.toml` that states all that is known, so that nothing is inferred again. JSON texts are TOML texts too."""
    target = schema.target
    stated: dict[str, Any] = {"data": DATA, "target": target.name, "model": MODEL, "id": ROW_ID, "title": schema.title,
                              "objective": schema.objective, "entity": schema.entity}  # fmt: skip
    stated |= {"train": TRAIN} if with_train else {}
    stated |= {"classes": list(target.classes)} if target.is_classification else {"task": "regression"}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in stated.items()]
    for feature in schema.features:
        lines += ["", f"[features.{json.dumps(feature.name, ensure_ascii=False)}]"]
        kept: dict[str, Any] = {"kind": feature.kind.value, "definition": feature.definition, "unit": feature.unit,
                                "synonyms": list(feature.synonyms), "mutable": feature.mutable, "range": feature.range,
                                "direction": feature.direction.value}  # fmt: skip
        kept |= {"precision": feature.precision} if feature.kind is FeatureKind.NUMERIC else {}
        lines += [
            f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in kept.items() if value or key == "mutable"
        ]
    return "\n".join(lines) + "\n"
