"""The measurement from Python finds what was planted, in one sample and over rows of any kind."""

import asyncio
import json
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import faithfulness
from backend.errors import FaithfulnessError, ParleyError

QUESTION = "Where does the river end?"
PASSAGE = "The river rises in the hills of Arn. It is fed by snow and rain. In the end it flows into Lake Quill, near the town."
NO_MODEL: Any = 3
CHAT = "Thought: The text says so.\nKeywords: {}\nShort answer: {}"


def reader(prompt: str) -> str:
    """A model that knows nothing: it answers by the words "Lake Quill" of the text before it, and names them."""
    asked = prompt.rsplit("\n\n", 1)[-1]
    return CHAT.format("Lake, Quill", "Lake Quill") if "Lake Quill" in asked else CHAT.format("river", "unknown")


def liar(prompt: str) -> str:
    asked = prompt.rsplit("\n\n", 1)[-1]
    return CHAT.format("snow", "Lake Quill") if "Lake Quill" in asked else CHAT.format("snow", "unknown")


@pytest.fixture(scope="module")
def answer() -> faithfulness.EvidenceAnswer:
    return faithfulness.explain(QUESTION, PASSAGE, model=reader, answers=["Lake Quill"], protocol="chat")


def test_what_the_model_reads_is_what_is_found(answer: faithfulness.EvidenceAnswer) -> None:
    assert answer.answer == "Lake Quill"
    assert answer.correct
    assert [region.sufficient for region in answer.regions] == ["Lake Quill" in region.text for region in answer.regions]
    needed = [words for region in answer.regions for words in region.necessary]
    assert needed
    assert all("Lake" in words or "Quill" in words for words in needed)
    assert answer.f == pytest.approx(1.0)
    assert answer.keywords == ("Lake", "Quill")


def test_keywords_that_are_not_needed_score_nothing() -> None:
    answer = faithfulness.explain(QUESTION, PASSAGE, model=liar, answers=["Lake Quill"], protocol="chat")
    assert answer.f == 0.0


def test_the_result_is_json_whose_spans_are_in_the_passage(answer: faithfulness.EvidenceAnswer) -> None:
    result = json.loads(json.dumps(answer.result))
    assert {"answer", "correct", "stages", "spans", "keywords", "score", "controls", "calls"} <= set(result)
    assert [PASSAGE[span["start"] : span["end"]] for span in result["spans"]] == [span["text"] for span in result["spans"]]
    assert result["score"]["f"] == answer.f
    assert all(0 <= value <= 1 for value in answer.controls.values())
    assert (
        len(answer.table)
        == len(result["calls"])
        == sum((1, 1, result["stages"]["regions"]["asked"], result["stages"]["groups"]["asked"]))
    )


def test_by_the_letter_of_the_paper_is_all_by_its_letter(tmp_path: Path) -> None:
    """Prompt, cuts and keywords: "uil" is part of "Quill"."""
    asked: list[str] = []

    def one_line(prompt: str) -> str:
        asked.append(prompt)
        named = "Lake Quill" if "Lake Quill" in prompt.rsplit("The following text", 1)[-1] else "unknown"
        return f"Thought: so, Keywords: uil, Short answer: {named}"

    answer = faithfulness.explain(QUESTION, PASSAGE, model=one_line, answers=["Lake Quill"], paper=True)
    assert any(f"The following text might be useful in answering the question: {PASSAGE}" in prompt for prompt in asked)
    assert [len(region.text.split()) for region in answer.regions] == [9, 9, 8]  # 26 words
    assert answer.f == 0.75  # "Lake" and "Quill" are in two groups
    assert faithfulness.explain(QUESTION, PASSAGE, model=one_line, answers=["Lake Quill"], protocol="paper").f == 0.0
    done = faithfulness.run(ROWS[:1], model=one_line, out=tmp_path / "run", paper=True, progress=False)
    assert done.summary["F"].tolist() == [0.75]


def test_without_answers_the_model_is_measured_by_its_own() -> None:
    answer = faithfulness.explain(QUESTION, PASSAGE, model=reader, protocol="chat")
    assert answer.report.sample.answers == ("Lake Quill",)


