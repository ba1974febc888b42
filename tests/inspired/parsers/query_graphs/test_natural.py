"""How many questions of a newcomer about the world the default parser reads rightly (`natural.toml`)."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspired.knowledge_base.engine import KnowledgeBase, open_knowledge_base
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.sparql_writer import write_sparql
from inspired.parsers.query_graphs.default_parser import DefaultParser

TOLD = tomllib.loads(Path(__file__).with_name("natural.toml").read_text("utf-8"))
PREFIX = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
COUNTRY = "?x ns:common.topic.notable_types ns:m.type_country"
# Of all questions; what was reached when the weights that ship were fitted, less two questions.
ENOUGH = 0.75


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    opened = open_knowledge_base()
    yield opened
    opened.close()


def queries(question: dict[str, object]) -> Iterator[str]:
    means = question["means"]
    assert isinstance(means, list)
    for each in means:
        patterns, _, order = each.partition(" | ")
        for key, path in TOLD["prefixes"].items():
            patterns = patterns.replace(f"{{{key}}}", path)
        patterns = patterns.replace("{{", "{").replace("}}", "}")
        direction, _, offset = order.partition(" ")
        sorted_by = f" ORDER BY {direction} LIMIT 1 OFFSET {offset or 0}" if order else ""
        for narrowed in (patterns, f"{patterns} . {COUNTRY}") if "countr" in str(question["text"]) else (patterns,):
            full = re.sub(r"ns:([\w.]+\w)", r"<http://rdf.freebase.com/ns/\1>", f"SELECT DISTINCT ?x WHERE {{ {narrowed} }}")
            yield PREFIX + full + sorted_by


def answers(kb: KnowledgeBase, sparql: str) -> frozenset[Node | None]:
    return frozenset(row[0] for row in kb.select(sparql, limit=5000).rows)


@pytest.mark.slow
def test_the_questions_can_be_answered_at_all(kb: KnowledgeBase) -> None:
    assert len(TOLD["question"]) >= 60
    empty = [each["text"] for each in TOLD["question"] if not any(answers(kb, query) for query in queries(each))]
    assert empty == []


@pytest.mark.slow
def test_most_questions_of_a_newcomer_are_read_rightly(world_parser: DefaultParser, kb: KnowledgeBase) -> None:
    wrong = []
    for each in TOLD["question"]:
        meant = [answers(kb, query) for query in queries(each)]
        (reading,) = world_parser.parse(each["text"], 1)
        if answers(kb, write_sparql(reading.form)) not in meant:
            wrong.append(each["text"])
    assert 1 - len(wrong) / len(TOLD["question"]) >= ENOUGH, wrong
