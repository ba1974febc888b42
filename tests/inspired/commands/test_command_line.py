"""`python -m inspired` as a person meets it: what it writes, and one clear line where it cannot."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.program.command_line import run
from inspired.__main__ import COMMANDS, main
from tests.inspired.conftest import Query

FIELDS = ["ID", "type", "compact", "sub_lfs", "templated", "predicates", "recomposed", "error"]


@pytest.fixture
def source(tmp_path: Path, queries: list[Query]) -> Path:
    path = tmp_path / "questions.jsonl"
    lines = [{"ID": each.id, "sparql": each.sparql, "question": "?", "topic_entity": each.names, "more": 1} for each in queries]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", "utf-8")
    return path


def called(*arguments: Path | str) -> int:
    return run("python -m inspired", main, [str(each) for each in arguments])


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_each_record_becomes_a_line(
    source: Path, tmp_path: Path, queries: list[Query], capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "steps.jsonl"
    assert called("decompose", "--in", source, "--out", target) == 0
    lines = lines_of(target)
    assert [line["ID"] for line in lines] == [query.id for query in queries]
    for line, query in zip(lines, queries, strict=True):
        assert list(line) == FIELDS
        assert line["error"] is None
        assert line["type"] == query.type
        assert query.steps == len(line["sub_lfs"]) == len(line["templated"]) == len(line["predicates"])
        assert not any(f"ns:{id_} " in line["compact"] for id_ in query.names)
    assert f"{len(queries)} queries written" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["questions.jsonl", "steps.jsonl"]


def test_gzipped_files_and_other_words(source: Path, tmp_path: Path) -> None:
    packed = tmp_path / "questions.jsonl.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "template_corpus.json").write_text(
        '{"[\'location.country.capital\']": ["the land(s) ruled from <PLD>"]}', "utf-8"
    )
    assert called("decompose", "--in", packed, "--out", tmp_path / "out.jsonl", "--corpus", corpus) == 0
    assert "ruled from Paris" in lines_of(tmp_path / "out.jsonl")[0]["templated"][0]


def test_a_query_outside_the_subset_is_an_error_in_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"ID": "a", "sparql": "SELECT ?x { GRAPH ?g { ?x ns:a.b.c ?y } }"}\n', "utf-8")
    assert called("decompose", "--in", source, "--out", tmp_path / "out.jsonl") == 0
    (line,) = lines_of(tmp_path / "out.jsonl")
    assert "GRAPH" in line["error"]
    assert line["templated"] == []
    assert "1 could not be split" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"not json\n", "line 1: this is not JSON"),
        (b'{"ID": "a", "sparql": "x"}\n{"ID": "b"}\n', "line 2: sparql"),
        (b"[1, 2]\n", "line 1"),
        (b"\xff\xfe\n", "line 1: this is not UTF-8"),
        (b"", "holds no line"),
        (b"\n\n", "holds no line"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, told: str
) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(content)
    assert called("decompose", "--in", source, "--out", target) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not target.exists()
    assert list(tmp_path.iterdir()) == [source]


def test_records_come_from_standard_input_as_well(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source.read_bytes())))
    assert called("decompose", "--in", "-", "--out", tmp_path / "piped.jsonl") == 0
    assert called("decompose", "--in", source, "--out", tmp_path / "read.jsonl") == 0
    assert lines_of(tmp_path / "piped.jsonl") == lines_of(tmp_path / "read.jsonl")


def test_wrong_arguments_are_one_line_and_exit_code_two(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.jsonl"
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress(source.read_bytes())[:40])
    for arguments in (
        ["decompose", "--in", tmp_path / "none.jsonl", "--out", target],
        ["decompose", "--in", broken, "--out", target],
        ["decompose", "--in", source, "--out", source],
        ["decompose", "--in", source, "--out", tmp_path / "no" / "folder.jsonl"],
        ["decompose", "--in", source, "--out", target, "--corpus", tmp_path],
        ["decompose", "--in", source, "--out", target, "--corpus", tmp_path / "none"],
        ["decompose", "--in", source],
        ["answer"],
        [],
    ):
        assert called(*arguments) == 2, arguments
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
def test_as_a_program(tmp_path: Path, source: Path) -> None:
    target = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "inspired", "decompose", "--in", str(source), "--out", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr
    assert target.exists()


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_every_command_explains_itself(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0
    assert "usage: python -m inspired" in capsys.readouterr().out
