"""What guiding costs: the seconds that compiling a grammar and making masks take, of those that generation takes.

All are taken from one guided run: a run without a guide writes other texts of other lengths, so its time says nothing.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from backend.models.guided_decoding.guidance import GuidedVocabulary, allowed_by
from backend.models.guided_decoding.token_texts import of_tokenizer, of_vocabulary
from backend.models.language_models.seam import Guide
from backend.models.sequence_models.seam import BEAM, BeamSearch

if TYPE_CHECKING:
    from backend.models.language_models.hugging_face import TransformersModel
    from backend.models.sequence_models.torch_model import TorchModel


@dataclass(frozen=True)
class Overhead:
    """Seconds for all prompts together. `compiling` so many `grammars` and making so many `masks` are part of `generating`;
    what is made once for a vocabulary (`wrapping`) is not."""

    wrapping: float
    compiling: float
    masking: float
    generating: float
    grammars: int
    masks: int

    @property
    def share(self) -> float:
        return (self.compiling + self.masking) / self.generating if self.generating else 0.0


def measure_language_model(
    model: "TransformersModel", grammars: Sequence[str], prompts: Sequence[str], most_tokens: int = 120
) -> Overhead:
    """A causal model; each prompt is continued by a sentence of its own grammar, compiled each time, as numbers are new."""
    model.complete(prompts[0], max_tokens=1)  # loads the model
    started = time.perf_counter()
    model.complete(prompts[0], max_tokens=1, guide=Guide("lark", 'start: "a"\n'))
    wrapping = time.perf_counter() - started
    assert model.vocabulary is not None

    def run() -> None:
        for grammar, prompt in zip(grammars, prompts, strict=True):
            model.complete(prompt, max_tokens=most_tokens, guide=Guide("lark", grammar))

    return _measured(model.vocabulary, run, wrapping)


def measure_sequence_model(
    model: "TorchModel", grammars: Sequence[str], sources: Sequence[str], search: BeamSearch = BEAM
) -> Overhead:
    """A sequence-to-sequence model, one source after the other by beam search."""
    started, coder = time.perf_counter(), model.coder
    tokenizer: Any = getattr(coder, "tokenizer", None)
    known: Any = coder
    vocabulary = GuidedVocabulary(of_vocabulary(known) if tokenizer is None else of_tokenizer(tokenizer, (coder.end,), True))
    wrapping = time.perf_counter() - started

    def run() -> None:
        for grammar, source in zip(grammars, sources, strict=True):
            model.generate([source], search.beams, search, allowed_by([vocabulary.guidance(grammar)]))

    return _measured(vocabulary, run, wrapping)


def _measured(vocabulary: GuidedVocabulary, run: Callable[[], None], wrapping: float) -> Overhead:
    before = replace(vocabulary.spent)
    started = time.perf_counter()
    run()
    generating = time.perf_counter() - started
    spent = vocabulary.spent
    compiling, masking = spent.compiling - before.compiling, spent.masking - before.masking
    grammars, masks = spent.grammars - before.grammars, spent.masks - before.masks
    return Overhead(wrapping, compiling, masking, generating, grammars, masks)
