"""Going on from weights that were learned before; needs torch."""

from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ttm.parsers.learned.decoder.decoder_file import decoder_file, read_words
from ttm.parsers.learned.encoder.network import read_weights

if TYPE_CHECKING:
    from ttm.lab.learning.training import Heads

BY_WORD = ("decoder.word.weight", "decoder.to_word.weight", "decoder.to_word.bias")  # a row for each word


def start_from(model: "Heads", path: Path, words: tuple[str, ...]) -> None:
    """Take the weights of a file into a model that writes `words`; those of words that are new stay as they are."""
    stored = {**read_weights(path), **read_weights(decoder_file(path))}
    before = {word: row for row, word in enumerate(read_words(path))}
    known = [(row, before[word]) for row, word in enumerate(words) if word in before]
    state = model.state_dict()
    for name, value in stored.items():
        own, read = state[name], torch.from_numpy(value)
        if name in BY_WORD:
            for row, other in known:
                own[row] = read[other]
        else:
            own.copy_(read.reshape(own.shape))
