"""Parsers that follow a script, and a small world to ask about: the tab is tested whatever the real parsers can do."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from backend.errors import InspiredError, QueryTimeoutError
from inspired.decomposition.decompose import read_steps
from inspired.decomposition.steps import Decomposition
from inspired.dialogue.session import Assistant, Parts
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.knowledge_base.graph import read_graph
from inspired.knowledge_base.seam import QueryResult
from inspired.logical_form.sparql_reader import read_sparql
from inspired.parsers.linking.entities import Ambiguous
from inspired.parsers.reading import History, QuestionReading, StepReading
from inspired.parsers.sequence import WordedSubQuestion
from inspired.sub_questions.verbalise import verbalise

WORLD = """
@prefix ns: <http://rdf.freebase.com/ns/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ns:m.at ns:type.object.name "Austria"@en ; ns:type.object.type ns:location.country ;
  ns:location.country.capital ns:m.wien ; ns:location.country.official_language ns:m.de ;
  ns:location.country.currency_used ns:m.eur ; ns:topic_server.population_number 9178482 .
ns:m.hu ns:type.object.name "Hungary"@en ; ns:type.object.type ns:location.country ;
  ns:location.country.capital ns:m.bud ; ns:location.country.official_language ns:m.hun ;
  ns:topic_server.population_number 9539502 .
ns:m.wien ns:type.object.name "Vienna"@en ; ns:type.object.type ns:location.citytown .
ns:m.wien2 ns:type.object.name "Vienna"@en ; ns:type.object.type ns:location.us_state .
ns:m.bud ns:type.object.name "Budapest"@en .
ns:m.de ns:type.object.name "German <b>"@en .
ns:m.hun ns:type.object.name "Hungarian"@en .
ns:m.eur ns:type.object.name "Euro"@en .
ns:location.citytown ns:type.object.type ns:type.type ; ns:type.object.name "City"@en .
ns:location.us_state ns:type.object.type ns:type.type ; ns:type.object.name "US state"@en .
"""
LANGUAGE = "What is the official language of the country whose capital is Vienna?"
LANGUAGE_FORM = """SELECT DISTINCT ?x { FILTER (?x != ?c) ?c ns:location.country.capital ns:m.wien .
  ?c ns:location.country.official_language ?x }"""
CURRENCY_FORM = LANGUAGE_FORM.replace("official_language", "currency_used")
SLOW = "Which question takes long?"
LONGER_THAN_ANY_TEST = 600.0
HOSTILE = "<script>document.title='gone'</script><img src=x onerror=\"document.title='gone'\"> ${1+1} עברית"
SAID = {
    "What is its currency?": "?c ns:location.country.currency_used ?x .",
    "Which country has the capital Budapest?": "?c ns:location.country.capital ns:m.bud .",
    "Which country uses that currency?": "?k ns:location.country.currency_used ?x .",
}
NAMES = {"m.wien": "Vienna", "m.bud": "Budapest", "m.at": "Austria"}


@dataclass
class ScriptedQuestions:
    """Knows a few questions, and thinks about the slow one until it may go on."""

    go_on: threading.Event = field(default_factory=threading.Event)

    def parse(self, question: str, n: int = 10) -> tuple[QuestionReading, ...]:
        if question == SLOW:
            self.go_on.wait(LONGER_THAN_ANY_TEST)
        if question not in (LANGUAGE, SLOW, HOSTILE):
            raise InspiredError(f"The question cannot be read: {question}")
        doubt = (Ambiguous("Vienna", ("m.wien", "m.wien2")),)
        first = QuestionReading(read_sparql(LANGUAGE_FORM), NAMES, 0.75, ("quickly",), doubt)
        return (first, replace(first, form=read_sparql(CURRENCY_FORM), confidence=0.25))[:n]


@dataclass
class ScriptedSteps:
    """Knows a few corrections, of which it leaves the `unused` words."""

    unused: tuple[str, ...] = ()

    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        chances = {feedback: 0.8} | dict.fromkeys(SAID, 0.1)
        if feedback not in SAID:
            raise InspiredError(f"The step cannot be read: {feedback}")
        said = ((read_steps(SAID[words])[0], chance) for words, chance in chances.items())
        return tuple(StepReading(step, NAMES, chance, self.unused) for step, chance in said if step not in history.rejected)[:n]


class ScriptedWriter:
    """Words every step but the first."""

    def write(
        self, decomposition: Decomposition, names: Mapping[str, str], question: str = ""
    ) -> tuple[WordedSubQuestion, ...]:
        templates = verbalise(decomposition, names).questions
        return (
            WordedSubQuestion(templates[0], "template"),
            *(WordedSubQuestion(f"{HOSTILE} {text}", "model") for text in templates[1:]),
        )


@dataclass
class Late:
    """A knowledge base that answers nothing in time."""

    label: str = "A slow place"
    asked: list[str] = field(default_factory=list)

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        self.asked.append(sparql)
        raise QueryTimeoutError("The query took more than 10 seconds and was stopped.")

    def close(self) -> None:
        return None


def small_world(folder: Path) -> Assistant:
    """An assistant over WORLD that is read at the first question, as the real one is."""
    (folder / "world.ttl").write_text(WORLD, encoding="utf-8")

    def opened() -> Parts:
        kb, graph = open_knowledge_base(folder / "world.ttl"), read_graph(folder / "world.ttl")
        return Parts(kb, graph, ScriptedQuestions(), ScriptedSteps())

    return Assistant("A small world", "It is there for tests.", opened)
