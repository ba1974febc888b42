"""Questions for several columns: each answer once, with what else was asked of it beside it, wherever answers are shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspired.dialogue.conversations import Conversations
from inspired.dialogue.dialogue import answer_rows
from inspired.dialogue.session import Assistant, Parts, silent
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.knowledge_base.graph import read_graph
from inspired.knowledge_base.seam import KnowledgeBase
from inspired.parsers.query_graphs.columns import columns_asked, columns_of_one, questions_in
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.ui.answer_table import answer_table_html

FILMS = """
@prefix : <http://films.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label "film" . :Person rdfs:label "person" .
:ada a :Person ; rdfs:label "Ada Marwick" . :ben a :Person ; rdfs:label "Ben Okoro" . :cy a :Person ; rdfs:label "Cy Thorn" .
:f1 a :Film ; rdfs:label "Harbour Night" ; :director :ada ; :star :cy, :ben ; :minutes 95 ; :year 1984 .
:f2 a :Film ; rdfs:label "Quiet Orchard" ; :director :ada ; :star :cy ; :minutes 140 .
:f3 a :Film ; rdfs:label "Copper Road" ; :director :ben ; :star :ada ; :minutes 120 ; :year 1999 .
"""
OF_ADA = {"Harbour Night": (["1984"], ["Ben Okoro", "Cy Thorn"]), "Quiet Orchard": ([], ["Cy Thorn"])}
ASKED = [
    "List the films directed by Ada Marwick with their year and stars",
    "Which films did Ada Marwick direct and what are their year and their stars?",
    "Name, year and stars of the films directed by Ada Marwick",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "films.ttl").write_text(FILMS, encoding="utf-8")
    return tmp_path / "films.ttl"


@pytest.fixture
def kb(path: Path) -> Iterator[KnowledgeBase]:
    opened = open_knowledge_base(path)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("question", "whole", "columns"),
    [
        ("Which countries border France and what are their capitals?", "Which countries border France", ("capitals",)),
        ("List the films of X with their year", "List the films of X", ("year",)),
        ("Name, population and area of the states of Y", "list the states of Y", ("population", "area")),
        ("list films by X, together with its budget, and the genre", "list films by X", ("budget", "genre")),
    ],
)
def test_columns_are_taken_off_a_question(question: str, whole: str, columns: tuple[str, ...]) -> None:
    asked = columns_asked(question)
    assert asked is not None
    assert (asked.whole, asked.columns) == (whole, columns)


@pytest.mark.parametrize(
    "question",
    ["Which countries border France and Spain?", "Is the capital of France Paris?", "films with Ada", "the area of Peru"],
)
def test_other_questions_ask_for_one_column(question: str) -> None:
    assert columns_asked(question) is None


@pytest.mark.parametrize("question", ASKED)
def test_each_answer_comes_once_with_its_columns(path: Path, kb: KnowledgeBase, question: str) -> None:
    """A film without a year stays; its cell is empty."""
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": question})
    assert {each["name"]: tuple(each["columns"].values()) for each in result["answers"]} == OF_ADA
    assert [list(each["columns"]) for each in result["answers"]] == [["year", "star"]] * 2
    assert len(result["steps"]) == 3
    assert all(each["words"].endswith("?") for each in result["steps"])


def test_what_no_column_is_on_record_for_is_read_as_before(path: Path, kb: KnowledgeBase) -> None:
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": "films of Ada Marwick with their colour"})
    assert result["unused"] == ["colour"]


def test_the_screen_and_the_file_have_a_column_each(path: Path, kb: KnowledgeBase) -> None:
    parser = DefaultParser(read_graph(path))
    assistant = Assistant("films", "", lambda: Parts(kb, parser.graph, parser))
    dialogue = assistant.ask(ASKED[0], silent).dialogue
    assert dialogue.answers is not None
    html = answer_table_html(dialogue.answers.final)
    assert '<button type="button">Year</button>' in html
    assert '<button type="button">Star</button>' in html
    headings, *rows = answer_rows(dialogue)
    assert headings[-2:] == ("year", "star")
    assert [row[-2:] for row in rows if not row[0]] == [("1984", "Ben Okoro, Cy Thorn"), ("", "Cy Thorn")]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("capital and currency of peru", ("what is the capital of peru?", "what is the currency of peru?")),
        ("Who are the director and the star of X?", ("Who are the director of X?", "Who are the star of X?")),
        (
            "From whom did X become free and in which year?",
            ("From whom did X become free?", "in which year did X become free?"),
        ),
        ("when did X become free and from whom", ("when did X become free?", "from whom did X become free?")),
        ("Where does X begin and into which sea does it end?", ("Where does X begin?", "into which sea does it end?")),
        ("When was X made and who directed it?", ("When was X made?", "who directed it?")),
        ("What is the year of X? And how long is it?", ("What is the year of X?", "how long is it?")),
    ],
)
def test_two_questions_in_one_are_taken_apart(question: str, parts: tuple[str, ...]) -> None:
    assert (columns_of_one(question) or questions_in(question)) == parts


@pytest.mark.parametrize(
    "question",
    [
        "What is the area of Trinidad and Tobago?",
        "Who was born in Rome and who died in Paris?",
        "Which country is largest and most populous?",
        "Which countries lie in Africa and where Spanish is spoken?",
        "Are there dragons that cannot fly? Which ones?",
    ],
)
def test_what_only_narrows_is_no_second_question(question: str) -> None:
    assert questions_in(question) == ()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What are the year and star of Harbour Night?", {"Harbour Night": [["1984"], ["Ben Okoro", "Cy Thorn"]]}),
        ("What is the year of Harbour Night and who directed it?", {"Harbour Night": [["1984"], ["Ada Marwick"]]}),
        ("What is the year of Harbour Night? And who are the stars?", {"Harbour Night": [["1984"], ["Ben Okoro", "Cy Thorn"]]}),
        ("Which film stars Ada Marwick and how many minutes is it?", {"Copper Road": [["120"]]}),
        (
            "Which films did Ada Marwick direct? Who stars in them?",
            {"Harbour Night": [["Ben Okoro", "Cy Thorn"]], "Quiet Orchard": [["Cy Thorn"]]},
        ),
    ],
)
def test_two_questions_about_the_same_are_answered_together(
    path: Path, kb: KnowledgeBase, question: str, answers: dict[str, list[list[str]]]
) -> None:
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": question})
    assert {each["name"]: [*each["columns"].values()] for each in result["answers"]} == answers
    assert not result["unused"]


@pytest.mark.parametrize(
    "question",
    [
        "minutes of Harbour Night and Copper Road",
        "What are the minutes of Harbour Night vs Copper Road?",
        "minutes Harbour Night vs Copper Road",
        "minutes of Harbour Night and of Copper Road",
    ],
)
def test_a_value_of_several_things(path: Path, kb: KnowledgeBase, question: str) -> None:
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": question})
    assert {each["name"]: [*each["columns"].values()] for each in result["answers"]} == {
        "Harbour Night": [["95"]],
        "Copper Road": [["120"]],
    }


def test_things_of_several_are_those_of_all_of_them(path: Path, kb: KnowledgeBase) -> None:
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": "stars of Harbour Night and Quiet Orchard"})
    assert [each["name"] for each in result["answers"]] == ["Cy Thorn"]


@pytest.mark.parametrize(
    ("question", "directors"),
    [
        ("directors of Harbour Night and Copper Road", {"Harbour Night": ["Ada Marwick"], "Copper Road": ["Ben Okoro"]}),
        (
            "stars of Harbour Night, Quiet Orchard and Copper Road",
            {"Harbour Night": ["Ben Okoro", "Cy Thorn"], "Quiet Orchard": ["Cy Thorn"], "Copper Road": ["Ada Marwick"]},
        ),
    ],
)
def test_things_that_two_have_not_in_common_are_those_of_each(
    path: Path, kb: KnowledgeBase, question: str, directors: dict[str, list[str]]
) -> None:
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": question})
    assert {each["name"]: next(iter(each["columns"].values())) for each in result["answers"]} == directors


def test_what_cannot_be_a_column_is_said(path: Path, kb: KnowledgeBase) -> None:
    asked = "What are the director and the oldest star of Quiet Orchard?"
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": asked})
    assert [each["name"] for each in result["answers"]] == ["Ada Marwick"]
    assert result["unused"] == ["What are the oldest star of Quiet Orchard"]


def test_adjectives_are_no_questions_of_their_own(path: Path, kb: KnowledgeBase) -> None:
    """As columns these would be "the longest of Ada Marwick"; the words are read together, as before."""
    asked = "the longest and newest film of Ada Marwick"
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": asked})
    assert [each["name"] for each in result["answers"]] == ["Quiet Orchard"]
    assert not any(" of " in each for each in result["unused"])


def test_he_is_who_the_first_question_finds_and_not_what_it_names(path: Path, kb: KnowledgeBase) -> None:
    asked = "Who directed Quiet Orchard and how many minutes does he have?"
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": asked})
    assert [each["name"] for each in result["answers"]] == ["Ada Marwick"]
    assert result["unused"] == ["how many minutes does he have"]


def test_a_second_question_that_cannot_be_answered_beside_the_first_is_said(path: Path, kb: KnowledgeBase) -> None:
    asked = "Who directed Quiet Orchard and how many minutes are there in Copper Road?"
    result = Conversations(kb, DefaultParser(read_graph(path))).answer({"question": asked})
    assert [each["name"] for each in result["answers"]] == ["Ada Marwick"]
    assert result["unused"] == ["how many minutes are there in Copper Road"]
