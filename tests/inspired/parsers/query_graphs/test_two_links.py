"""What two relations link, of which the question names one or none."""

from dataclasses import replace
from pathlib import Path

import pytest

from inspired.dialogue.dialogue import begin
from inspired.knowledge_base.graph import read_graph
from inspired.logical_form.forms import Entity, LogicalForm
from inspired.parsers.query_graphs.default_parser import DefaultParser

HEAD = """
@prefix : <http://towns.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Town rdfs:label "town" . :Province rdfs:label "province" . :Prison rdfs:label "prison" . :Library rdfs:label "library" .
:Herb rdfs:label "herb" . :Shape rdfs:label "shape" . :Species rdfs:label "species" . :Genus rdfs:label "genus" .
:province rdfs:label "province" . :site rdfs:label "site" . :run rdfs:label "run by" . :Body rdfs:label "body" .
:shape rdfs:label "shape" . :strain rdfs:label "strain" . :above rdfs:label "broader" .
:north a :Province ; rdfs:label "Northmark" . :south a :Province ; rdfs:label "Southmark" .
:crown a :Body ; rdfs:label "Crown" . :guild a :Body ; rdfs:label "Guild" .
:leafy a :Shape ; rdfs:label "leafy herbs" . :woody a :Shape ; rdfs:label "woody herbs" .
:bela a :Genus ; rdfs:label "Belarus vine" . :toma a :Genus ; rdfs:label "Tomatilla" .
:sp1 a :Species ; rdfs:label "grey strain" ; :above :toma . :sp2 a :Species ; rdfs:label "dark strain" ; :above :toma .
:sp3 a :Species ; rdfs:label "pale strain" ; :above :bela .
:h1 a :Herb ; rdfs:label "Ivette" ; :shape :leafy ; :strain :sp1 .
:h2 a :Herb ; rdfs:label "Cressa" ; :shape :leafy ; :strain :sp3 .
:h3 a :Herb ; rdfs:label "Barka" ; :shape :woody ; :strain :sp2 .
"""
PRISONS = {"p3": ("t3", "crown"), "p17": ("t17", "guild"), "p18": ("t17", "guild"), "p44": ("t44", "crown")}
# Of many towns few have one; whatever else is at their sites is of another kind.
ANSWERS = {
    "prisons in Northmark": {"p3", "p17", "p18"},
    "Which prisons are in Southmark?": {"p44"},
    "How many prisons are in Northmark?": 3,
    "Which town has the most prisons?": {"t17"},
    "Which towns have at least two prisons?": {"t17"},
}


# Two names that only a relation links which no word says.
BRIDGED = {
    "Which leafy herbs are of the genus Tomatilla?": {"h1"},
    "Which prisons of Northmark are run by the Crown?": {"p3"},
}


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> DefaultParser:
    lines = [HEAD]
    for number in range(60):
        province = "north" if number < 30 else "south"
        lines.append(
            f':t{number} a :Town ; rdfs:label "Ham {chr(65 + number // 26)}{chr(65 + number % 26)}" ; :province :{province} .'
        )
        lines.append(f':l{number} a :Library ; rdfs:label "Books {number}" ; :site :t{number} ; :run :guild .')
    for name, (town, body) in PRISONS.items():
        lines.append(f':{name} a :Prison ; rdfs:label "Jail {name}" ; :site :{town} ; :run :{body} .')
    path: Path = tmp_path_factory.mktemp("towns") / "towns.ttl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return DefaultParser(read_graph(path))


def answers_of(parser: DefaultParser, form: LogicalForm) -> set[str]:
    state = parser.state_of(replace(form, returns=None))
    assert state is not None
    return {each.id.rpartition("/")[2] for each in state.nodes if isinstance(each, Entity)}


@pytest.mark.parametrize("question", ANSWERS)
def test_what_few_things_of_a_kind_are_linked_to_narrows_them(parser: DefaultParser, question: str) -> None:
    answers, wanted = answers_of(parser, parser.parse(question)[0].form), ANSWERS[question]
    assert (len(answers) if isinstance(wanted, int) else answers) == wanted


@pytest.mark.parametrize("question", BRIDGED)
def test_two_names_are_read_together_though_no_word_links_them(parser: DefaultParser, question: str) -> None:
    assert BRIDGED[question] in [answers_of(parser, each.form) for each in parser.parse(question)[:5]]


def test_a_title_is_that_of_whom_a_description_leads_to(world_parser: DefaultParser) -> None:
    described = world_parser.parse("Who is the head of state of the country that has the World Heritage Site Petra?")[0]
    named = world_parser.parse("Who is the head of state of Jordan?")[0]
    assert answers_of(world_parser, described.form) == answers_of(world_parser, named.form) != set()


@pytest.mark.parametrize(("town", "wanted"), [("Ham AD", {"p3"}), ("Ham AE", set())])
def test_none_of_a_kind_is_no_other_question(parser: DefaultParser, town: str, wanted: set[str]) -> None:
    assert answers_of(parser, parser.parse(f"Is there a prison in {town}?")[0].form) == wanted


def test_the_step_says_what_is_counted(parser: DefaultParser) -> None:
    reading = parser.parse("Which town has the most prisons?")[0]
    first = begin(reading.form, reading.names).in_words().questions[0]
    assert first.startswith("How many prisons ")
