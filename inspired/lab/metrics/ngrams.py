"""N-gram statistics of a set of texts, as in the GEM evaluation (appendix B, Table 21; section 4.2, Table 6)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

Counts = Mapping[tuple[str, ...], int]


@dataclass(frozen=True)
class NgramStatistics:
    """For one length of n-grams.

    `vocabulary`: how many different n-grams; `distinct`: that number over `total`, that of all n-grams; `unique`: how
    many occur once; `entropy`: Shannon's, in bits; `conditional_entropy`: in bits, given the n-1 tokens before (None
    for unigrams).
    """

    n: int
    total: int
    vocabulary: int
    distinct: float
    unique: int
    entropy: float
    conditional_entropy: float | None


def ngrams(tokens: Sequence[str], n: int) -> Iterable[tuple[str, ...]]:
    """The runs of `n` tokens, from the first on."""
    return zip(*(tokens[start:] for start in range(n)), strict=False)


def ngram_statistics(texts: Iterable[Sequence[str]], longest: int = 3) -> tuple[NgramStatistics, ...]:
    """Statistics of the n-grams of 1 to `longest` tokens; no n-gram spans two texts."""
    counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(longest)]
    for text in texts:
        for n, counter in enumerate(counts, 1):
            counter.update(ngrams(text, n))
    return tuple(_statistics(n, counts[n - 1], counts[n - 2] if n > 1 else None) for n in range(1, longest + 1))


def _statistics(n: int, counts: Counts, shorter: Counts | None) -> NgramStatistics:
    total = sum(counts.values())
    return NgramStatistics(
        n=n,
        total=total,
        vocabulary=len(counts),
        distinct=len(counts) / total if total else 0.0,
        unique=sum(count == 1 for count in counts.values()),
        entropy=-sum(count / total * log2(count / total) for count in counts.values()) + 0.0,
        conditional_entropy=None if shorter is None else _conditional_entropy(counts, shorter),
    )


def _conditional_entropy(counts: Counts, shorter: Counts) -> float:
    """The mean of -log2 p(n-gram) / p(its first n-1 tokens), each p a share in the n-grams of that length.

    The paper leaves open whether the n-1 tokens at the end of a text, which nothing follows, count in the second share.
    They do here: only so do the entropies of Table 21 fit together, if each question ends in a token "?". (Otherwise the
    unigram entropies would have to be 6.61 and 8.22 bits; with this they come out as 6.54 and 8.10.)
    """
    total, before = sum(counts.values()), sum(shorter.values())
    return sum(count / total * log2(shorter[ngram[:-1]] / before * total / count) for ngram, count in counts.items()) + 0.0
