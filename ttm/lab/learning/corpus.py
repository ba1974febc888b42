"""The corpus: messages with their fair readings and the roles of what they mention, by people who did not know the parser.

A line of `singles.jsonl` is one message; a line of `dialogues.jsonl` one conversation. `accept` are patterns: parses in which
`{a|b}` is a choice and `*` any count, number or id.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.tabular.data.schema import Schema

MOST_READINGS = 40
_CHOICE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class RoleSpan:
    """A piece of a message, what it does there, and what it means, in words of the parse language."""

    text: str
    role: str
    means: str


@dataclass(frozen=True)
class CorpusTurn:
    """One message with its judgement. `patterns` are fair readings; `asks`: a question back is fair as well, or alone."""

    utterance: str
    patterns: tuple[str, ...]
    asks: bool
    refuses: bool
    chats: bool
    kinds: tuple[str, ...]
    roles: tuple[RoleSpan, ...]
    asked: str = ""  # the question that came back in the conversation


@dataclass(frozen=True)
class CorpusDialogue:
    """Messages of one person about one table; a single message is a dialogue of one turn."""

    id: str
    table: str
    turns: tuple[CorpusTurn, ...] = field(default=())

    @property
    def author(self) -> str:
        return self.id.partition("-")[0]


def read_corpus(folder: Path) -> Iterator[CorpusDialogue]:
    """Every dialogue below a folder, in the order of the files' names."""
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                record = json.loads(line)
                turns = tuple(_turn(turn) for turn in record.get("turns", [record]))
                yield CorpusDialogue(record["id"], record["table"], turns)


def _turn(record: Mapping[str, Any]) -> CorpusTurn:
    roles = tuple(RoleSpan(one["text"], one["role"], one.get("means", "")) for one in record.get("roles", ()))
    asked = record.get("asked") or {}
    return CorpusTurn(
        record["say"], tuple(record.get("accept", ())), bool(record.get("ask")), "refuse" in record, bool(record.get("chat")),
        tuple(record.get("kinds", ())), roles, " / ".join([asked.get("question", ""), *asked.get("options", ())]).strip(" /"),
    )  # fmt: skip


def expand(pattern: str) -> list[str]:
    """Every parse that a pattern stands for, in order."""
    match = _CHOICE.search(pattern)
    if match is None:
        return [" ".join(pattern.split())]
    parts = match[1].split("|")
    return [one for part in parts for one in expand(pattern[: match.start()] + part + pattern[match.end() :])]


class SurfaceReader:
    """Reads parses of one table; each text once."""

    def __init__(self, schema: Schema) -> None:
        self._grammar = grammar_of(schema)
        self._known: dict[str, Parse | None] = {}

    def read(self, text: str, fillers: tuple[str, ...] = ("5", "0.5", "2012-01-01")) -> Parse | None:
        """The parse, with the first filler that fits in the place of each `*`; None if it is not in the language."""
        for filler in fillers if "*" in text else ("",):
            surface = text.replace("*", filler)
            if surface not in self._known:
                self._known[surface] = self._grammar.read_if_valid(surface)
            if self._known[surface] is not None:
                return self._known[surface]
        return None


def readings(turn: CorpusTurn, reader: SurfaceReader, most: int = MOST_READINGS) -> list[Parse]:
    """The fair readings as parses, the best first; `*` becomes some number or id."""
    collected: list[Parse] = []
    for pattern in turn.patterns:
        for surface in expand(pattern)[: most - len(collected)]:
            parse = reader.read(surface)
            if parse is not None:
                collected.append(parse)
    return collected
