"""Eight people at once on one process: conversations stay apart, and every question is answered."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from backend.errors import ExecutionError
from benchmarks.__main__ import main
from benchmarks.chat import talks
from benchmarks.chat.talks import measure, report, serving

PEOPLE, QUESTIONS = 8, 3


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.mark.slow
def test_people_who_ask_at_once_are_answered_and_kept_apart(url: str) -> None:
    found = measure(url, PEOPLE, questions=QUESTIONS)
    print(report(found))
    assert found.answers == PEOPLE * QUESTIONS
    assert found.mixed == 0


def test_they_ask_what_a_file_holds_each_from_another_line_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def predict(text: str, api_name: str) -> tuple[str, None, list[str]]:
        asked.append(text)
        return "", None, []

    monkeypatch.setattr(talks, "_client", lambda url: SimpleNamespace(predict=predict))
    messages = tmp_path / "messages.txt"
    messages.write_text("one\ntwo\n\nthree\nfour\n")
    main(["chat", "--url", "http://here", "--people", "2", "--questions", "3", "--messages", str(messages)])
    assert "2 people at once, 6 answers" in capsys.readouterr().out
    assert Counter(asked) == Counter({"one": 2, "two": 1, "three": 2, "four": 1, talks.SIMPLE_QUESTIONS[0]: 2})


@pytest.mark.parametrize(("content", "message"), [(b"\n \n", "has no message"), (b"\xff\xfe", "cannot be read as text")])
def test_a_file_without_messages_is_named(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "messages.txt").write_bytes(content)
    with pytest.raises(ExecutionError, match=message):
        main(["chat", "--url", "http://here", "--messages", str(tmp_path / "messages.txt")])