def test_a_notebook_shows_the_marked_passage_escaped() -> None:
    hostile = PASSAGE.replace("snow", "<b>snow</b>")
    shown = faithfulness.explain(QUESTION, hostile, model=reader, answers="Lake Quill", protocol="chat")._repr_html_()
    assert "<b>" not in shown
    assert "<strong>Lake</strong>" in shown


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: faithfulness.explain("", PASSAGE, model=reader, answers=["x"]), "a question"),
        (lambda: faithfulness.explain(QUESTION, PASSAGE, model="gpt-nowhere"), "base_url"),
        (lambda: faithfulness.explain(QUESTION, PASSAGE, model=NO_MODEL), "a function from prompt"),
        (lambda: faithfulness.explain(QUESTION, PASSAGE, model=reader, base_url="http://x"), "was brought"),
        (lambda: faithfulness.load("nowhere-at-all"), "no run"),
        (lambda: faithfulness.run(3, model=reader, out="unused"), "list of mappings"),
    ],
)
def test_a_mistake_is_said_in_a_sentence(call: Any, words: str) -> None:
    with pytest.raises(ParleyError, match=words):
        call()


ROWS = [{"id": str(number), "question": QUESTION, "context": PASSAGE, "answers": ["Lake Quill"]} for number in range(3)]


@pytest.mark.parametrize("form", ["list", "frame", "dataset", "file"])
def test_rows_of_any_kind_run_and_go_on_without_asking_again(form: str, tmp_path: Path) -> None:
    rows: Any = ROWS
    if form == "frame":
        rows = pd.DataFrame(ROWS)
    elif form == "dataset":
        rows = pytest.importorskip("datasets").Dataset.from_list(ROWS)
    elif form == "file":
        rows = tmp_path / "rows.jsonl"
        rows.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    asked: list[str] = []

    def counted(prompt: str) -> str:
        asked.append(prompt)
        return reader(prompt)

    done = faithfulness.run(rows, model=counted, out=tmp_path / "run", protocol="chat", progress=False)
    assert done.summary["F"].tolist() == [1.0]
    assert done.table["id"].tolist() == ["0", "1", "2"]
    calls = len(asked)
    again = faithfulness.run(rows, model=counted, out=tmp_path / "run", protocol="chat", progress=False)
    assert len(asked) == calls
    assert again.table.equals(done.table)
    assert done.answers("counted")["1"].f == 1.0
    with pytest.raises(FaithfulnessError, match="no model 'nobody'; there are counted"):
        done.answers("nobody")
    assert done.report(tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")
    assert faithfulness.load(tmp_path / "run").summary.equals(done.summary)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(done)


def test_an_event_loop_goes_on_meanwhile(answer: faithfulness.EvidenceAnswer, tmp_path: Path) -> None:
    async def both() -> Any:
        alone = faithfulness.explain_async(QUESTION, PASSAGE, model=reader, answers=["Lake Quill"])
        rows = faithfulness.run_async(ROWS, model=reader, out=tmp_path / "run", protocol="chat", progress=False)
        return await asyncio.gather(alone, rows)

    one, run = asyncio.run(both())
    assert (one.f, one.keywords) == (answer.f, answer.keywords)
    assert run.summary["F"].tolist() == [1.0]


def test_a_run_is_a_data_set(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    run = faithfulness.run(ROWS, model=reader, out=tmp_path / "run", protocol="chat", progress=False)
    assert run.to_dataset()["id"][:] == run.table["id"].tolist() == ["0", "1", "2"]


def test_progress_is_a_bar_where_it_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faithfulness.run(ROWS, model=reader, out=tmp_path / "quiet", protocol="chat", progress=False)
    assert capsys.readouterr().err == ""
    faithfulness.run(ROWS, model=reader, out=tmp_path / "run", protocol="chat", progress=True)
    assert "3/3" in capsys.readouterr().err


def test_two_models_stand_side_by_side(tmp_path: Path) -> None:
    done = faithfulness.run(ROWS, model=[reader, liar], out=tmp_path / "run", protocol="chat", progress=False)
    assert done.summary["F"].to_dict() == {"reader": 1.0, "liar": 0.0}
    with pytest.raises(FaithfulnessError, match="same name"):
        faithfulness.run(ROWS, model=[reader, reader], out=tmp_path / "other", progress=False)
