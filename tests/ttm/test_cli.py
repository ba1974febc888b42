"""The command line, run as people and programs run it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ttm.__main__ as cli
from backend.program import command_line
from backend.program.settings import Settings
from backend.storage.collected import Correction, add_correction
from backend.storage.database import Database

ROOT = Path(__file__).parents[2]


@pytest.fixture
def told(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command line in this process: exit code, lines on stdout, lines on stderr."""

    def run(*arguments: str) -> tuple[int, list[str], list[str]]:
        code = command_line.run("ttm", cli.main, [*arguments, "--data-dir", str(data_dir)])
        out, err = capsys.readouterr()
        return code, out.splitlines(), err.splitlines()

    return run


def test_answers_are_one_json_object_a_line_in_one_conversation(told: Any) -> None:
    questions = ("how many people have age above 50?", "what does the model predict for these people?")
    code, lines, complaints = told("answer", "--dataset", "diabetes", "--json", *questions)
    assert code == 0, complaints
    first, second = (json.loads(line) for line in lines)
    assert set(first) == {
        "utterance", "parse", "readings", "confidence", "unused", "asked", "refused", "text", "result",
    }  # fmt: skip
    assert first["readings"][0]["parse"] == first["parse"]
    assert (first["asked"], first["refused"]) == (False, False)
    assert first["utterance"] == questions[0]
    assert first["parse"] == "filter age greater than 50 and countdata [e]"
    assert "above 50" in second["result"][0]["group"]["words"]
    assert second["result"][0]["group"]["rows"] == first["result"][0]["group"]["rows"]


def batch(*conversations: tuple[object, str]) -> str:
    return "".join(json.dumps({"conversation": name, "utterance": text}) + "\n" for name, text in conversations)


def test_a_batch_answers_each_conversation_by_itself_and_goes_on_after_bad_lines(told: Any, tmp_path: Path) -> None:
    lines = batch(("a", "how many people have age above 50?"), (7, "how many people have bmi above 40?"))
    lines += 'no json\n{"utterance": "hello"}\n\n{"conversation": "a", "utterance": 5}\n'
    lines += batch(("a", "  "), ("a", "what does the model predict for these people?"))
    path = tmp_path / "questions.jsonl"
    path.write_text(lines, "utf-8")
    code, out, complaints = told("answer", "--dataset", "diabetes", "--json", "--in", str(path))
    assert code == 0, complaints
    records = [json.loads(line) for line in out]
    assert [record.get("line") for record in records] == [None, None, 3, 4, 6, 7, None]
    assert all("conversation" in record["error"] for record in records[2:5])
    assert "question" in records[5]["error"]
    assert [record["conversation"] for record in (records[0], records[1], records[6])] == ["a", 7, "a"]
    assert records[6]["result"][0]["group"]["rows"] == records[0]["result"][0]["group"]["rows"]


