"""Gather the words with which people ask about any table, from the corpus: what lies outside of names, by several authors."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn
from ttm.parsers.linker.words.lexicon import lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind, tokenise
from ttm.parsers.templates.template import load_templates

_HOLE = re.compile(r"\{[^{}]*\}")
SOURCES = 4  # authors, and tables, that a word has to come from


def gather_general_words(dialogues: Iterable[CorpusDialogue], operations: Path, questions: Path) -> set[str]:
    """Words that enough authors use about as many tables, outside of what they mention of the data.

    Authors of whom nobody has marked what they mention are left out: their words may be names.
    `operations`: a folder of lines without marked mentions, each file by one author. `questions`: one of complete questions.
    Words of the templates, whose names are holes, count as well; words that by themselves pick rows more often than not
    ("women", "married") do not.
    """
    authors, tables = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)

    def add(words: Iterable[str], author: str, table: str) -> None:
        for word in words:
            authors[word].add(author)
            tables[word].add(table)

    dialogues = list(dialogues)
    outside, naming = Counter[str](), Counter[str]()
    marked = {dialogue.author for dialogue in dialogues if any(turn.roles for turn in dialogue.turns)}
    for dialogue in dialogues:
        for turn in dialogue.turns if dialogue.author in marked else ():
            words = _outside_mentions(turn)
            add(words, dialogue.author, dialogue.table)
            outside.update(map(stem, words))
            naming.update(_lone_names(turn))
    for path in sorted(operations.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            add(_words(record["say"]), path.stem, record["table"])
    for path in sorted(questions.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            table, utterance, _ = line.split("\t")
            add(_words(utterance), f"{path.stem} {table}", table)
    general = {word for word in authors if min(len(authors[word]), len(tables[word])) >= SOURCES}
    general = {word for word in general if naming[stem(word)] <= outside[stem(word)]}
    return general | {word for template in load_templates() for word in _words(_HOLE.sub(" ; ", template.utterance))}


def _lone_names(turn: CorpusTurn) -> list[str]:
    """Stems of words that by themselves pick rows, or say of whom a case is: "women", "the married ones"."""
    stop = lexicon().groups["linking.stop"]
    picking = [tokenise(role.text) for role in turn.roles if role.role in ("condition", "compared", "case")]
    words = [[token for token in tokens if token.text not in stop] for tokens in picking]
    return [stem(tokens[0].text) for tokens in words if len(tokens) == 1 and tokens[0].kind is TokenKind.WORD]


def _outside_mentions(turn: CorpusTurn) -> list[str]:
    text = turn.utterance
    for role in turn.roles:
        text = text.replace(role.text, " ; ", 1)
    return _words(text)


def _words(text: str) -> list[str]:
    return [token.text for token in tokenise(text) if token.kind is TokenKind.WORD and token.text.isalpha()]
