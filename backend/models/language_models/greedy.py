"""Greedy decoding of a batch of prompts by a causal language model of transformers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backend.errors import LanguageModelError

if TYPE_CHECKING:
    import torch

    from backend.models.guided_decoding import Guidance
    from backend.models.guided_decoding.token_texts import Flags
    from backend.models.language_models.prompt_cache import PromptCache


@dataclass(frozen=True)
class Prompt:
    """`tokens` are continued by at most `max_tokens`, up to the first of the `stop` texts, which is cut off; with `guidance`
    only by what its grammar allows."""

    tokens: tuple[int, ...]
    max_tokens: int
    stop: tuple[str, ...]
    guidance: "Guidance | None" = None


@dataclass(frozen=True)
class Written:
    """A reply of so many `tokens`; `log_probability` is that of these, and of the end where it came to one, among what was
    allowed."""

    text: str
    tokens: int
    log_probability: float


def decode_greedily(
    model: Any, tokenizer: Any, prompts: Sequence[Prompt], cache: "PromptCache | None" = None
) -> tuple[int, list[Written]]:
    """How many tokens of each prompt were known before, and each reply.

    Prompts of different lengths are padded on the left, behind what they share with an earlier prompt; the padding is
    masked and counts in no position, so that a batch differs from its rows alone by rounding only. Raises
    LanguageModelError where the tokens of a model cannot write what its guidance demands.
    """
    import torch

    rows = [_Row(prompt, tokenizer, ends_of(model, tokenizer)) for prompt in prompts]
    with torch.inference_mode():
        shared, past = cache.start([prompt.tokens for prompt in prompts]) if cache else (0, None)
        tokens, mask = _padded([prompt.tokens[shared:] for prompt in prompts], shared)
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, shared:]
        output = model(input_ids=tokens, attention_mask=mask, position_ids=positions, past_key_values=past, **_last_only(model))
        if cache:
            cache.keep(max((prompt.tokens for prompt in prompts), key=len), output.past_key_values, mask)
        while True:
            scores = _guided(output.logits[:, -1].float(), rows)
            best, chosen = scores.log_softmax(-1).max(-1)
            for row, token, log_probability in zip(rows, chosen.tolist(), best.tolist(), strict=True):
                row.add(token, log_probability)
            if not any(row.open for row in rows):
                return shared, [Written(row.text, len(row.tokens), row.log_probability) for row in rows]
            positions = positions[:, -1:] + 1
            mask = torch.cat([mask, mask.new_ones(len(rows), 1)], dim=1)
            output = model(
                input_ids=chosen[:, None], attention_mask=mask, position_ids=positions, past_key_values=output.past_key_values
            )


class _Row:
    """A reply while it is written; what comes after its end is not looked at."""

    def __init__(self, prompt: Prompt, tokenizer: Any, ends: set[int]) -> None:
        self._prompt, self._tokenizer, self._ends = prompt, tokenizer, ends
        self.tokens: list[int] = []
        self.text = ""
        self.log_probability = 0.0
        self.open = prompt.max_tokens > 0

    @property
    def mask(self) -> "Flags | None":
        """The tokens that may come next, of shape (vocabulary,); None for all."""
        guidance = self._prompt.guidance
        if guidance is None or not self.open:
            return None
        allowed = guidance.mask(tuple(self.tokens))
        if not allowed.any():
            raise LanguageModelError(f"This model has no tokens for what its grammar demands after {self.text[-40:]!r}.")
        return allowed

    def add(self, token: int, log_probability: float) -> None:
        if not self.open:
            return
        self.log_probability += log_probability
        if token in self._ends:
            self.open = False
            return
        self.tokens.append(token)
        text = self._tokenizer.decode(self.tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        matches = [index for stop in self._prompt.stop if (index := text.find(stop)) >= 0]
        self.text = text[: min(matches)] if matches else text
        self.open = not matches and len(self.tokens) < self._prompt.max_tokens


def _guided(scores: "torch.Tensor", rows: Sequence[_Row]) -> "torch.Tensor":
    """The scores (rows, vocabulary) with what a row may not write at minus infinity; those of other rows as they are."""
    import torch

    for index, row in enumerate(rows):
        mask = row.mask
        if mask is not None:
            allowed = torch.zeros(scores.shape[1], dtype=torch.bool)
            allowed[: len(mask)] = torch.from_numpy(mask[: scores.shape[1]].copy())
            scores[index, ~allowed.to(scores.device)] = -torch.inf
    return scores


def _padded(rows: Sequence[Sequence[int]], shared: int) -> "tuple[torch.Tensor, torch.Tensor]":
    """Tokens (rows, longest) with zeros on the left, and the mask (rows, shared + longest) that leaves them out."""
    import torch

    longest = max(map(len, rows))
    tokens, mask = torch.zeros(len(rows), longest, dtype=torch.long), torch.ones(len(rows), shared + longest, dtype=torch.long)
    for index, row in enumerate(rows):
        tokens[index, longest - len(row) :] = torch.tensor(row)
        mask[index, shared : shared + longest - len(row)] = 0
    return tokens, mask


def ends_of(model: Any, tokenizer: Any) -> set[int]:
    """The tokens that end a reply."""
    configured = model.generation_config.eos_token_id
    listed = configured if isinstance(configured, list) else [configured]
    return {int(token) for token in [*listed, tokenizer.eos_token_id] if token is not None}


def _last_only(model: Any) -> dict[str, Any]:
    """Spare the logits of the prompt where the model can: its vocabulary is what takes the memory."""
    import inspect

    takes = "logits_to_keep" in inspect.signature(model.forward).parameters
    return {"use_cache": True, **({"logits_to_keep": 1} if takes else {})}
