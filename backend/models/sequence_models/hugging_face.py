"""Encoder-decoders of the Hugging Face hub (BART, T5 and the like), by name or from a folder, in float32.

Imports torch and transformers: import this file inside functions only.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.cache_utils import DynamicCache, EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput
from transformers.utils import logging

from backend.errors import LanguageModelError
from backend.models.sequence_models.seam import TextPair
from backend.models.sequence_models.torch_model import TorchModel

# BART was trained with 1,024 places; longer sources are cut.
_MOST_TOKENS = 1024


def load_hugging_face(name_or_folder: str) -> TorchModel:
    """An encoder-decoder with its tokenizer. HF_HUB_OFFLINE is honoured, as are the hub's own settings of the environment.

    Raises LanguageModelError when it cannot be fetched, does not load or is no encoder-decoder.
    """
    logging.disable_progress_bar()
    try:
        if not AutoConfig.from_pretrained(name_or_folder).is_encoder_decoder:
            raise LanguageModelError(f"{name_or_folder} is no encoder-decoder; BART and T5 are of that kind.")
        model = AutoModelForSeq2SeqLM.from_pretrained(name_or_folder, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(name_or_folder)
    except (OSError, ValueError, KeyError, TypeError, ImportError, RuntimeError) as error:
        there = Path(name_or_folder).is_dir()
        where = "this folder does not hold" if there else "it is neither on this computer nor to be fetched as"
        raise LanguageModelError(
            f"{name_or_folder} cannot be used: {where} a sequence-to-sequence model with its tokenizer "
            f"({type(error).__name__}). Valid are a hub name such as facebook/bart-base, a folder, lstm and transformer."
        ) from error
    return hugging_face_model(name_or_folder, model, tokenizer)


def hugging_face_model(name: str, model: Any, tokenizer: Any) -> TorchModel:
    """The seam around a model and a tokenizer that are in memory."""
    coder = HuggingFaceCoder(model, tokenizer)

    def write(folder: Path) -> None:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)

    return TorchModel(name, HuggingFaceNetwork(model, coder.pad), coder, write, coder.learn_marks)


class HuggingFaceCoder:
    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.pad = int(tokenizer.pad_token_id)
        self.end = int(tokenizer.eos_token_id)
        start = model.config.decoder_start_token_id
        self.start = int(tokenizer.pad_token_id if start is None else start)

    def encode_source(self, text: str) -> list[int]:
        return [int(each) for each in self.tokenizer(text, truncation=True, max_length=_MOST_TOKENS).input_ids]

    def encode_target(self, text: str) -> list[int]:
        return [int(each) for each in self.tokenizer(text_target=text, truncation=True, max_length=_MOST_TOKENS).input_ids]

    def decode(self, tokens: Sequence[int]) -> str:
        """Words that were added to the tokenizer stand alone, whatever it would glue them to."""
        added = set(self.tokenizer.get_added_vocab().values()) - set(self.tokenizer.all_special_ids)
        runs = groupby(tokens, key=lambda token: token if token in added else None)
        texts = [self.tokenizer.decode(list(run), skip_special_tokens=True) for _, run in runs]
        return re.sub(r"\s+", " ", " ".join(texts)).strip()

    def learn_marks(self, pairs: Sequence[TextPair]) -> None:
        """Add to the tokenizer the words of targets that it cannot spell: T5 was made without {, <, ^ and `."""
        words = sorted({word for pair in pairs for word in pair.target.split()})
        missing = [each for each in words if self.tokenizer.unk_token_id in self.tokenizer(each).input_ids]
        if missing and self.tokenizer.add_tokens(missing):
            self.model.resize_token_embeddings(len(self.tokenizer), mean_resizing=False)


@dataclass
class HuggingFaceState:
    hidden: Tensor
    mask: Tensor
    cache: Any


class HuggingFaceNetwork(nn.Module):
    def __init__(self, model: Any, pad: int) -> None:
        super().__init__()
        self.model, self.pad = model, pad

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        output = self.model(input_ids=source, attention_mask=source != self.pad, decoder_input_ids=target, use_cache=False)
        logits: Tensor = output.logits
        return logits

    def encode(self, source: Tensor) -> HuggingFaceState:
        mask = source != self.pad
        hidden = self.model.get_encoder()(input_ids=source, attention_mask=mask).last_hidden_state
        return HuggingFaceState(hidden, mask, EncoderDecoderCache(DynamicCache(), DynamicCache()))

    def step(self, state: HuggingFaceState, parents: Tensor, tokens: Tensor) -> tuple[Tensor, HuggingFaceState]:
        """Logits (rows, vocabulary) after one token more for each row; row i continues row `parents[i]`."""
        rows = torch.arange(state.hidden.shape[0], device=parents.device)
        if not torch.equal(parents, rows):
            state.hidden, state.mask = state.hidden[parents], state.mask[parents]
            if state.cache.get_seq_length():
                state.cache.batch_select_indices(parents)
        output = self.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=state.hidden),
            attention_mask=state.mask,
            decoder_input_ids=tokens[:, None],
            past_key_values=state.cache,
            use_cache=True,
        )
        return output.logits[:, -1], HuggingFaceState(state.hidden, state.mask, output.past_key_values)
