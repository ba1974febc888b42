"""Fine-tuning the encoder and its heads on the corpus; needs torch, the result does not.

One forward pass gives, for a message after the turn before: the ingredients of its reading, the role of each word, and for
each span what it means and how it is used (multi-task learning on a BERT encoder, Devlin et al. 2019; spans are linked to
items of the schema by a bilinear score, as in dense retrieval of entities).
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from backend.models.embeddings import Encode
from backend.models.embeddings.minilm import WEIGHTS
from ttm.lab.learning.decoding.network import TrainedDecoder, decoder_batch
from ttm.lab.learning.examples import LabelledSpan, MessageExample
from ttm.parsers.learned.decoder.decoder_file import decoder_file, read_words
from ttm.parsers.learned.encoder.encoder_input import KINDS
from ttm.parsers.learned.encoder.item_words import LEXICAL
from ttm.parsers.learned.encoder.network import read_weights
from ttm.parsers.learned.encoder.roles import INGREDIENTS, OUTCOMES, RELATIONS, ROLES, TAGS
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind, mean_vector

WIDTH = 384
HIDDEN = 256
MASK = 103
BY_WORD = ("decoder.word.weight", "decoder.to_word.weight", "decoder.to_word.bias")  # a row for each word


class Heads(nn.Module):
    """The encoder with all that is decided on top of it. Names of parameters are those of `network.py`."""

    def __init__(self, words: int) -> None:
        super().__init__()
        from safetensors.torch import load_file
        from transformers import BertConfig, BertModel

        config = BertConfig(hidden_size=WIDTH, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536,
                            hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1)  # fmt: skip
        self.encoder = BertModel(config, add_pooling_layer=False)
        weights = {name: value for name, value in load_file(WEIGHTS.path()).items() if not name.startswith("pooler")}
        self.encoder.load_state_dict(weights, strict=False)
        self.encoder.embeddings.word_embeddings.weight.requires_grad = False  # the packaged ones are read at run time
        self.kind = nn.Embedding(len(KINDS), WIDTH)
        nn.init.normal_(self.kind.weight, std=0.01)
        self.ingredient_hidden = nn.Linear(2 * WIDTH, WIDTH)
        self.ingredient = nn.Linear(WIDTH, len(INGREDIENTS))
        self.tag = nn.Linear(WIDTH, len(TAGS))
        self.span_hidden = nn.Linear(2 * WIDTH, HIDDEN)
        self.relation = nn.Linear(HIDDEN + len(ROLES), len(RELATIONS))
        self.outcome = nn.Linear(HIDDEN + len(ROLES), len(OUTCOMES))
        self.link = nn.Linear(WIDTH, WIDTH)
        nn.init.eye_(self.link.weight)
        self.lexical = nn.Linear(LEXICAL, 1)
        self.prior = nn.Parameter(torch.zeros(len(ROLES), len(SchemaItemKind) + 1))  # the last: no item is meant
        self.sharpness = nn.Parameter(torch.tensor(2.0))
        self.dropout = nn.Dropout(0.1)
        self.decoder = TrainedDecoder(words)

    def states(self, pieces: Tensor, segments: Tensor, kinds: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Token states (n, t, d) and the vector of each message (n, 2d)."""
        embedded = self.encoder.embeddings.word_embeddings(pieces) + self.kind(kinds)
        states = self.encoder(inputs_embeds=embedded, token_type_ids=segments, attention_mask=real).last_hidden_state
        own = (segments * real).unsqueeze(-1).to(states.dtype)
        return states, torch.cat([states[:, 0], (states * own).sum(1) / own.sum(1).clamp(min=1)], dim=-1)

    def links(self, span: Tensor, role: int, vectors: Tensor, kinds: Tensor, lexical: Tensor) -> Tensor:
        """Scores (items + 1,) of what one span (d,) means; the last: nothing of the schema."""
        query = F.normalize(self.link(span), dim=-1)
        scores = vectors @ query * self.sharpness.exp() + self.lexical(lexical).squeeze(-1) + self.prior[role][kinds]
        return torch.cat([scores, self.prior[role][-1:]])


def start_from(model: Heads, path: Path, words: tuple[str, ...]) -> None:
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


@dataclass
class Batch:
    examples: list[MessageExample]
    pieces: Tensor
    segments: Tensor
    kinds: Tensor
    real: Tensor


def batch_of(examples: list[MessageExample], rng: random.Random | None = None) -> Batch:
    """Padded inputs; with `rng` some pieces are masked, those that rules have linked more often, so that words are not learned
    by heart."""
    longest = max(len(example.input.pieces) for example in examples)
    pieces, segments, kinds, real = (torch.zeros(len(examples), longest, dtype=torch.long) for _ in range(4))
    for row, example in enumerate(examples):
        read = example.input
        length = len(read.pieces)
        own = read.pieces.copy()
        if rng is not None:
            chance = np.where(read.kinds > 0, 0.2, 0.04)
            hidden = np.array([rng.random() for _ in range(length)]) < chance
            own[hidden & (own > 103)] = MASK
        pieces[row, :length], segments[row, :length] = torch.from_numpy(own), torch.from_numpy(read.segments)
        kinds[row, :length], real[row, :length] = torch.from_numpy(read.kinds), 1
    return Batch(examples, pieces, segments, kinds, real)


