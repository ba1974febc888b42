"""A run asks models of every kind of server by the chat protocol, and the report says what had to be changed for it."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from backend.models.language_models import LanguageModel, OpenAIEndpoint
from faithfulness.commands.run import unreadable_warning
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.reports.page import report_html
from faithfulness.reports.tables import markdown_report, tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.run import RunSpecification, run_study
from tests.backend.models.language_models.recorded_servers import KINDS, RecordedServer, chat_reply
from tests.faithfulness.planted import write_rows

ROWS = 3
CALLS = ROWS * (1 + 1 + 3 + 5)


def answer(asked: dict[str, Any]) -> str:
    """The planted answer in the form of the chat protocol, if the text shown holds it."""
    last = asked["messages"][-1]["content"]
    number = re.search(r"what is item (\d+)", last)
    known = f"value {number[1]}" in last if number else False
    value = f"value {number[1]}" if number and known else "nothing"
    return f"Thought: so the text says.\nKeywords: {value}\nShort answer: {value}"


@pytest.fixture
def servers() -> Iterator[list[RecordedServer]]:
    made: list[RecordedServer] = []
    yield made
    for each in made:
        each.close()


def once(profile: Profile) -> LanguageModel:
    assert profile.base_url
    return OpenAIEndpoint(profile.base_url, profile.name, retries=0)


def finish(server: RecordedServer, path: Path, **asked: Any) -> RunFolder:
    write_rows(path / "rows.jsonl", ROWS)
    profile = profile_of("m", server.url, in_flight=4, **asked)
    folder = RunFolder(path / "out")
    for _ in run_study(
        RunSpecification(str(path / "rows.jsonl"), (profile,), Plan()), folder, open_model=once, metric=Metric()
    ):
        pass
    return folder


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_every_kind_of_server_is_explained(kind: str, servers: list[RecordedServer], tmp_path: Path) -> None:
    servers.append(RecordedServer(KINDS[kind](answer)))
    tables = tables_of(finish(servers[0], tmp_path))
    figures = tables.as_json()["models"]["m"]
    assert [figures[name] for name in ("n", "answered", "necessary")] == [ROWS] * 3
    assert [figures[name] for name in ("unreadable", "cut", "empty")] == [0] * 3
    thinks_in_its_limit = kind.startswith("OpenAI") or kind in ("Google, compatible", "llama.cpp")
    assert figures["lengthened"] == (CALLS if thinks_in_its_limit else 0)
    hidden = ("Google, compatible", "Anthropic, compatible", "a strict server")  # they tell nothing of thoughts
    assert figures["reasoned"] == (0 if kind in hidden else CALLS)
    for what in figures["adjustments"]:
        assert what[1:] in unescape(markdown_report(tables))
    assert bool(figures["adjustments"]) == (kind.startswith("OpenAI") or kind == "Anthropic, compatible")


def test_with_room_from_the_start_nothing_is_asked_twice(servers: list[RecordedServer], tmp_path: Path) -> None:
    servers.append(RecordedServer(KINDS["llama.cpp"](answer)))
    folder = finish(servers[0], tmp_path, reply_tokens=2000)
    assert unreadable_warning("m", folder) == ""
    figures = tables_of(folder).as_json()["models"]["m"]
    assert figures["lengthened"] == 0
    assert len(servers[0].asked) == CALLS


def test_replies_that_stay_cut_or_empty_are_counted_and_never_read(servers: list[RecordedServer], tmp_path: Path) -> None:
    """The closed book is cut twice; every other reply has no content, which some servers send for a reply they withheld."""

    def rules(asked: dict[str, Any]) -> tuple[int, Any]:
        closed = "This text might help" not in asked["messages"][-1]["content"]
        return chat_reply("<think>\nLet me see", "length") if closed else chat_reply(None, "content_filter")

    servers.append(RecordedServer(rules))
    folder = finish(servers[0], tmp_path)
    tables = tables_of(folder)
    warned = unreadable_warning("m", folder)
    assert warned.startswith(
        "m: 6 of 6 replies could not be read and count as wrong; 3 of them were cut by the limit of tokens, 6"
    )
    figures = tables.as_json()["models"]["m"]
    assert [figures[name] for name in ("answered", "unreadable", "cut", "empty", "lengthened")] == [0, 6, 3, 6, 6]
    assert len(servers[0].asked) == 2 * ROWS * 2
    assert "| Replies cut by the limit of tokens, empty | 3, 6 |" in markdown_report(tables)
    assert "Replies asked for again with more tokens" in report_html(tables)
