"""The decoder in torch. Names of parameters are those of `ttm.parsers.learned.decoder.parse_decoder`, which describes it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ttm.lab.learning.decoding.targets import DecodingExample
from ttm.parsers.learned.decoder.parse_decoder import COPY, HEADS, LAYERS, LONGEST, SHARPEST, WIDTH
from ttm.parsers.learned.decoder.symbols import FORMS, ITEM_KINDS, SymbolTable, item_kind
from ttm.parsers.learned.encoder.item_words import RELATED

ENCODED = 384  # width of the encoder and of the vectors of items
DROPPED = 0.15
FIRST = 0.6  # how often the best reading is the one to be written, where several are fair
NEVER = -1e4
UNWRITTEN = -100  # index that counts for no loss
FIT = 24
MOST_COPIED = 8  # words of a copy


class AttendingLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for part in ("query", "key", "value", "out"):
            self.add_module(f"own_{part}", nn.Linear(WIDTH, WIDTH))
            self.add_module(f"message_{part}", nn.Linear(WIDTH, WIDTH))
        self.inner, self.outer = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(3 * WIDTH, WIDTH)
        self.own_norm, self.message_norm, self.inner_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.dropout = nn.Dropout(DROPPED)

    def forward(self, states: Tensor, memory: Tensor, before: Tensor, real: Tensor) -> Tensor:
        """States (n, s, d) after one layer; `before` (s, s) and `real` (n, 1, 1, t) say what may be attended to."""
        normed = self.own_norm(states)
        states = states + self.dropout(self._attended("own", normed, normed, before))
        states = states + self.dropout(self._attended("message", self.message_norm(states), memory, real))
        changed: Tensor = states + self.dropout(self.outer(F.gelu(self.inner(self.inner_norm(states)))))
        return changed

    def _attended(self, name: str, states: Tensor, others: Tensor, mask: Tensor) -> Tensor:
        parts = {part: self.get_submodule(f"{name}_{part}") for part in ("query", "key", "value", "out")}
        query, key, value = (
            parts[part](values).view(len(values), values.shape[1], HEADS, -1).transpose(1, 2)
            for part, values in (("query", states), ("key", others), ("value", others))
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        out: Tensor = parts["out"](attended.transpose(1, 2).reshape(states.shape))
        return out


@dataclass(frozen=True)
class DecoderBatch:
    """Padded tensors of n messages: w tokens, m items, k numbers, c copies, s symbols; `*_real` is 1 where there is one."""

    means: Tensor  # (n, w, t): token states are means of piece states
    tokens_real: Tensor
    items: Tensor  # (n, m, ENCODED)
    item_kinds: Tensor
    items_real: Tensor
    relations: Tensor  # (n, w, m, RELATED)
    number_tokens: Tensor
    number_forms: Tensor
    numbers_real: Tensor
    copy_words: Tensor  # (n, c, MOST_COPIED)
    copy_words_share: Tensor
    copy_items: Tensor  # (n, c, m)
    copies_real: Tensor
    written: Tensor  # (n, s), what stands before each symbol
    wanted: Tensor  # (n, s)


class TrainedDecoder(nn.Module):
    def __init__(self, words: int) -> None:
        super().__init__()
        self.word, self.position = nn.Embedding(words, WIDTH), nn.Embedding(LONGEST, WIDTH)
        self.kind, self.form, self.segment = (
            nn.Embedding(ITEM_KINDS, WIDTH),
            nn.Embedding(len(FORMS), WIDTH),
            nn.Embedding(3, WIDTH),
        )
        self.state, self.item, self.copy = nn.Linear(ENCODED, WIDTH), nn.Linear(ENCODED, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.layers = nn.ModuleList(AttendingLayer() for _ in range(LAYERS))
        self.last = nn.LayerNorm(WIDTH)
        self.to_word, self.to_item, self.to_kind = (
            nn.Linear(WIDTH, words),
            nn.Linear(WIDTH, ENCODED),
            nn.Linear(WIDTH, ITEM_KINDS),
        )
        self.sharpness = nn.Parameter(torch.tensor(2.0))
        self.look_query, self.look_key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.fit_hidden, self.fit = nn.Linear(2 * RELATED, FIT), nn.Linear(FIT, 1)
        self.to_number, self.number_key, self.to_copy = (
            nn.Linear(WIDTH, WIDTH),
            nn.Linear(WIDTH, WIDTH),
            nn.Linear(WIDTH, WIDTH),
        )
        self.dropout = nn.Dropout(DROPPED)
        for embedding in (self.word, self.position, self.kind, self.form, self.segment):
            nn.init.normal_(embedding.weight, std=0.05)

    def loss(self, pieces: Tensor, segments: Tensor, real: Tensor, batch: DecoderBatch) -> Tensor:
        """The mean negative log-probability of what should be written, from the states of pieces (n, t, ENCODED)."""
        scores = self._scores(pieces, segments, real, batch)
        total = F.cross_entropy(scores.flatten(0, 1), batch.wanted.flatten(), ignore_index=UNWRITTEN, reduction="sum")
        return total / len(batch.wanted)

    def _scores(self, pieces: Tensor, segments: Tensor, real: Tensor, batch: DecoderBatch) -> Tensor:
        count, length = batch.written.shape
        tokens = self.state(torch.bmm(batch.means, pieces))
        items = self.item(batch.items) + self.kind(batch.item_kinds)
        at = batch.number_tokens.unsqueeze(-1).expand(-1, -1, WIDTH)
        numbers = tokens.gather(1, at) + self.form(batch.number_forms)
        words = (self.word(batch.copy_words) * batch.copy_words_share.unsqueeze(-1)).sum(2)
        copies = self.copy(torch.tanh(words + torch.bmm(batch.copy_items, items))) + self.segment.weight[COPY]
        memory = torch.cat([self.state(self.dropout(pieces)) + self.segment(segments), copies], 1)
        attended = torch.cat([real.to(copies.dtype), batch.copies_real], 1)[:, None, None].bool()
        symbols = torch.cat([self.word.weight.expand(count, -1, -1), items, numbers, copies], 1)
        states = symbols.gather(1, batch.written.unsqueeze(-1).expand(-1, -1, WIDTH)) + self.position.weight[:length]
        states = self.dropout(states)
        before = torch.ones(length, length, dtype=torch.bool).tril()
        for layer in self.layers:
            states = layer(states, memory, before, attended)
        states = self.last(states)
        return torch.cat(
            [
                self.to_word(states),
                self._of_items(states, tokens, batch),
                self.to_number(states) @ self.number_key(numbers).transpose(1, 2) / 16 + _hidden(batch.numbers_real),
                self.to_copy(states) @ copies.transpose(1, 2) / 16 + _hidden(batch.copies_real),
            ],
            -1,
        )

    def _of_items(self, states: Tensor, tokens: Tensor, batch: DecoderBatch) -> Tensor:
        near = F.normalize(self.to_item(states), dim=-1) @ batch.items.transpose(1, 2) * self.sharpness.exp()
        kinds = batch.item_kinds.unsqueeze(1).expand(-1, states.shape[1], -1)
        looked = self.look_query(states) @ self.look_key(tokens).transpose(1, 2) / 16 + _hidden(batch.tokens_real)
        fits = torch.einsum("nsw,nwmr->nsmr", looked.softmax(-1), batch.relations)
        best = batch.relations.amax(1).unsqueeze(1).expand_as(fits)
        fit = self.fit(torch.tanh(self.fit_hidden(torch.cat([fits, best], -1)))).squeeze(-1)
        scores: Tensor = near + self.to_kind(states).gather(2, kinds) + SHARPEST * fit + _hidden(batch.items_real)
        return scores


def _hidden(real: Tensor) -> Tensor:
    return (1 - real).unsqueeze(1) * NEVER


def decoder_batch(
    examples: Sequence[DecodingExample],
    tokens: Sequence[Sequence[tuple[int, int]]],
    vectors: Sequence[Tensor],
    pieces: int,
    rng: random.Random,
) -> DecoderBatch:
    """Tensors of some messages: the pieces of their `tokens`, `vectors` of the items of their tables, the number of padded
    `pieces`. Of several fair readings one is drawn, mostly the first."""
    count, tables = len(examples), [one.table for one in examples]
    longest = max(1, *map(len, tokens))
    items, numbers, copies = (
        max(1, *sizes) for sizes in zip(*((len(own.items), len(own.numbers), len(own.copies)) for own in tables), strict=True)
    )
    zeros = torch.zeros
    means, tokens_real = zeros(count, longest, pieces), zeros(count, longest)
    vector, kinds, items_real = zeros(count, items, ENCODED), zeros(count, items, dtype=torch.long), zeros(count, items)
    relations = zeros(count, longest, items, RELATED)
    number_tokens, number_forms = (zeros(count, numbers, dtype=torch.long) for _ in range(2))
    numbers_real, copies_real = zeros(count, numbers), zeros(count, copies)
    copy_words, share = zeros(count, copies, MOST_COPIED, dtype=torch.long), zeros(count, copies, MOST_COPIED)
    copy_items = zeros(count, copies, items)
    targets = [[_padded(symbol, one.table, items, numbers) for symbol in _drawn(one, rng)] for one in examples]
    written = zeros(count, max(map(len, targets)), dtype=torch.long)
    wanted = torch.full_like(written, UNWRITTEN)
    for row, (one, spans, target) in enumerate(zip(examples, tokens, targets, strict=True)):
        own = len(one.table.items)
        for at, (first, last) in enumerate(spans):
            means[row, at, first:last] = 1 / max(last - first, 1)
        tokens_real[row, : max(len(spans), 1)] = 1
        vector[row, :own], items_real[row, :own] = vectors[row], 1
        kinds[row, :own] = torch.tensor([item_kind(item) for item in one.table.items])
        relations[row, : len(spans), :own] = torch.from_numpy(one.relations.astype("float32"))
        for at, number in enumerate(one.table.numbers):
            number_tokens[row, at], number_forms[row, at], numbers_real[row, at] = number.token, number.form, 1
        for at, (words, named) in enumerate(one.table.copied):
            copies_real[row, at] = 1
            for index, word in enumerate(words[:MOST_COPIED]):
                copy_words[row, at, index], share[row, at, index] = word, 1 / len(words[:MOST_COPIED])
            for item in named:
                copy_items[row, at, item] += 1 / len(named)
        wanted[row, : len(target)] = torch.tensor(target)
        written[row, 1 : len(target)] = torch.tensor(target[:-1])
    return DecoderBatch(
        means, tokens_real, vector, kinds, items_real, relations, number_tokens, number_forms, numbers_real, copy_words, share,
        copy_items, copies_real, written, wanted,
    )  # fmt: skip


def _drawn(example: DecodingExample, rng: random.Random) -> tuple[int, ...]:
    targets = example.targets
    return targets[0] if len(targets) == 1 or rng.random() < FIRST else rng.choice(targets)


def _padded(symbol: int, table: SymbolTable, items: int, numbers: int) -> int:
    """The number of a symbol where so many items and numbers have room."""
    first = len(table.words) + len(table.items)
    if symbol < first:
        return symbol
    more = items - len(table.items)
    return symbol + more if symbol < first + len(table.numbers) else symbol + more + numbers - len(table.numbers)
