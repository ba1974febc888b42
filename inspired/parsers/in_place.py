"""Questions in words over a knowledge base of any size: a small graph is made for each question, and read as any graph is.

The graph holds what is told about the things that the question may name, and a sample of the whole, which says what its
properties and classes are called. Answers come from the knowledge base itself and are never cut to that graph.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from cachetools import LRUCache, cachedmethod

from backend.text.words import capitalised
from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.in_place.facts import Fact, InPlaceFacts
from inspired.parsers.correction.parse_correction import DefaultParseCorrector
from inspired.parsers.linking.words import QuestionToken, tokens_of
from inspired.parsers.query_graphs.default_parser import REMEMBERED, DefaultParser, States
from inspired.parsers.reading import History, QuestionParser, QuestionReading, StepReading
from inspired.sub_questions.value_words import singular

_LONGEST = 6
_MOST_THINGS = 24
_KEPT = 8
_EARLIER = 3  # questions before that the small graph is about too


@dataclass
class InPlaceParser:
    """Reads questions over what `facts` are looked up in; `sample` is of the whole."""

    facts: InPlaceFacts
    sample: Sequence[Fact]
    _parsers: LRUCache[str, DefaultParser] = field(default_factory=lambda: LRUCache(_KEPT))
    _states: States = field(default_factory=lambda: LRUCache(REMEMBERED))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def parse(self, question: str, n: int = 10) -> tuple[QuestionReading, ...]:
        """See `QuestionParser.parse`."""
        return self.focused(question).parse(question, n)

    @cachedmethod(attrgetter("_parsers"), key=lambda self, *questions: _as_text(*questions), lock=attrgetter("_lock"))
    def focused(self, question: str, earlier: Sequence[str] = ()) -> DefaultParser:
        """A parser over a graph about what the question names, and what the `earlier` ones of its conversation named."""
        return DefaultParser(self._graph((question, *earlier)), states=self._states)

    def _graph(self, questions: Sequence[str]) -> Graph:
        texts = [text for question in questions for text in spellings(tokens_of(question), question)]
        names = self.facts.named(texts)
        sizes = {id_: len(getattr(node, "text", "")) for id_, _, node in reversed(names)}
        things = sorted(sizes, key=lambda each: -sizes[each])[:_MOST_THINGS]
        return Graph([*self.sample, *names, *(self.facts.around(things) if things else ())], partial=True)


@dataclass
class InPlaceCorrector:
    """Reads corrections as `DefaultParseCorrector` does, over a graph about what the dialogue names."""

    parser: InPlaceParser

    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        """See `ParseCorrector.correct`."""
        earlier = [history.question] if history.question.strip() else []
        return DefaultParseCorrector(self.parser.focused(feedback, earlier)).correct(feedback, history, n)


def parser_about(questions: QuestionParser | None, text: str, earlier: Sequence[str]) -> DefaultParser | None:
    """The parser that follow-ups and corrections are read with, over what they and the `earlier` questions name; None where
    `questions` is a model that was trained or prompted."""
    if isinstance(questions, InPlaceParser):
        return questions.focused(text, tuple(earlier)[:_EARLIER])
    return questions if isinstance(questions, DefaultParser) else None


def _as_text(question: str, earlier: Sequence[str] = ()) -> str:
    return " \n ".join((question, *earlier))


def spellings(tokens: Sequence[QuestionToken], question: str) -> Iterator[str]:
    """Each group of words that may be a name, as it is written and as names usually are."""
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + _LONGEST, len(tokens)) + 1):
            span = tokens[start:end]
            if span[0].is_stop and (len(span) == 1 or not span[0].text[:1].isupper()) and span[0].plain != "the":
                continue
            text = question[span[0].start : span[-1].end].removesuffix("'s").removesuffix("’s")
            for each in dict.fromkeys((text, singular(text))):
                yield from dict.fromkeys((each, each.lower(), each.capitalize(), " ".join(map(capitalised, each.split()))))
