"""A graph that a visitor brings as an RDF file: checked, read for this visitor alone, with questions that it can answer.

The file is read by the bounded process of its store before this process reads it, so that one which unfolds to more than it
says ends there.
"""

import threading
import weakref
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from backend.errors import InspiredError, KnowledgeBaseError
from backend.jobs import ReportProgress
from backend.storage.unpacked_size import check_unpacked
from inspired.dialogue.dialogue import begin
from inspired.dialogue.readings import with_steps
from inspired.dialogue.session import COUNT, Assistant, Parts, silent
from inspired.knowledge_base.graph import Graph, read_graph
from inspired.knowledge_base.local_store import GIGABYTE, LocalStore
from inspired.knowledge_base.rdf_files import SYNTAXES, syntax_of
from inspired.knowledge_base.remembered import Remembered
from inspired.logical_form.forms import Entity, Literal, LogicalForm, Triple, Variable
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.reading import QuestionParser

ENDINGS = (*SYNTAXES, ".gz")
LARGEST = 10  # megabytes, unpacked
MOST_FACTS = 200_000
MEMORY = GIGABYTE // 2
SUGGESTED, TRIED = 3, 40  # questions that are offered, and properties that are tried for them
LIKELY = 0.5
MOST_AT_ONCE = 8
KEPT = (
    "read for this page alone, nobody else sees it, and it is gone when the page is loaded again, with the questions about it."
)
ABOUT = f"You brought this file. It is {KEPT}"


def own_assistant(path: Path, report: ReportProgress) -> Assistant:
    """The assistant over the RDF file of a visitor, already read. Raises KnowledgeBaseError if it cannot be used."""
    syntax_of(path)
    check_unpacked(path, KnowledgeBaseError, LARGEST)
    kb = Remembered(LocalStore(path, path.name, processes=1, memory=MEMORY))
    try:
        report(0.1, f"Reading {path.name}")
        (facts,) = (int(cell.text) for row in kb.select(COUNT, 1).rows for cell in row if isinstance(cell, Literal))
        if not 0 < facts <= MOST_FACTS:
            raise KnowledgeBaseError(
                f"{path.name} holds {facts:,} facts; from 1 to {MOST_FACTS:,} can be asked here. More: start Parley with --kb."
            )
        report(0.5, "Learning what it speaks of")
        parser = DefaultParser(read_graph(path))
    except KnowledgeBaseError:
        kb.close()
        raise
    from inspired.parsers.correction.parse_correction import DefaultParseCorrector

    parts = Parts(kb, parser.graph, parser, DefaultParseCorrector(parser))
    return Assistant(path.name, ABOUT, _put_away, parts)


def _put_away() -> Parts:
    raise InspiredError("This graph was put away, since others brought theirs after it. Bring the file again.")


class OwnGraphs:
    """The graphs that visitors have brought to this process, at most so many: the one brought first is put away for another."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._brought: list[weakref.ref[Assistant]] = []

    def add(self, assistant: Assistant) -> None:
        with self._lock:
            self._brought = [*(each for each in self._brought if each() is not None), weakref.ref(assistant)]
            older, self._brought = self._brought[: -self._most], self._brought[-self._most :]
        for each in older:
            if (first := each()) is not None:
                first.put_away()


def suggestions(assistant: Assistant, report: ReportProgress) -> tuple[str, ...]:
    """Questions about the graph of an assistant that is read as they are meant, each about another property."""
    parts = assistant.parts(report)
    if parts.graph is None or parts.questions is None:
        return ()
    report(0.8, "Looking for questions that it answers")
    asked = (question for question in _questions(parts.graph, assistant) if _is_understood(question, parts.questions))
    return tuple(islice(asked, SUGGESTED))


def _questions(graph: Graph, assistant: Assistant) -> Iterator[str]:
    """What each property says of something with a name, the most used properties first."""
    used = sorted(graph.predicates, key=lambda each: -sum(1 for _ in graph.pairs(each)))
    for predicate in islice(used, TRIED):
        for subject, _ in islice(graph.pairs(predicate), TRIED):
            name = graph.names.get(subject, "")
            if name and not Entity(subject).is_type:
                form = LogicalForm(Variable("x"), (Triple(Entity(subject), predicate, Variable("x")),))
                yield assistant.named(begin(form, {subject: name}), silent).in_words().questions[0]
                break


def _is_understood(question: str, parser: QuestionParser) -> bool:
    try:
        readings = with_steps(parser.parse(question, 1))
    except InspiredError:
        return False
    return any(each.confidence >= LIKELY and not each.unused for each in readings)