def test_a_batch_comes_from_standard_input_as_well(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = batch(("a", "hello"), ("a", "tell me a joke about the weather in Oslo"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    code, out, _ = told("answer", "--dataset", "diabetes", "--json", "--in", "-")
    hello, joke = (json.loads(line) for line in out)
    assert code == 0
    assert (hello["parse"], hello["asked"], hello["refused"]) == (None, False, False)
    assert joke["parse"] is None
    assert joke["asked"] or joke["refused"]


@pytest.mark.parametrize(
    ("content", "problem"), [(b"", "holds no line"), (b"\n \n", "no line"), (b"M\xfcnchen", "line 1: this is not UTF-8")]
)
def test_a_file_without_a_line_that_can_be_read_is_an_error(content: bytes, problem: str, told: Any, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(content)
    code, out, (complaint,) = told("answer", "--dataset", "diabetes", "--json", "--in", str(path))
    assert (code, out) == (2, [])
    assert problem in complaint


def test_parses_are_carried_out_with_unrounded_numbers(told: Any) -> None:
    code, lines, _ = told("execute", "--json", "filter age greater than 50 and likelihood", "previousfilter and score accuracy")
    assert code == 0
    turns = [json.loads(line) for line in lines]
    assert turns[0]["result"][0]["group"]["rows"] == turns[1]["result"][0]["group"]["rows"]
    numbers = [text for text in json.dumps(turns[0]["result"]).replace(",", " ").split() if text.startswith("0.")]
    assert max(map(len, numbers)) > 10


def test_execution_goes_on_after_a_bad_parse(told: Any) -> None:
    code, lines, complaints = told("execute", "--json", "filter shoesize greater than 40", "filter id 5 and show")
    assert code == 2
    assert [json.loads(line)["parse"] for line in lines] == ["filter id 5 and show [e]"]
    assert len(complaints) == 1
    assert "shoesize" in complaints[0]


def test_without_json_a_person_can_read_it(told: Any) -> None:
    code, lines, _ = told("execute", "filter id 5 and show")
    assert code == 0
    assert lines[0] == "> filter id 5 and show [e]"
    assert any("glucose" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("execute", "--json", "filter shoesize greater than 40"), "shoesize"),
        (("answer", "--dataset", "nonsense", "--json", "hello"), "diabetes, german, compas"),
        (("answer", "--json", "   "), "no question"),
        (("answer", "--json"), "QUESTION"),
        (("answer", "--jsno", "hello"), "--jsno"),
        (("answer", "--data", "nowhere.csv", "--target", "y", "hello"), "nowhere.csv"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(told: Any, arguments: tuple[str, ...], word: str) -> None:
    code, lines, complaints = told(*arguments)
    assert code == 2
    assert lines == []
    assert len(complaints) == 1
    assert word in complaints[0]


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([command, "--help"])
    assert end.value.code == 0
    assert "--help" in capsys.readouterr().out


@pytest.mark.parametrize(("stated", "taken"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_commands_side_by_side_compute_on_one_core_each(stated: dict[str, str], taken: str) -> None:
    code = "import os, sys, ttm.commands; print('numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'])"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | stated
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", taken]


def test_help_loads_nothing_heavy() -> None:
    """Help is there at once because no library is loaded that it does not need."""
    heavy = {"gradio", "numpy", "pandas", "scipy", "sklearn", "sqlalchemy", "torch", "transformers"}
    code = (
        "import sys\nfrom ttm.__main__ import main\n"
        f"try: main(['--help'])\nfinally: print(sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "explain-bench" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_a_chat_in_a_terminal(data_dir: Path, tmp_path: Path) -> None:
    """The one command that is started as a program; the others run in this process."""
    file = tmp_path / "talk.md"
    lines = ["how many people have age above 50?", "/parse filter age greater than 60 and countdata", "/parse nonsense", "",
             "/undo", "/undo", "/export talk.pdf", "how many are there?", f"/export {file}", "/help", "/quit"]  # fmt: skip
    command = [sys.executable, "-m", "ttm", "chat", "--dataset", "diabetes", "--data-dir", str(data_dir)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, input="\n".join(lines))
    assert done.returncode == 0, done.stderr
    assert "predicts whether a person is likely to have diabetes" in done.stdout
    assert "Took back: how many people have age above 50?" in done.stdout
    assert "There is nothing to take back." in done.stdout
    assert '"nonsense" does not fit' in done.stdout
    assert "ends in .html, .md, .json" in done.stdout
    assert "how many are there?" in file.read_text("utf-8")


@pytest.mark.slow
def test_a_chat_ends_with_its_input(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("how many people are there?"))
    code, lines, _ = told("chat")
    assert code == 0
    assert any("308" in line for line in lines), lines


def test_corrections_are_written_out(told: Any, data_dir: Path) -> None:
    database = Database(Settings(data_dir=data_dir).database_address)
    add_correction(database, Correction("good?", "predict [e]", "score accuracy [e]", "diabetes"))
    add_correction(database, Correction("hm", "predict [e]", "show [e]", "german"))
    database.close()
    assert told("corrections", "--of", "diabetes")[1] == ["good?", "score accuracy [E]", ""]
    assert [json.loads(line)["dataset"] for line in told("corrections", "--json")[1]] == ["diabetes", "german"]
    assert told("corrections", "--of", "compas") == (0, [], [])
    code, lines, (complaint,) = told("corrections", "--of", "nope")
    assert (code, lines) == (2, [])
    assert (
        "No data set 'nope' is known here. With corrections: diabetes, german; with Parley come diabetes, german, compas."
        in complaint
    )
