"""Keys and values of earlier prompts, so that what the next ones have in common with them is not computed again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

# The prompts with and without a passage begin differently.
KEPT = 2


@dataclass(frozen=True)
class _Computed:
    """`layers` are the keys and values of `tokens`, each (1, heads, tokens, size)."""

    tokens: tuple[int, ...]
    layers: "tuple[tuple[torch.Tensor, torch.Tensor], ...]"


class PromptCache:
    """The last KEPT prompts that began differently. Only for models whose layers keep every key and value."""

    def __init__(self) -> None:
        self._kept: list[_Computed] = []

    def start(self, prompts: Sequence[tuple[int, ...]]) -> tuple[int, Any]:
        """How many tokens all `prompts` share with a kept one, at least one of each left over, and a cache that holds
        them for as many rows; (0, None) where there is nothing in common."""
        from transformers import DynamicCache

        most = min(map(len, prompts)) - 1
        best = max(self._kept, key=lambda each: shared_length(each.tokens, *prompts), default=None)
        shared = min(most, shared_length(best.tokens, *prompts)) if best else 0
        if best is None or shared < 1:
            return 0, None
        past = DynamicCache()
        for index, (keys, values) in enumerate(best.layers):
            first, second = (each[:, :, :shared].expand(len(prompts), -1, -1, -1) for each in (keys, values))
            past.update(first, second, index)
        return shared, past

    def keep(self, tokens: tuple[int, ...], past: Any, mask: "torch.Tensor") -> None:
        """Keep the row of a batch that has no padding: that of its longest prompt, which are `tokens`."""
        from transformers.cache_utils import DynamicLayer

        if any(type(layer) is not DynamicLayer for layer in past.layers):
            return
        row = int(mask.sum(1).argmax())
        layers = tuple((layer.keys[row : row + 1].clone(), layer.values[row : row + 1].clone()) for layer in past.layers)
        others = [each for each in self._kept if 2 * shared_length(each.tokens, tokens) < len(each.tokens)]
        self._kept = [_Computed(tokens, layers), *others][:KEPT]


def shared_length(*rows: Sequence[object]) -> int:
    """With how many equal items all rows begin."""
    columns = enumerate(zip(*rows, strict=False))
    return next((index for index, column in columns if len(set(column)) > 1), min(map(len, rows)))
