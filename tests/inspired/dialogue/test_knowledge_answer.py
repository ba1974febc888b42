"""A knowledge base asked from Python: answers as the facts are, corrections that change them, records that stay."""

import asyncio
import pickle
from pathlib import Path
from typing import Any

import pytest

import inspired
from backend.errors import InspiredError, KnowledgeBaseError, ParleyError
from tests.inspired.knowledge_base.test_graph import HOSPITAL

QUESTION = "Which rivers flow through countries that border Austria?"


@pytest.fixture(scope="module")
def answer() -> inspired.KnowledgeAnswer:
    return inspired.ask(QUESTION)


def test_each_step_has_words_a_query_and_answers(answer: inspired.KnowledgeAnswer) -> None:
    assert {"Danube River", "Rhine River"} <= set(answer.answers)
    assert [step.number for step in answer.steps] == [1, 2]
    assert {"Germany", "Italy", "Switzerland"} <= set(answer.steps[0].answers)
    assert "Austria" in answer.steps[0].query
    assert answer.text == ", ".join(answer.answers)
    assert "SELECT" in answer.parse
    assert answer.confidence is not None
    assert 0 < answer.confidence <= 1
    assert answer.table["answers"].tolist() == [step.answers for step in answer.steps]


def test_a_corrected_step_is_another_answer_and_the_first_stays(answer: inspired.KnowledgeAnswer) -> None:
    before = answer.answers
    assert "Which country borders Germany?" in answer.choices(1, "Which country borders Germany?")
    other = answer.correct(1, "Which country borders Germany?")
    assert "France" in other.steps[0].answers
    assert "Austria" in other.steps[0].answers
    assert answer.answers == before
    assert other.dialogue.record.feedback


def test_a_record_is_saved_and_opened_again(answer: inspired.KnowledgeAnswer, tmp_path: Path) -> None:
    path = answer.correct(1, "Which country borders Germany?").dialogue.save(tmp_path / "dialogue.json")
    again = inspired.load(path)
    assert again.dialogue.record.model_dump_json(indent=2) + "\n" == path.read_text("utf-8")
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(answer)


@pytest.mark.slow
def test_a_query_is_taken_apart_and_a_reading_chosen(answer: inspired.KnowledgeAnswer) -> None:
    assert [step.query for step in inspired.decompose(answer.parse).steps] == [step.query for step in answer.steps]
    assert len(answer.readings) > 1
    assert answer.choose(1).parse == answer.readings[1].parse


def test_an_own_file_is_asked(tmp_path: Path) -> None:
    facts = tmp_path / "my.ttl"
    facts.write_text(HOSPITAL, "utf-8")
    assert inspired.ask("Who is the head of the North ward?", kb=facts).answers == ("Anna Roth",)


@pytest.mark.parametrize("form", ["list", "dataset"])
def test_many_questions_make_a_frame_in_their_order(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows: Any = [{"question": "What is the capital of Austria?"}, {"question": "blorb?"}]
    if form == "dataset":
        rows = pytest.importorskip("datasets").Dataset.from_list(rows)
    table = inspired.run(rows, progress=False)
    assert capsys.readouterr().err == ""
    assert table["question"].tolist() == ["What is the capital of Austria?", "blorb?"]
    assert table["answers"].tolist() == [["Vienna"], []]
    assert table["problem"].isna().tolist() == [True, False]


def test_an_event_loop_goes_on_meanwhile() -> None:
    async def both() -> list[inspired.KnowledgeAnswer]:
        return list(await asyncio.gather(*(inspired.ask_async("What is the capital of Austria?") for _ in range(2))))

    assert [one.answers for one in asyncio.run(both())] == [("Vienna",), ("Vienna",)]


def test_records_are_a_data_set(answer: inspired.KnowledgeAnswer) -> None:
    pytest.importorskip("datasets")
    rows = inspired.to_dataset([answer])
    assert rows[0]["question"] == QUESTION
    assert rows[0]["final_answer"] == list(answer.answers)


def test_a_notebook_shows_the_steps_escaped(answer: inspired.KnowledgeAnswer) -> None:
    shown = answer._repr_html_()
    assert "Which country borders Austria?" in shown
    assert shown.count("<li>") >= 2
    assert set(answer._repr_mimebundle_()) == {"text/plain", "text/html"}
    assert answer._repr_mimebundle_()["text/plain"] == str(answer)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda answer: inspired.ask(""), InspiredError, "no question"),
        (lambda answer: inspired.ask("blorb?"), InspiredError, "."),
        (lambda answer: inspired.ask(QUESTION, kb="nowhere.ttl"), KnowledgeBaseError, "nowhere"),
        (lambda answer: answer.correct(9, "Which country borders Germany?"), InspiredError, "from 1 to 2"),
        (lambda answer: answer.correct(1, "Which country borders Germany?", choice=99), InspiredError, "no choice 99"),
        (lambda answer: answer.choose(99), InspiredError, "no reading 99"),
        (lambda answer: inspired.load("nowhere.json"), InspiredError, "Cannot read"),
        (lambda answer: inspired.run([{"q": "x"}], progress=False), InspiredError, "Row 1 has no question"),
    ],
)
@pytest.mark.slow
def test_a_mistake_is_said_in_a_sentence(
    call: Any, error: type[ParleyError], words: str, answer: inspired.KnowledgeAnswer
) -> None:
    with pytest.raises(error, match=words):
        call(answer)


@pytest.mark.parametrize(("name", "why"), [("none.json", "No such file"), ("folder", "Is a directory"), ("latin", "not UTF-8")])
def test_a_record_that_cannot_be_read_is_a_sentence(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin").write_bytes(b"\xfc")
    with pytest.raises(InspiredError, match=why) as caught:
        inspired.load(tmp_path / name)
    assert caught.value.message.count(name) == 1
    assert "Errno" not in caught.value.message
    assert "codec" not in caught.value.message
