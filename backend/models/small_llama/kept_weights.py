"""The language model as it is once an adapter was added, kept in a file of the hub's folder of assets.

Adding an adapter takes seconds and twice the memory at each start; 134 MB in a file are there at once, and the system shares
them between all processes. `HF_HOME` or `HF_ASSETS_CACHE` says where the folder lies; what cannot be written is not kept.
"""

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError
from backend.models.embeddings.mapped_weights import MappedWeights
from backend.models.small_llama.weights import MATRICES, LlamaWeights, Matrix8

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER, EMBEDDING, LAST = "tokenizer", "embedding", "last"
Merged = tuple[LlamaWeights, "Tokenizer"]

log = logging.getLogger(__name__)


def kept(key: str, merge: Callable[[], Merged]) -> Merged:
    """What `merge` gives, from the file that an earlier start left under `key`, letters and digits; otherwise it is left now.

    Only the last key is kept. A file that is damaged is written again.
    """
    try:
        file = _folder() / f"{key}.safetensors"
    except (OSError, ValueError):  # as on a read-only disk
        return merge()
    with suppress(OSError, LanguageModelError, KeyError, ValueError):
        return _read(MappedWeights(file))
    from safetensors import SafetensorError

    weights, tokenizer = merge()
    try:
        _write(file, weights, tokenizer)
    except (OSError, SafetensorError) as error:
        log.info("The language model could not be kept in %s: %s", file.parent, error)
    return weights, tokenizer


def _folder() -> Path:
    from huggingface_hub import cached_assets_path

    return cached_assets_path("parley", "language-model")


def _read(arrays: Mapping[str, npt.NDArray[Any]]) -> Merged:
    from tokenizers import Tokenizer

    def matrix(name: str) -> Matrix8:
        return Matrix8(arrays[name], arrays[f"{name}.scale"])

    count = sum(name.endswith(".norms") for name in arrays)
    layers = tuple({name: matrix(f"{at}.{name}") for name in MATRICES} for at in range(count))
    norms = tuple(np.array(arrays[f"{at}.norms"]) for at in range(count))
    tokenizer = Tokenizer.from_str(arrays[TOKENIZER].tobytes().decode())
    return LlamaWeights(matrix(EMBEDDING), layers, norms, np.array(arrays[LAST])), tokenizer


def _write(file: Path, weights: LlamaWeights, tokenizer: "Tokenizer") -> None:
    """Write in one step, so that who reads meanwhile gets all or nothing, and remove what earlier versions left."""
    from safetensors.numpy import save_file

    matrices = {EMBEDDING: weights.embedding}
    matrices |= {f"{at}.{name}": matrix for at, layer in enumerate(weights.layers) for name, matrix in layer.items()}
    arrays: dict[str, npt.NDArray[Any]] = {name: matrix.values for name, matrix in matrices.items()}
    arrays |= {f"{name}.scale": matrix.scale for name, matrix in matrices.items()}
    arrays |= {f"{at}.norms": norms for at, norms in enumerate(weights.norms)}
    arrays |= {LAST: weights.last, TOKENIZER: np.frombuffer(tokenizer.to_str().encode(), np.uint8)}
    partial = file.with_name(f"{file.stem}.{os.getpid()}.part")
    try:
        save_file(arrays, partial)
        os.replace(partial, file)
    finally:
        partial.unlink(missing_ok=True)
    for other in file.parent.glob("*.safetensors"):
        if other != file:
            with suppress(OSError):  # another process has it open, on Windows
                other.unlink()