def means(states: Tensor, members: Sequence[Sequence[int]]) -> Tensor:
    """The mean of some rows of `states` (n, d) for each list of row numbers (len(members), d)."""
    rows = torch.tensor([row for rows in members for row in rows], dtype=torch.long)
    owner = torch.tensor([at for at, rows in enumerate(members) for _ in rows], dtype=torch.long)
    sums = torch.zeros(len(members), states.shape[1]).index_add(0, owner, states[rows])
    return sums / torch.tensor([max(len(rows), 1) for rows in members]).unsqueeze(1)


def tags_of(example: MessageExample) -> list[int]:
    tags = [0] * len(example.input.words)
    for span in sorted(example.spans, key=lambda one: one.start - one.end):
        for at in range(span.start, span.end):
            tags[at] = TAGS.index(f"{'B' if at == span.start else 'I'}-{span.label.role}")
    return tags


@dataclass
class SchemaVectors:
    """The items of one table for the encoder: unit vectors (items, d), the number of each one's kind, and their keys."""

    vectors: Tensor
    kinds: Tensor
    keys: dict[str, int]


def schema_vectors(items: Mapping[str, Sequence[SchemaItem]], embed: Encode) -> dict[str, SchemaVectors]:
    """Vectors of all tables' items; every phrase is embedded once."""
    phrases = sorted({phrase for own in items.values() for item in own for phrase in item.phrases})
    known = dict(zip(phrases, embed(phrases), strict=True))
    collected = {}
    for table, own in items.items():
        vectors = torch.tensor(np.stack([mean_vector([known[phrase] for phrase in item.phrases]) for item in own]))
        kinds = torch.tensor([list(SchemaItemKind).index(item.kind) for item in own])
        collected[table] = SchemaVectors(vectors, kinds, {item.key: at for at, item in enumerate(own)})
    return collected


def losses(model: Heads, batch: Batch, tables: Mapping[str, SchemaVectors], rng: random.Random) -> dict[str, Tensor]:
    """The mean loss of each decision over a batch. `rng` draws which of several fair readings is to be written."""
    states, pooled = model.states(batch.pieces, batch.segments, batch.kinds, batch.real)
    states, pooled = states.float(), pooled.float()
    hidden = torch.tanh(model.ingredient_hidden(model.dropout(pooled)))
    logits = model.ingredient(model.dropout(hidden))
    ingredients = [_ingredient_loss(logits[row], one.readings) for row, one in enumerate(batch.examples) if one.readings]
    collected = {"ingredients": torch.stack(ingredients).mean()} if ingredients else {}
    collected |= _decoding_loss(model, states, batch, tables, rng)
    length, pieces, tags, spans = states.shape[1], list[range](), list[int](), list[tuple[int, LabelledSpan, range]]()
    for row, example in enumerate(batch.examples):
        if example.has_roles:
            first = len(pieces)
            pieces += [range(row * length + start, row * length + end) for start, end in example.input.words]
            tags += tags_of(example)
            spans += [(row, span, range(first + span.start, first + span.end)) for span in example.spans]
    if not pieces:
        return collected
    words = model.dropout(means(states.flatten(0, 1), pieces))
    count = sum(example.has_roles for example in batch.examples)
    collected["tags"] = F.cross_entropy(model.tag(words), torch.tensor(tags), reduction="sum") / 6 / count
    if spans:
        collected |= _span_losses(model, means(words, [inside for *_, inside in spans]), pooled, spans, tables)
    return collected


def _decoding_loss(
    model: Heads, states: Tensor, batch: Batch, tables: Mapping[str, SchemaVectors], rng: random.Random
) -> dict[str, Tensor]:
    written = [(row, one, one.decoding) for row, one in enumerate(batch.examples) if one.decoding is not None]
    if not written:
        return {}
    rows = [row for row, *_ in written]
    vectors = [tables[one.table].vectors[: len(decoding.table.items)] for _, one, decoding in written]
    tokens = [one.input.words for _, one, _ in written]
    own = decoder_batch([decoding for *_, decoding in written], tokens, vectors, states.shape[1], rng)
    loss = model.decoder.loss(states[rows], batch.segments[rows], batch.real[rows], own)
    return {"decoding": loss * len(rows) / len(batch.examples)}


def _ingredient_loss(logits: Tensor, readings: Iterable[frozenset[int]]) -> Tensor:
    """The negative log-probability that one of the fair sets of ingredients is chosen."""
    present, absent = F.logsigmoid(logits), F.logsigmoid(-logits)
    base = absent.sum()
    return -torch.logsumexp(torch.stack([base + (present - absent)[list(one)].sum() for one in readings]), 0)


def span_features(model: Heads, spans: Tensor, pooled: Tensor, roles: Tensor) -> Tensor:
    """What relations and outcomes are decided from (spans, HIDDEN + roles): the span, its message, its role."""
    hidden = torch.tanh(model.span_hidden(torch.cat([spans, pooled[:, WIDTH:]], dim=-1)))
    return torch.cat([hidden, F.one_hot(roles, len(ROLES)).float()], dim=-1)


