"""New messages from those of the corpus: a mention gives its place to another that does the same work, maybe of another table.

A message teaches how a role is spoken of, whatever fills it; with each author writing about three tables only, the words of
those tables would be learned with it (lexical substitution in slots, as in data augmentation for slot filling).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ttm.lab.learning.examples import LabelledSpan, MessageExample
from ttm.parsers.learned.encoder.encoder_input import EncoderInput

CHANCE = 0.3  # that a mention is replaced, in a message that is changed at all
CHANGED = 0.5  # share of the messages that are changed
SUBSTITUTED = frozenset({"condition", "compared", "change", "case", "argument"})

Shape = tuple[object, ...]
Donor = tuple[MessageExample, LabelledSpan]


class Substitution:
    """The mentions of all examples by what they do; draws with the generator that it is handed."""

    def __init__(self, examples: Iterable[MessageExample]) -> None:
        self._donors: dict[Shape, list[Donor]] = defaultdict(list)
        for example in examples:
            for span in _free(example):
                self._donors[_shape(span)].append((example, span))

    def changed(self, examples: Iterable[MessageExample], rng: random.Random) -> Iterator[MessageExample]:
        """Each example, or another that asks the same of other columns."""
        for example in examples:
            yield self._drawn(example, rng) if rng.random() < CHANGED else example

    def _drawn(self, example: MessageExample, rng: random.Random) -> MessageExample:
        spans = sorted((span for span in _free(example) if rng.random() < CHANCE), key=lambda span: span.start)
        return _spliced(example, [(span, rng.choice(self._donors[_shape(span)])) for span in spans]) if spans else example


def _free(example: MessageExample) -> Iterator[LabelledSpan]:
    """The mentions that can be taken out: they name something of the table, and share no token or piece with another."""
    words = example.input.words
    for span in example.spans:
        overlaps = any(one is not span and one.start < span.end and span.start < one.end for one in example.spans)
        first, last = words[span.start][0], words[span.end - 1][1]
        outside = [*words[: span.start], *words[span.end :]]
        shares = any(start < last and first < end for start, end in outside)
        if span.label.role in SUBSTITUTED and span.label.links and first < last and not overlaps and not shares:
            yield span


def _shape(span: LabelledSpan) -> Shape:
    """What has to be alike for one mention to stand for another: its work, and the kind of thing that it names."""
    label = span.label
    links = label.links or frozenset()
    kinds = sorted(_kind(key) for key in links)
    return label.role, label.relation, label.outcome, tuple(kinds)


def _kind(key: str) -> str:
    if key in ("target", "probability") or key.startswith("class "):
        return key.split(" ")[0]
    return "value" if "=" in key else "column"


def _spliced(example: MessageExample, chosen: Sequence[tuple[LabelledSpan, Donor]]) -> MessageExample:
    """The example with some of its mentions, in order, taken from others."""
    old = example.input
    pieces, kinds, words, spans = old.pieces, old.kinds, list(old.words), list(example.spans)
    for span, (other, donor) in reversed(chosen):  # from the end, so that what comes before stays where it is
        first, last = old.words[span.start][0], old.words[span.end - 1][1]
        own = other.input.words[donor.start : donor.end]
        start, end = own[0][0], own[-1][1]
        pieces = np.concatenate([pieces[:first], other.input.pieces[start:end], pieces[last:]])
        kinds = np.concatenate([kinds[:first], other.input.kinds[start:end], kinds[last:]])
        longer, more = (end - start) - (last - first), len(own) - (span.end - span.start)
        words = [
            *words[: span.start],
            *((first + one - start, first + two - start) for one, two in own),
            *((one + longer, two + longer) if two else (0, 0) for one, two in words[span.end :]),
        ]
        spans = [_moved(one, span, donor, more) for one in spans]
    segments = (np.arange(len(pieces)) >= (old.segments == 0).sum()).astype(np.int64)  # the turn before stays as it was
    return replace(example, input=EncoderInput(pieces, segments, kinds, tuple(words)), spans=tuple(spans), decoding=None)


def _moved(one: LabelledSpan, taken: LabelledSpan, donor: LabelledSpan, more: int) -> LabelledSpan:
    if (one.start, one.end) == (taken.start, taken.end):
        return replace(donor, start=taken.start, end=taken.end + more)
    return replace(one, start=one.start + more, end=one.end + more) if one.start >= taken.end else one
