"""Gather the words with which people ask about any table, from the corpus: what lies outside of names, by several authors."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn
from ttm.parsers.linker.words.tokens import TokenKind, tokenise
from ttm.parsers.templates.template import load_templates

_HOLE = re.compile(r"\{[^{}]*\}")
SOURCES = 4  # authors, and tables, that a word has to come from


def gather_general_words(dialogues: Iterable[CorpusDialogue], operations: Path, questions: Path) -> set[str]:
    """Words that enough authors use about as many tables, outside of what they mention of the data.

    Authors of whom nobody has marked what they mention are left out: their words may be names.
    `operations`: a folder of lines without marked mentions, each file by one author. `questions`: one of complete questions.
    Words of the templates, whose names are holes, count as well.
    """
    authors, tables = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)

    def add(words: Iterable[str], author: str, table: str) -> None:
        for word in words:
            authors[word].add(author)
            tables[word].add(table)

    dialogues = list(dialogues)
    marked = {dialogue.author for dialogue in dialogues if any(turn.roles for turn in dialogue.turns)}
    for dialogue in dialogues:
        for turn in dialogue.turns if dialogue.author in marked else ():
            add(_outside_mentions(turn), dialogue.author, dialogue.table)
    for path in sorted(operations.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            add(_words(record["say"]), path.stem, record["table"])
    for path in sorted(questions.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            table, utterance, _ = line.split("\t")
            add(_words(utterance), f"{path.stem} {table}", table)
    general = {word for word in authors if min(len(authors[word]), len(tables[word])) >= SOURCES}
    return general | {word for template in load_templates() for word in _words(_HOLE.sub(" ; ", template.utterance))}


def _outside_mentions(turn: CorpusTurn) -> list[str]:
    text = turn.utterance
    for role in turn.roles:
        text = text.replace(role.text, " ; ", 1)
    return _words(text)


def _words(text: str) -> list[str]:
    return [token.text for token in tokenise(text) if token.kind is TokenKind.WORD and token.text.isalpha()]
