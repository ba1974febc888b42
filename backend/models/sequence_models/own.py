"""Our two models on disk and in memory: `sequence_model.json`, `vocabulary.json`, `weights.safetensors` in a folder.

Imports torch: import this file inside functions only.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_model, save_model
from torch import nn

from backend.errors import LanguageModelError
from backend.models.sequence_models.attention_lstm import AttentionLstm, LstmSizes
from backend.models.sequence_models.seam import TextPair
from backend.models.sequence_models.small_transformer import SmallTransformer, TransformerSizes
from backend.models.sequence_models.torch_model import TorchModel
from backend.models.sequence_models.vocabulary import ModelVocabulary, read_vocabulary, vocabulary_of

Sizes = LstmSizes | TransformerSizes
DESCRIPTION, VOCABULARY, WEIGHTS = "sequence_model.json", "vocabulary.json", "weights.safetensors"
SIZES: dict[str, type[LstmSizes] | type[TransformerSizes]] = {"lstm": LstmSizes, "transformer": TransformerSizes}


def new_own_model(kind: str, pairs: Sequence[TextPair], seed: int = 0, sizes: Sizes | None = None) -> TorchModel:
    """An untrained model with the words of `pairs`; `kind` is one of `SIZES`. The same seed gives the same weights."""
    vocabulary = vocabulary_of((each.source for each in pairs), (each.target for each in pairs))
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = _network(sizes or SIZES[kind](), len(vocabulary))
    return _model(kind, network, vocabulary, sizes or SIZES[kind]())


def load_own_model(folder: Path) -> TorchModel:
    """Raises LanguageModelError for a folder that none of our models was saved to."""
    try:
        description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        sizes = SIZES[description["kind"]](**description["sizes"])
        vocabulary = read_vocabulary(folder / VOCABULARY)
        network = _network(sizes, len(vocabulary))
        load_model(network, folder / WEIGHTS)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise LanguageModelError(f"{folder} is not a whole sequence model of Parley: {error}") from error
    return _model(description["kind"], network, vocabulary, sizes)


def _network(sizes: Sizes, words: int) -> nn.Module:
    return AttentionLstm(words, sizes) if isinstance(sizes, LstmSizes) else SmallTransformer(words, sizes)


def _model(kind: str, network: nn.Module, vocabulary: ModelVocabulary, sizes: Sizes) -> TorchModel:
    def write(folder: Path) -> None:
        save_model(network, str(folder / WEIGHTS))
        (folder / WEIGHTS).chmod(0o644)
        vocabulary.save(folder / VOCABULARY)
        description = {"kind": kind, "sizes": asdict(sizes)}
        (folder / DESCRIPTION).write_text(json.dumps(description, indent=1), encoding="utf-8")

    return TorchModel(kind, network, vocabulary, write)
