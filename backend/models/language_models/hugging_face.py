"""Causal language models of the Hugging Face hub, by name or from a folder, run by transformers in this process.

Greedy whatever the model's own settings say. Calls that wait at the same time are answered in batches, and what their
prompts have in common with an earlier one is computed once. Imports torch and transformers when first asked.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from backend.errors import LanguageModelError
from backend.models.language_models.greedy import Prompt, decode_greedily, ends_of
from backend.models.language_models.prompt_cache import PromptCache, shared_length
from backend.models.language_models.seam import Guide, Message, Reply
from backend.program.extras import require

if TYPE_CHECKING:
    from backend.models.guided_decoding import GuidedVocabulary

Dtype = Literal["float32", "bfloat16"]
# Batches of 16 were slower on two cores.
BATCH = 4
# What the calls of a round need to arrive, in seconds.
GATHERING = 0.005


@dataclass(eq=False)
class _Asked:
    prompt: str
    max_tokens: int
    stop: tuple[str, ...]
    is_chat: bool
    grammar: str | None = None
    reply: Reply | None = None
    problem: str = ""

    @property
    def finished(self) -> bool:
        return self.reply is not None or bool(self.problem)


class TransformersModel:
    """`load` gives the model and its tokenizer, at the first call.

    With `deterministic` each prompt is computed alone and from scratch, so that a reply depends on it alone; else sums are
    made in another order, which may change a reply in rare cases.
    """

    def __init__(self, name: str, load: Callable[[], tuple[Any, Any]], deterministic: bool = False, batch: int = BATCH) -> None:
        self.name = name
        self._load, self._batch = load, 1 if deterministic else batch
        self._cache = None if deterministic else PromptCache()
        self._gathering, self._turn = threading.Lock(), threading.Lock()
        self._waiting: list[_Asked] = []
        self._loaded: tuple[Any, Any] | None = None
        self.vocabulary: GuidedVocabulary | None = None  # what guides apply to, from the first guided call on
        self.batches = 0

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        with self._turn:
            _, tokenizer = self._ready()
        if tokenizer.chat_template is None:
            raise LanguageModelError(f"{self.name} has no chat template: it can continue a text, but not hold a conversation.")
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            prompt = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # a template is a program of its own, and refuses roles in its own ways
            raise LanguageModelError(f"The chat template of {self.name} does not take this conversation: {error}.") from error
        return self._asked(_Asked(prompt, max_tokens, tuple(stop), is_chat=True), guide)

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        return self._asked(_Asked(prompt, max_tokens, tuple(stop), is_chat=False), guide)

    def _asked(self, asked: _Asked, guide: Guide | None) -> Reply:
        if guide is not None and guide.way != "lark":
            raise LanguageModelError(
                f"{self.name} runs through transformers, which cannot hold replies to a guide of the kind {guide.way}; "
                "valid is lark, or none."
            )
        asked.grammar = guide.text if guide else None
        started = time.perf_counter()
        with self._gathering:
            self._waiting.append(asked)
        with self._turn:  # the first caller also answers for others that wait
            if not asked.finished:
                time.sleep(GATHERING if self._batch > 1 else 0)
                self._answer(self._taken(asked))
        if asked.reply is None:
            raise LanguageModelError(asked.problem)
        return replace(asked.reply, seconds=time.perf_counter() - started)

    def _taken(self, first: _Asked) -> list[_Asked]:
        """`first`, and those that wait and begin like it for at least half of its length."""
        with self._gathering:
            others = [each for each in self._waiting if each is not first]
            near = [each for each in others if 2 * shared_length(each.prompt, first.prompt) >= len(first.prompt)]
            taken = [first, *near[: self._batch - 1]]
            self._waiting = [each for each in self._waiting if each not in taken]
        return taken

    def _answer(self, taken: list[_Asked]) -> None:
        try:
            model, tokenizer = self._ready()
            prompts = [self._prompt(each, tokenizer, model) for each in taken]
            whole = [(each, prompt) for each, prompt in zip(taken, prompts, strict=True) if prompt is not None]
            if whole:
                self.batches += 1
                known, written = decode_greedily(model, tokenizer, [prompt for _, prompt in whole], self._cache)
                for (each, prompt), wrote in zip(whole, written, strict=True):
                    length, log_probability = len(prompt.tokens), wrote.log_probability
                    each.reply = Reply(wrote.text, length, wrote.tokens, cached_tokens=known, log_probability=log_probability)
        except LanguageModelError as error:
            for each in taken:
                each.problem = error.message
        except (RuntimeError, IndexError, ValueError, MemoryError) as error:
            for each in taken:
                each.problem = f"{self.name} failed on this computer: {str(error).splitlines()[0] if str(error) else error!r}."

    def _prompt(self, asked: _Asked, tokenizer: Any, model: Any) -> Prompt | None:
        # A chat template writes the marks of beginning and end itself.
        tokens = tokenizer(asked.prompt, add_special_tokens=not asked.is_chat)["input_ids"]
        most = getattr(model.config, "max_position_embeddings", None)
        if not tokens or (most is not None and len(tokens) + asked.max_tokens > most):
            asked.problem = f"{self.name} takes 1 to {most} tokens, the reply among them; here are {len(tokens)} and the reply."
            return None
        guidance = None if asked.grammar is None else self._vocabulary_of(model, tokenizer).guidance(asked.grammar)
        return Prompt(tuple(tokens), asked.max_tokens, asked.stop, guidance)

    def _vocabulary_of(self, model: Any, tokenizer: Any) -> "GuidedVocabulary":
        from backend.models.guided_decoding import GuidedVocabulary, of_tokenizer

        if self.vocabulary is None:
            self.vocabulary = GuidedVocabulary(of_tokenizer(tokenizer, ends_of(model, tokenizer)))
        return self.vocabulary

    def _ready(self) -> tuple[Any, Any]:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded


def open_transformers(
    where: str | Callable[[], Path], dtype: Dtype = "float32", deterministic: bool = False, name: str | None = None
) -> TransformersModel:
    """A model by its name on the hub or its folder, or a GGUF file given by a function; nothing is loaded yet.

    HF_HUB_OFFLINE is honoured. The first call raises LanguageModelError if the model cannot be had or is of another kind.
    """

    def load() -> tuple[Any, Any]:
        if isinstance(where, str):
            return _loaded(where, dtype, {})
        file = where()
        return _loaded(str(file.parent), dtype, {"gguf_file": file.name})

    return TransformersModel(name or str(where), load, deterministic)


def _loaded(where: str, dtype: Dtype, options: dict[str, str]) -> tuple[Any, Any]:
    require("torch", "transformers")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, **options)
        model = AutoModelForCausalLM.from_pretrained(where, dtype=getattr(torch, dtype), **options)
    except (OSError, ValueError, KeyError, TypeError, ImportError, RuntimeError) as error:
        there = Path(where).is_dir()
        reason = "this folder does not hold" if there else "it is neither on this computer nor to be fetched as"
        raise LanguageModelError(
            f"{where} cannot be used: {reason} a causal language model with its tokenizer ({type(error).__name__})."
        ) from error
    model.train(False)
    return model, tokenizer
