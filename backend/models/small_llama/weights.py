"""The weights of the packaged SmolLM2 with a low-rank adapter added, as 8-bit integers, and its tokenizer.

Both come from the GGUF file of the package. An adapter (LoRA, Hu et al. 2021) changes each matrix W to W + 2 B A.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError
from backend.models.embeddings.mapped_weights import MappedWeights
from backend.program import freed_memory

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats = npt.NDArray[np.float32]

LAYERS, HEADS, KEY_HEADS = 30, 9, 3
# Our names of the matrices of a layer, and those of the file.
MATRICES = {
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "o": "attn_output",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}
SCALED = 2.0  # what the product of the two matrices of an adapter is multiplied by
GROUP = 32  # numbers of an adapter with one scale
LIST_HEADER = struct.Struct("<IQ")  # of a list in a GGUF file: the kind of its items and their number
TEXT_HEADER = struct.Struct("<Q")  # of a text there: its length in bytes
HALF = 8  # added to a number of four bits, so that it is not negative


@dataclass(frozen=True)
class Matrix8:
    """A matrix (out, in) as 8-bit integers with one scale a row."""

    values: npt.NDArray[np.int8]
    scale: Floats

    def rows(self, indexes: npt.NDArray[np.int64]) -> Floats:
        return np.asarray(self.values[indexes] * self.scale[indexes, None], np.float32)


@dataclass(frozen=True)
class LlamaWeights:
    """`embedding` (vocabulary, d); of each layer its matrices by our names and its norms (2, d); `last` (d,): another norm."""

    embedding: Matrix8
    layers: tuple[Mapping[str, Matrix8], ...]
    norms: tuple[Floats, ...]
    last: Floats


@dataclass(frozen=True)
class BaseWeights:
    """The matrices of a GGUF file as numbers, read when they are asked for."""

    tensors: Mapping[str, Any]
    tokenizer: "Tokenizer"
    layers: int = LAYERS

    def embedding(self) -> Floats:
        return _numbers(self.tensors["token_embd.weight"])

    def matrix(self, layer: int, name: str) -> Floats:
        """`name` is one of MATRICES."""
        matrix = _numbers(self.tensors[f"blk.{layer}.{MATRICES[name]}.weight"])
        return _halves(matrix, HEADS if name == "q" else KEY_HEADS) if name in ("q", "k") else matrix

    def norms(self, layer: int) -> tuple[Floats, Floats]:
        """Those before attention and before the inner layer."""
        first, second = (_numbers(self.tensors[f"blk.{layer}.{name}_norm.weight"]) for name in ("attn", "ffn"))
        return first, second

    def last_norm(self) -> Floats:
        return _numbers(self.tensors["output_norm.weight"])


def open_base(path: Path) -> BaseWeights:
    """The matrices and the tokenizer of a GGUF file.

    Lists of texts, as of a tokenizer's tokens, are read here: the library makes two arrays of each text, which takes 4 s and
    160 MB for 98,000 of them.
    """
    from gguf import GGUFReader, GGUFValueType

    class Reader(GGUFReader):
        def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
            start = orig_offs + LIST_HEADER.size
            data = self.data.data
            kind, count = LIST_HEADER.unpack_from(data, orig_offs) if raw_type == GGUFValueType.ARRAY else (None, 0)
            if kind != GGUFValueType.STRING:
                return super()._get_field_parts(orig_offs, raw_type)
            texts, end = _texts(data, start, count)
            return end - orig_offs, texts, list(range(count)), [GGUFValueType.ARRAY, GGUFValueType.STRING]

    reader = Reader(path)
    return BaseWeights({one.name: one for one in reader.tensors}, _tokenizer(reader.fields))


def _texts(data: memoryview, start: int, count: int) -> tuple[list[bytes], int]:
    """So many texts of a GGUF file, each after its length in bytes, and where they end."""
    texts: list[bytes] = []
    for _ in range(count):
        (length,) = TEXT_HEADER.unpack_from(data, start)
        start += TEXT_HEADER.size + length
        texts.append(bytes(data[start - length : start]))
    return texts, start


def read_llama(base: BaseWeights, adapter: Path) -> LlamaWeights:
    """The weights with those of an adapter. Raises LanguageModelError if one does not fit the other."""
    weights = _with_adapter(base, adapter)
    freed_memory.give_back()
    return weights


def _with_adapter(base: BaseWeights, adapter: Path) -> LlamaWeights:
    own = read_adapter(adapter)

    def adapted(at: int, name: str) -> Matrix8:
        key = f"layers.{at}.{name}"
        return _quantised(base.matrix(at, name) + SCALED * (own[f"{key}.b"] @ own[f"{key}.a"]))

    try:
        layers = tuple({name: adapted(at, name) for name in MATRICES} for at in range(base.layers))
        norms = tuple(np.stack([own[f"layers.{at}.n1.weight"], own[f"layers.{at}.n2.weight"]]) for at in range(base.layers))
        return LlamaWeights(_quantised(base.embedding()), layers, norms, own["norm.weight"])
    except (KeyError, ValueError) as error:
        raise LanguageModelError(f"{adapter.name} is no adapter of the language model: {error}") from error


def _tokenizer(fields: Mapping[str, Any]) -> "Tokenizer":
    """The byte-level tokenizer of a GGUF file, which neither pads nor truncates."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    tokens, merges = (_strings(fields[f"tokenizer.ggml.{name}"]) for name in ("tokens", "merges"))
    pairs = [(left, right) for left, right in (one.split(" ") for one in merges)]
    tokenizer = Tokenizer(BPE({token: at for at, token in enumerate(tokens)}, pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _strings(field: Any) -> list[str]:
    return [bytes(field.parts[at]).decode("utf-8") for at in field.data]


def read_adapter(path: Path) -> dict[str, Floats]:
    """The matrices of an adapter, which were stored as `packed` writes them, and norms. Raises LanguageModelError."""
    stored: Mapping[str, npt.NDArray[Any]] = MappedWeights(path)
    numbers = {
        name: value.astype(np.float32) for name, value in stored.items() if value.dtype == np.float16 and ":" not in name
    }
    for name, value in stored.items():
        if name.endswith(":packed"):
            key = name.removesuffix(":packed")
            pairs = np.stack([value & 15, value >> 4], axis=-1).reshape(-1, GROUP).astype(np.float32) - HALF
            shape = tuple(stored[f"{key}:shape"].tolist())
            numbers[key] = (pairs * stored[f"{key}:scale"].astype(np.float32)[:, None]).reshape(shape)
    return numbers


def packed(name: str, matrix: Floats) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """A matrix of an adapter as numbers of four bits, GROUP of them with one scale."""
    groups = matrix.reshape(-1, GROUP)
    scale = (np.abs(groups).max(axis=1) / (HALF - 1)).astype(np.float16)
    scale[scale == 0] = 1
    whole = np.clip(np.round(groups / scale.astype(np.float32)[:, None]), 1 - HALF, HALF - 1).astype(np.int8) + HALF
    pairs = whole.reshape(-1, 2).astype(np.uint8)
    yield f"{name}:packed", pairs[:, 0] | (pairs[:, 1] << 4)
    yield f"{name}:scale", scale
    yield f"{name}:shape", np.array(matrix.shape, np.int64)


def _numbers(tensor: Any) -> Floats:
    from gguf import dequantize

    return np.asarray(dequantize(np.asarray(tensor.data), tensor.tensor_type), np.float32)


def _halves(matrix: Floats, heads: int) -> Floats:
    """Rows as the rotation of positions wants them: the file has the two halves of each head interleaved."""
    size = len(matrix) // heads
    return np.ascontiguousarray(matrix.reshape(heads, size // 2, 2, -1).swapaxes(1, 2).reshape(matrix.shape))


def _quantised(matrix: Floats) -> Matrix8:
    """The matrix, which is written over."""
    scale = np.maximum(matrix.max(axis=1), -matrix.min(axis=1)) / 127
    scale[scale == 0] = 1
    matrix /= scale[:, None]
    return Matrix8(np.rint(matrix, out=matrix).astype(np.int8), scale.astype(np.float32))