def _span_losses(
    model: Heads,
    states: Tensor,
    pooled: Tensor,
    spans: list[tuple[int, LabelledSpan, range]],
    tables: Mapping[str, SchemaVectors],
) -> dict[str, Tensor]:
    labels = [span.label for _, span, _ in spans]
    roles = torch.tensor([ROLES.index(label.role) for label in labels])
    features = span_features(model, states, pooled[[row for row, *_ in spans]], roles)
    relations = torch.tensor([-1 if one.relation is None else RELATIONS.index(one.relation) for one in labels])
    outcomes = torch.tensor([-1 if one.outcome is None else OUTCOMES.index(one.outcome) for one in labels])
    collected = {}
    if (relations >= 0).any():
        collected["relations"] = F.cross_entropy(model.relation(features), relations, ignore_index=-1)
    if (outcomes >= 0).any():
        collected["outcomes"] = F.cross_entropy(model.outcome(features), outcomes, ignore_index=-1)
    links = []
    for at, (_, span, _) in enumerate(spans):
        if span.label.links is not None:
            table = tables[span.table]
            scores = model.links(states[at], int(roles[at]), table.vectors, table.kinds, torch.from_numpy(span.lexical))
            wanted = [table.keys[key] for key in span.label.links if key in table.keys] or [len(table.keys)]
            links.append(scores.logsumexp(0) - scores[wanted].logsumexp(0))
    return collected | ({"links": torch.stack(links).mean()} if links else {})


WEIGHTS_OF = {"ingredients": 1.0, "tags": 1.0, "relations": 0.6, "outcomes": 0.3, "links": 0.8, "decoding": 0.25}


def epochs(
    model: Heads,
    examples: Callable[[random.Random], Sequence[MessageExample]],
    tables: Mapping[str, SchemaVectors],
    count: int,
    seed: int = 0,
    rate: float = 1.5e-4,
    size: int = 24,
    kept: Path | None = None,
    frozen: int = 0,
) -> Iterator[tuple[int, dict[str, float]]]:
    """Train; gives the number of each epoch and its mean losses.

    The learning rate rises for a tenth of the time and then falls to 0. `examples` draws those of one epoch. `kept`: a file
    that holds the state after each epoch; a run that finds it goes on from there. `frozen`: the embeddings and so many of the
    lowest layers of the encoder stay as they are, which takes a third less time.
    """
    frozen_parts = (model.kind, model.encoder.embeddings, *model.encoder.encoder.layer[:frozen]) if frozen else ()
    for part in frozen_parts:
        part.requires_grad_(False)
    learned = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    own = [parameter for name, parameter in learned if not name.startswith("encoder")]
    encoder = [parameter for name, parameter in learned if name.startswith("encoder")]
    highest = (rate, rate * 8)
    optimiser = torch.optim.AdamW([{"params": encoder}, {"params": own}], weight_decay=0.01)
    for number in range(_restore(kept, model, optimiser), count):
        rng = random.Random(f"{seed}|{number}")
        torch.manual_seed(seed * 1000 + number)
        model.train()
        for part in frozen_parts:
            part.eval()  # a seventh of the time goes into drawing what is dropped
        lines = examples(rng)
        batches = list(_batches(lines, size, rng))
        sums: dict[str, float] = {}
        for at, batch in enumerate(batches):
            done = (number + at / len(batches)) / count
            for group, most in zip(optimiser.param_groups, highest, strict=True):
                group["lr"] = most * min(done / 0.1 + 0.01, (1 - done) / 0.9, 1.0)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=True):
                parts = losses(model, batch_of(batch, rng), tables, rng)
            loss = sum((WEIGHTS_OF[name] * value for name, value in parts.items()), torch.tensor(0.0))
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            for name, value in parts.items():
                sums[name] = sums.get(name, 0.0) + float(value.detach()) * len(batch) / len(lines)
        model.eval()
        if kept is not None:
            torch.save({"done": number + 1, "model": model.state_dict(), "optimiser": optimiser.state_dict()}, kept)
        yield number + 1, sums


def _restore(kept: Path | None, model: Heads, optimiser: torch.optim.Optimizer) -> int:
    """Take up what an earlier run kept; the number of epochs that it had done."""
    if kept is None or not kept.is_file():
        return 0
    state = torch.load(kept, weights_only=True)
    model.load_state_dict(state["model"])
    optimiser.load_state_dict(state["optimiser"])
    return int(state["done"])


def _batches(examples: Sequence[MessageExample], size: int, rng: random.Random) -> Iterator[list[MessageExample]]:
    """Batches of messages of similar length, in random order."""
    order = sorted(range(len(examples)), key=lambda at: (len(examples[at].input.pieces) // 4, rng.random()))
    groups = [order[start : start + size] for start in range(0, len(order), size)]
    rng.shuffle(groups)
    for group in groups:
        yield [examples[at] for at in group]
