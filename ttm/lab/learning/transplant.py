"""New conversations from those of the corpus: what a conversation says about one table, said about another.

Each author wrote about three tables, so the words of those tables would be learned with how people ask. A mention gives its
place to one that does the same work in a message about another table, and the fair readings follow: columns, values, classes
and numbers of the old mentions become those of the new ones (lexical substitution in slots, as in data augmentation for slot
filling, here with the parse).
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn, RoleSpan, SurfaceReader, expand
from ttm.lab.learning.span_labels import span_label
from ttm.parsers.learned.encoder.schema_items import items_of
from ttm.parsers.linker.words.tokens import TokenKind, tokenise
from ttm.tabular.data.schema import Schema

TRIED = 4  # tables that are tried for one conversation
MOST_PATTERNS = 40  # parses that are kept of the fair readings of a message
MENTIONED = frozenset({"condition", "compared", "change", "case", "argument", "class", "target"})
OUTCOMES = {
    "label": "labelfilter",
    "prediction": "predictionfilter",
    "target": "labelfilter",
    "probability": "probabilityfilter",
}
_ATOMS = re.compile(r" (?:and|or) |, ")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
# A column may be called class too, so what stands before the word counts.
_CLASS = re.compile(
    r"\b((?:likelihood|cfe|contrast|fairness \S+) )?(class|labelfilter|predictionfilter|probabilityfilter) (not )?(\d+)\b"
)

Shape = tuple[object, ...]


@dataclass(frozen=True)
class _Mention:
    """A mention of one table with what it means part by part, and the column or class of each part."""

    span: RoleSpan
    atoms: tuple[str, ...]
    named: tuple[str, ...]
    shape: Shape


@dataclass
class _Renaming:
    """What of the old table became what of the new one, so far in a conversation."""

    atoms: dict[str, str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def allows(self, old: _Mention, new: _Mention) -> bool:
        """Whether nothing becomes two things, and no two things become one."""
        pairs = [*zip(old.named, new.named, strict=True)]
        names = self.named | dict(pairs)
        if len(set(names.values())) < len(names) or any(names[one] != other for one, other in pairs):
            return False
        if any(self.named.get(one, other) != other for one, other in pairs):
            return False
        return all(self.atoms.get(one, other) == other for one, other in zip(old.atoms, new.atoms, strict=True))

    def take(self, old: _Mention, new: _Mention) -> None:
        self.named |= dict(zip(old.named, new.named, strict=True))
        self.atoms |= dict(zip(old.atoms, new.atoms, strict=True))


class Transplants:
    """Conversations of a corpus moved to other tables; draws with the generator that it is handed."""

    def __init__(self, dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Schema]) -> None:
        self._tables = {name: _MentionedTable(schema) for name, schema in schemas.items()}
        self._alike: dict[tuple[object, ...], list[str]] = defaultdict(list)
        for name, schema in schemas.items():
            self._alike[_target_shape(schema)].append(name)
        self._schemas = schemas
        for dialogue in dialogues:
            for turn in dialogue.turns:
                self._tables[dialogue.table].keep(turn.roles)

    def moved(self, dialogue: CorpusDialogue, rng: random.Random) -> CorpusDialogue | None:
        """The conversation about another table, as far as it can be said there; None where not even its first message can."""
        others = [name for name in self._alike[_target_shape(self._schemas[dialogue.table])] if name != dialogue.table]
        best: tuple[CorpusTurn, ...] = ()
        table = ""
        for name in rng.sample(others, min(TRIED, len(others))):
            turns = tuple(self._turns(dialogue, name, rng))
            if len(turns) > len(best):
                best, table = turns, name
            if len(best) == len(dialogue.turns):
                break
        return CorpusDialogue(f"{dialogue.id}-{table}", table, best) if best else None

    def _turns(self, dialogue: CorpusDialogue, table: str, rng: random.Random) -> Iterator[CorpusTurn]:
        old, new, renaming = self._tables[dialogue.table], self._tables[table], _Renaming()
        for turn in dialogue.turns:
            moved = _moved(turn, old, new, renaming, rng)
            if moved is None:
                return
            yield moved
            if turn.asked:  # in words of the old table
                return


class _MentionedTable:
    """One table: which mentions people made of it, and which parses it has."""

    def __init__(self, schema: Schema) -> None:
        self.items = {item.key: item for item in items_of(schema)}
        self.columns = frozenset(feature.token for feature in schema.features)
        self.reader = SurfaceReader(schema)
        self._mentions: dict[Shape, list[_Mention]] = defaultdict(list)

    def keep(self, roles: Sequence[RoleSpan]) -> None:
        for span in roles:
            mention = self.mention(span)
            if mention is not None:
                self._mentions[mention.shape].append(mention)

    def alike(self, shape: Shape) -> Sequence[_Mention]:
        return self._mentions.get(shape, ())

    def mention(self, span: RoleSpan) -> _Mention | None:
        """None for what means nothing of this table."""
        label = span_label(span, frozenset(self.items)) if span.role in MENTIONED else None
        if label is None or not label.links:
            return None
        atoms = tuple(_ATOMS.split(" ".join(span.means.lower().split())))
        named = tuple(_named(atom, self) for atom in atoms)
        if not all(named):
            return None
        kinds = tuple(self._kind(atom, name) for atom, name in zip(atoms, named, strict=True))
        return _Mention(span, atoms, named, (label.role, label.relation, label.outcome, kinds, _numbers(span)))

    def _kind(self, atom: str, name: str) -> str:
        """What an atom has to be alike in: the kind of its column, whether it says one of its values."""
        feature = self.items[name].feature
        kind = feature.kind if feature is not None else name.split(" ")[0]
        return f"{kind}{' value' if ' ' in atom else ''}"


def _named(atom: str, table: _MentionedTable) -> str:
    """The column of one part of a meaning, its class, or the target; empty where it is none of these."""
    first, *rest = atom.split()
    if first in table.columns:
        return first
    number = next((word for word in ([first] if not rest else rest[:2]) if word.isdigit()), None)
    if (not rest or first in OUTCOMES) and number is not None and f"class {number}" in table.items:
        return f"class {number}"
    return "target" if first == "target" else ""


def _numbers(span: RoleSpan) -> tuple[bool, ...]:
    """Of each number of a meaning, whether its words say it: else it comes from somewhere else."""
    spoken = {token.value for token in tokenise(span.text) if token.kind is TokenKind.NUMBER}
    return tuple(float(number) in spoken for number in _NUMBER.findall(span.means))


def _target_shape(schema: Schema) -> tuple[object, ...]:
    return (schema.target.is_classification, min(len(schema.target.classes), 3))


def _moved(
    turn: CorpusTurn, old: _MentionedTable, new: _MentionedTable, renaming: _Renaming, rng: random.Random
) -> CorpusTurn | None:
    """One message about another table; None where a mention or the best reading has nothing that corresponds."""
    chosen: list[tuple[RoleSpan, RoleSpan]] = []
    for span in turn.roles:
        own = old.mention(span)
        if own is None:
            if span.role in MENTIONED:
                return None
            continue
        fitting = [one for one in new.alike(own.shape) if renaming.allows(own, one)]
        if not fitting:
            return None
        drawn = rng.choice(fitting)
        renaming.take(own, drawn)
        chosen.append((span, drawn.span))
    utterance = _spliced(turn.utterance, chosen)
    patterns = _patterns(turn.patterns, old, new, renaming)
    if utterance is None or (turn.patterns and not patterns):
        return None
    taken = {id(span): drawn for span, drawn in chosen}
    roles = tuple(replace(taken[id(span)], role=span.role) if id(span) in taken else span for span in turn.roles)
    return replace(turn, utterance=utterance, patterns=patterns, roles=roles, asked="")


def _spliced(text: str, chosen: Sequence[tuple[RoleSpan, RoleSpan]]) -> str | None:
    """The text with each mention replaced; None where two of them overlap."""
    pieces, end = list[tuple[int, int, str]](), 0
    for span, drawn in chosen:
        start = text.find(span.text, end)
        start = start if start >= 0 else text.find(span.text)
        pieces.append((start, start + len(span.text), drawn.text))
        end = start + len(span.text)
    pieces.sort()
    if any(start < 0 for start, *_ in pieces) or any(one[1] > other[0] for one, other in pairwise(pieces)):
        return None
    for start, stop, words in reversed(pieces):
        text = text[:start] + words + text[stop:]
    return text


def _patterns(patterns: Sequence[str], old: _MentionedTable, new: _MentionedTable, renaming: _Renaming) -> tuple[str, ...]:
    """The fair readings of the new message, none where the best one cannot be said of the new table."""
    surfaces = {_plain(atom): _plain(other) for atom, other in renaming.atoms.items() if " " in atom}
    kept: list[str] = []
    for number, pattern in enumerate(patterns):
        for at, text in enumerate(expand(pattern)[:MOST_PATTERNS]):
            renamed = _renamed(text, surfaces, renaming.named, old.columns)
            if renamed is not None and new.reader.read(renamed) is not None:
                kept.append(renamed)
            elif number == at == 0:
                return ()
    return tuple(dict.fromkeys(kept))[:MOST_PATTERNS]


def _plain(atom: str) -> str:
    """A part of a meaning as it stands in a parse."""
    first, rest = atom.split(" ", 1)
    return f"{OUTCOMES[first]} {rest}" if first in OUTCOMES else atom


def _renamed(text: str, surfaces: Mapping[str, str], named: Mapping[str, str], columns: frozenset[str]) -> str | None:
    """A parse in the new table's words; None where it holds a column or class that became nothing."""
    done: list[str] = []

    def keep(words: str) -> str:
        done.append(words)
        return f"\0{len(done) - 1}\0"

    for surface in sorted(surfaces, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.]){re.escape(surface)}(?![\w.])", lambda match: keep(surfaces[match[0]]), text)
    missing = False

    def of_class(match: re.Match[str]) -> str:
        nonlocal missing
        before, word, negated, number = match.groups(default="")
        if word == "class" and not before:
            return match[0]
        other = named.get(f"class {number}")
        missing = missing or other is None
        return before + keep(f"{word} {negated}{(other or '').removeprefix('class ')}")

    text = _CLASS.sub(of_class, text)
    for column in columns & set(text.split()):
        if column not in named:
            return None
        text = re.sub(rf"(?<!\S){re.escape(column)}(?!\S)", lambda match: keep(named[match[0]]), text)
    if missing:
        return None
    while "\0" in text:
        text = re.sub(r"\0(\d+)\0", lambda match: done[int(match[1])], text)
    return text
