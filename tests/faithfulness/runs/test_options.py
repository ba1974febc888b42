"""What is said on the command line reaches the server, the data and the screen."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.errors import FaithfulnessError, ModelUnusable, ParleyError
from faithfulness.__main__ import main
from faithfulness.commands.run import _totals
from faithfulness.reports.tables import tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.run import RunProgress
from tests.backend.models.language_models.recorded_servers import RecordedServer, Served, chat_reply, openai_error

pytestmark = pytest.mark.slow

ROW = {"frage": "what is it", "text": "Alpha beta gamma. It is gold now. Eta theta iota.", "antwort": "gold"}


def replies(asked: dict[str, Any]) -> Served:
    known = "gold" if "is gold" in asked["messages"][-1]["content"] else "tin"
    return chat_reply(f"Sure!\nThought: so it says.\nKeywords: {known}\nShort answer: {known}")


@pytest.fixture
def server() -> Iterator[RecordedServer]:
    made = RecordedServer(replies)
    yield made
    made.close()


def asked(server: RecordedServer, data: str, out: Path, *more: str) -> list[str]:
    return ["run", "--data", data, "--columns", "question=frage,context=text,answers=antwort", "--model", "m",
            "--base-url", server.url, "--no-redaction", "--out", str(out), *more]  # fmt: skip


def rows(path: Path) -> str:
    path.write_text(json.dumps(ROW))
    return str(path)


def test_options_and_columns_reach_server_and_data(server: RecordedServer, tmp_path: Path) -> None:
    options = ["--reply-tokens", "77", "--temperature", "0.5", "--fields", '{"top_k": 3}', "--retries", "0"]
    assert main(asked(server, rows(tmp_path / "rows.jsonl"), tmp_path / "out", *options)) == 0
    sent = {(each["max_tokens"], each["temperature"], each["top_k"]) for each in server.asked}
    assert sent == {(77, 0.5, 3)}
    figures = tables_of(RunFolder(tmp_path / "out")).as_json()["models"]["m"]
    assert (figures["answered"], figures["necessary"]) == (1, 1)
    assert figures["lenient"] == figures["calls"] == len(server.asked)  # "Sure!" stands before each


@pytest.mark.parametrize("retries", [0, 1])
def test_a_failed_request_is_made_again_as_often_as_is_said(retries: int, tmp_path: Path) -> None:
    failing = RecordedServer(lambda fields: openai_error(500, "boom"))
    try:
        with pytest.raises(ModelUnusable, match="boom"):
            main(asked(failing, rows(tmp_path / "rows.jsonl"), tmp_path / "out", "--retries", str(retries)))
    finally:
        failing.close()
    assert 1 + retries <= len(failing.asked) <= 4 * (1 + retries)  # others may be on their way when the first one ends the run


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pyarrow and its libraries, while they are imported
def test_a_folder_is_read_behind_hf_as_well_and_one_that_is_not_there_is_named(server: RecordedServer, tmp_path: Path) -> None:
    import datasets

    saved = tmp_path / "saved"
    datasets.Dataset.from_list([ROW]).save_to_disk(str(saved))
    assert main(asked(server, f"hf:{saved}", tmp_path / "out")) == 0
    for source, words in {f"hf:{tmp_path}/none": f"there is no folder {tmp_path}/none", "hf:": "it names none"}.items():
        with pytest.raises(FaithfulnessError, match=re.escape(words)):
            main(asked(server, source, tmp_path / "other"))


def test_a_run_with_ray_says_when_it_pays(server: RecordedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = asked(server, rows(tmp_path / "rows.jsonl"), tmp_path / "out", "--backend", "ray", "--ray-address", "nowhere")
    with pytest.raises(ParleyError):  # there is no such cluster, or no Ray
        main(command)
    assert "Ray pays for models that run on its nodes; a server is asked as fast by --backend local." in capsys.readouterr().out
    assert server.asked == []


def test_a_run_shows_what_it_has_spent_and_will() -> None:
    assert _totals(RunProgress("m", 10, 3, calls=1200, tokens=5000), 1) == "1,200 calls, 5,000 tokens"
    shown = _totals(RunProgress("m", 10, 3, calls=12, tokens=50, dollars=2.0), 1)
    assert shown == "12 calls, 50 tokens, $2.00 of about $9.00"  # two rows for two dollars, of nine
