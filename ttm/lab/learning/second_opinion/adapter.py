"""Trains the adapter of the language model. On a graphics card it takes some minutes; without one, days."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from backend.models.language_models.packaged import packaged_weights
from backend.models.small_llama.weights import open_base, packed
from ttm.lab.learning.second_opinion.lines import EpochLines, WriterLine
from ttm.lab.learning.second_opinion.trained_llama import TrainedLlama
from ttm.parsers.learned.second_opinion.prompt import schema_text
from ttm.parsers.learned.second_opinion.second_reader import END, LONGEST_SCHEMA
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOGETHER = 10  # messages about one table that are read after its schema, which is read once
PACKS = 16  # of a step
RATE = 1.5e-3
RISING = 0.06  # share of the steps in which the learning rate rises; then it falls to nothing
BEST = 0.5  # how often the best of several fair readings is to be written, else any of them
NOTHING = -9  # stands where a row is filled up


@dataclass
class Pack:
    """A schema and messages about it in one row: each message sees the schema and itself. `messages` is 0 for the schema;
    `targets` is the token that follows, NOTHING where that is not learned."""

    tokens: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)

    def add(self, tokens: Sequence[int], start: int, message: int, learned: int) -> None:
        """`learned`: how many of the last tokens are to be written."""
        self.tokens += tokens
        self.positions += range(start, start + len(tokens))
        self.messages += [message] * len(tokens)
        following = [*tokens[1:], NOTHING]
        self.targets += [NOTHING if at < len(tokens) - 1 - learned else token for at, token in enumerate(following)]


def train_adapter(
    lines: EpochLines, schemas: Mapping[str, Schema], epochs: int, seed: int, out: Path, say: Callable[[str], None]
) -> None:
    """Train for some epochs and write the adapter."""
    from safetensors.numpy import save_file

    base = open_base(packaged_weights())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    model = TrainedLlama(base).to(device)
    encoded = {name: _encode(base.tokenizer, schema_text(schema))[:LONGEST_SCHEMA] for name, schema in schemas.items()}
    learned = [one for one in model.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))
    for number in range(epochs):
        rng = random.Random(f"{seed}|{number}")
        packs = list(packs_of(lines(rng), encoded, base.tokenizer, rng))
        total, count = 0.0, 0
        for at in range(0, len(packs), PACKS):
            done = (number + at / len(packs)) / epochs
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(done / RISING + 0.02, 1.0) * max(1 - done, 0.01)
            loss, messages = _loss(model, packs[at : at + PACKS], device)
            optimiser.zero_grad()
            (loss / messages).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(learned, 3.0)
            optimiser.step()
            total, count = total + float(loss.detach()), count + messages
        say(f"second opinion {number + 1}/{epochs}: loss {total / count:.3f} over {count} messages")
    stored: dict[str, Any] = {}
    for name, value in model.adapter():
        stored.update(dict(packed(name, value)) if value.ndim == 2 else {name: value.astype("float16")})
    save_file(stored, out)


def packs_of(
    lines: Sequence[WriterLine], schemas: Mapping[str, Sequence[int]], tokenizer: "Tokenizer", rng: random.Random
) -> Iterator[Pack]:
    """The lines in random order, those about one table together."""
    by_table: dict[str, list[WriterLine]] = {}
    for line in lines:
        by_table.setdefault(line.table, []).append(line)
    groups = []
    for table, own in by_table.items():
        rng.shuffle(own)
        groups += [(table, own[start : start + TOGETHER]) for start in range(0, len(own), TOGETHER)]
    rng.shuffle(groups)
    for table, own in groups:
        pack = Pack()
        pack.add(schemas[table], 0, 0, 0)
        for number, line in enumerate(own, 1):
            text = line.targets[0] if rng.random() < BEST else rng.choice(line.targets)
            target = [*_encode(tokenizer, f" {text}"), END]
            pack.add([*_encode(tokenizer, line.prompt), *target], len(schemas[table]), number, len(target))
        yield pack


def _loss(model: TrainedLlama, packs: Sequence[Pack], device: str) -> tuple[Tensor, int]:
    """The negative log-probability of all that is to be written, and of how many messages."""
    longest = max(len(one.tokens) for one in packs)

    def padded(name: str, filler: int) -> Tensor:
        rows = (getattr(one, name) for one in packs)
        return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows], device=device)

    targets = padded("targets", NOTHING)
    with torch.autocast(device, dtype=torch.bfloat16):
        states = model.states(padded("tokens", 0), padded("positions", 0), visible(padded("messages", NOTHING)))
        scores = model.scores(states[targets != NOTHING])
    loss = F.cross_entropy(scores.float(), targets[targets != NOTHING], reduction="sum")
    return loss, sum(max(one.messages) for one in packs)


def visible(messages: Tensor) -> Tensor:
    """Which tokens (n, 1, t, t) each one sees: those before it of the schema and of its own message."""
    own = (messages[:, None, :] == messages[:, :, None]) | (messages[:, None, :] == 0)
    return (own & torch.ones(own.shape[1:], dtype=torch.bool, device=messages.device).tril())[:, None]


def _encode(tokenizer: "Tokenizer", text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False).ids)
