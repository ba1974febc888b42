"""The weights of the decoder and the words that it writes, as files beside the weights of the encoder and its heads."""

import threading
from pathlib import Path

from ttm.parsers.learned.decoder.parse_decoder import ParseDecoder
from ttm.parsers.learned.encoder.network import LEARNED, read_weights

_LOCK = threading.Lock()
_KNOWN: dict[tuple[Path, int], ParseDecoder] = {}


def decoder(weights: Path = LEARNED) -> ParseDecoder:
    """The decoder that belongs to a file of weights, read again when its own has changed."""
    path = decoder_file(weights)
    key = (path, path.stat().st_mtime_ns)
    with _LOCK:
        if key not in _KNOWN:
            _KNOWN.clear()
            _KNOWN[key] = ParseDecoder(read_weights(path), read_words(weights))
        return _KNOWN[key]


def decoder_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_decoder.safetensors")


def words_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_words.txt")


def read_words(weights: Path) -> tuple[str, ...]:
    """The words that the decoder can write, in the order of its symbols."""
    return tuple(words_file(weights).read_text(encoding="utf-8").split())


def write_words(weights: Path, words: tuple[str, ...]) -> None:
    words_file(weights).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
