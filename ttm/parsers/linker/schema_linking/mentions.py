"""Mentions: tokens of an utterance that name a feature, a value or a class, and which of overlapping ones to keep."""

from collections import defaultdict
from dataclasses import dataclass, replace

from ttm.parsers.linker.schema_linking.names import Name, NameRole


@dataclass(frozen=True)
class SchemaMention:
    """Tokens `start` to `end` (exclusive) name one of `names`, the best first. `coverage` is the share of the name that was
    said, `strength` the weight of what was said."""

    start: int
    end: int
    names: tuple[Name, ...]
    coverage: float
    strength: float
    matched: tuple[tuple[int, str], ...] = ()  # tokens with the words of the name that they stand for
    contrary: bool = False  # said by its opposite: `women` for a column `man`

    @property
    def name(self) -> Name:
        return self.names[0]

    @property
    def is_ambiguous(self) -> bool:
        return len(self.names) > 1


@dataclass(frozen=True)
class Hit:
    position: int
    word: int  # index in the name
    nearness: float
    contrary: bool = False


def mention_of(name: Name, run: list[Hit]) -> SchemaMention:
    strength = sum(name.weights[hit.word] * hit.nearness for hit in run)
    contrary = any(hit.contrary for hit in run)
    return SchemaMention(run[0].position, run[-1].position + 1, (name,), min(strength / name.weight, 1.0), strength,
                   tuple((hit.position, name.stems[hit.word]) for hit in run), contrary)  # fmt: skip


def merged(mentions: list[SchemaMention]) -> list[SchemaMention]:
    """Mentions of the same words become one; the better covered name stands first, and equals stay beside it."""
    by_span: dict[tuple[int, int], list[SchemaMention]] = defaultdict(list)
    for mention in mentions:
        by_span[mention.start, mention.end].append(mention)
    merged = []
    for same in by_span.values():
        same.sort(key=lambda mention: (-round(mention.coverage, 2), -mention.strength, mention.name.role is NameRole.OUTCOME))
        best, names = same[0], list[Name]()
        for mention in same:
            known = {(name.role, name.feature and name.feature.name, name.value, name.class_number) for name in names}
            name = mention.name
            is_new = (name.role, name.feature and name.feature.name, name.value, name.class_number) not in known
            if is_new and mention.coverage >= min(best.coverage - 0.12, 0.95):
                names.append(name)
        merged.append(
            SchemaMention(best.start, best.end, tuple(names), best.coverage, best.strength, best.matched, best.contrary)
        )
    return merged


def by_context(mention: SchemaMention, stems: set[str]) -> SchemaMention:
    """Of equally fitting names, the one of which more words stand elsewhere in the utterance is the one that is meant."""
    if not mention.is_ambiguous:
        return mention
    support = [sum(word in stems for word in name.stems) for name in mention.names]
    best = max(support)
    if support.count(best) == 1:
        return replace(mention, names=(mention.names[support.index(best)],))
    return mention


def best_disjoint(mentions: list[SchemaMention]) -> list[SchemaMention]:
    """Weighted interval scheduling: long, well covered names win over short ones inside them."""
    ordered = sorted(mentions, key=lambda mention: (mention.end, mention.start))
    best: list[tuple[float, list[SchemaMention]]] = [(0.0, [])]
    ends = [mention.end for mention in ordered]
    for number, mention in enumerate(ordered):
        before = number
        while before > 0 and ends[before - 1] > mention.start:
            before -= 1
        total = best[before][0] + mention.strength * (0.4 + 0.6 * mention.coverage) + 0.12 * (len(mention.matched) - 1)
        taken = (total, [*best[before][1], mention])
        best.append(max(best[number], taken, key=lambda pair: pair[0]))
    return best[-1][1]
