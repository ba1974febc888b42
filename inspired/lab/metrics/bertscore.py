"""BERTScore: each word of one text against the nearest of the other, in a language model's eyes (Zhang et al., 2020)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backend.program.extras import require

if TYPE_CHECKING:
    import torch

# The layers that agree best with people, as Zhang et al. chose them; of other models the last layer is used.
LAYERS = {"roberta-large": 17, "FacebookAI/roberta-large": 17, "roberta-base": 10, "bert-base-uncased": 9}
USUAL = "roberta-large"
_BATCH = 64


@dataclass(frozen=True)
class _Vectors:
    """The tokens of a text as vectors of length 1, and which of them are neither [CLS] nor [SEP]."""

    unit: "torch.Tensor"
    counts: "torch.Tensor"


def bert_score(pairs: Sequence[tuple[str, str]], model: str | None) -> tuple[float | None, str | None]:
    """Mean F1 from 0 to 100 over pairs of a generated and a human text, or None and the reason why there is no score.

    `model` is a name on the Hugging Face hub or a folder. No weighting by rarity, no rescaling.
    """
    if model is None:
        return None, f"no model was given; the usual one is {USUAL}"
    try:
        tokenizer, network = _load(model)
    except (OSError, ValueError, KeyError):
        return None, f"the model {model} cannot be loaded: no folder here holds it, and neither the hub nor its cache gives it"
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = _token_vectors(texts, tokenizer, network, LAYERS.get(model, -1))
    scores = [_f1(vectors[generated], vectors[human]) for generated, human in pairs]
    return 100 * sum(scores) / len(scores), None


def _load(model: str) -> tuple[Any, Any]:
    require("torch", "transformers")
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    # RoBERTa's tokenizer tells a word from a piece of one by the space before it.
    more = {"add_prefix_space": True} if AutoConfig.from_pretrained(model).model_type == "roberta" else {}
    return AutoTokenizer.from_pretrained(model, **more), AutoModel.from_pretrained(model).eval()


def _token_vectors(texts: Sequence[str], tokenizer: Any, network: Any, layer: int) -> dict[str, _Vectors]:
    import torch

    result = {}
    by_length = sorted(texts, key=len)
    longest = min(tokenizer.model_max_length, network.config.max_position_embeddings - 2)
    for start in range(0, len(by_length), _BATCH):
        batch = by_length[start : start + _BATCH]
        inputs = tokenizer(
            batch, return_tensors="pt", padding=True, truncation=True, max_length=longest, return_special_tokens_mask=True
        )
        special, there = inputs.pop("special_tokens_mask").bool(), inputs["attention_mask"].bool()
        with torch.inference_mode():
            hidden = network(**inputs, output_hidden_states=True).hidden_states[layer]
        unit = torch.nn.functional.normalize(hidden.float(), dim=-1)
        result.update({text: _Vectors(unit[row][there[row]], ~special[row][there[row]]) for row, text in enumerate(batch)})
    return result


def _f1(generated: _Vectors, human: _Vectors) -> float:
    if not generated.counts.any() or not human.counts.any():
        return 0.0
    likeness = generated.unit @ human.unit.T
    # As in the software of Zhang et al.: [CLS] and [SEP] are not averaged over, but can be what is nearest.
    precision = float(likeness.max(dim=1).values[generated.counts].mean())
    recall = float(likeness.max(dim=0).values[human.counts].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
