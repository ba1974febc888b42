"""`ttm.load`: a chat that was kept in a folder, opened again."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backend.errors import DatasetError, ModelError
from ttm.chat.catalogue import loaded_from
from ttm.chat.interface.chat import ModelChat
from ttm.chat.interface.saving import MODEL, QUESTIONS
from ttm.language.grammar import grammar_of
from ttm.parsers import DEFAULT
from ttm.tabular.data.dataset import CONFIG_FILE, load_dataset
from ttm.tabular.data.frame_table import frame_table
from ttm.tabular.model.model_file import model_from_estimator, read_estimator
from ttm.tabular.model.own_model import columns_read, model_in_memory
from ttm.tabular.subject import Subject


def load(
    folder: str | Path, model: Any = None, *, trusted_types: Sequence[str] = (), parser: str = DEFAULT, seed: int = 0
) -> ModelChat:
    """Open a chat that `ModelChat.save` kept: its questions are answered again, as they were understood then.

    Args:
        folder: Where it was saved.
        model: The model in memory, in place of the one in the folder.
        trusted_types: Types in the model file that you trust, such as "sklearn.tree._tree.Tree".
        parser: How questions are understood.
        seed: Start of every random draw.

    Returns:
        The chat, with its conversation.

    Raises:
        DatasetError: The folder holds no chat.
        ModelError: The model file holds types that are not trusted; the message names them.
        SettingsError: There is no such parser.
    """
    folder = Path(folder)
    if not (folder / CONFIG_FILE).is_file():
        raise DatasetError(f"The folder {folder} holds no {CONFIG_FILE}; give one that chat.save(folder) wrote.")
    chat = ModelChat(loaded_from(_subject(folder, model, trusted_types), parser, None, seed))
    for utterance, parse in _kept(folder / QUESTIONS):
        chat.session.conversation.ask_parse(grammar_of(chat.schema).read(parse), utterance)
    return chat


def _subject(folder: Path, model: Any, trusted: Sequence[str]) -> Subject:
    if model is not None:
        dataset = load_dataset(folder, columns_read(model, []))
        return Subject(dataset, model_in_memory(model, dataset, frame_table(dataset.frame)))
    estimator = trusted_estimator(folder / MODEL, trusted)
    dataset = load_dataset(folder)
    return Subject(dataset, model_from_estimator(estimator, folder / MODEL, dataset.schema))


def trusted_estimator(path: Path, trusted: Sequence[str]) -> Any:
    """The model of a file. Raises ModelError, which says how a call in Python allows what the file holds."""
    try:
        return read_estimator(path, trusted)
    except ModelError as error:
        listed = error.message.rpartition("--trusted-types ")[2].split(",")
        if "--trusted-types " not in error.message:
            raise
        known = f"trusted_types={listed!r}"
        raise ModelError(error.message.replace(f"--trusted-types {','.join(listed)}", known)) from error


def _kept(file: Path) -> list[tuple[str, str]]:
    try:
        return [(str(one["utterance"]), str(one["parse"])) for one in json.loads(file.read_text("utf-8"))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{file} holds no questions of a chat: {error}.") from error
