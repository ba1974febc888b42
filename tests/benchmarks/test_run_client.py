"""What a run costs beside a server: every call is counted, and the floor is that of the calls alone."""

import json
from pathlib import Path

import pytest

from benchmarks.faithfulness.run_client import measured, write_rows
from benchmarks.faithfulness.server import NOTHING, reply
from tests.faithfulness.planted import Endpoint


def test_the_cost_is_that_of_the_calls_that_the_server_saw(tmp_path: Path) -> None:
    server = Endpoint()
    try:
        cost = measured(tmp_path, server.url, rows=4, delay=0.05, in_flight=2)
    finally:
        server.close()
    assert (cost.rows, cost.calls, cost.in_flight) == (4, server.requests, 2)
    assert cost.calls >= 4 * (1 + 1 + 3 + 5)
    assert cost.floor == pytest.approx(server.requests * 0.05 / 2)
    assert cost.asked > 0
    assert cost.ratio == pytest.approx(cost.wall / cost.floor)
    assert cost.memory_end is None or cost.memory_end > 20
    assert f"4 rows, {server.requests} calls of 50 ms, 2 in flight" in cost.sentence()


def test_the_server_answers_from_the_text_that_is_shown(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", 12)
    row = json.loads((tmp_path / "rows.jsonl").read_text().splitlines()[0])
    for passage, answer in ((row["context"], "value 1"), ("value 12 now", NOTHING), ("", NOTHING)):
        prompt = f"An example.\n\nPassage: {passage}\nQuestion: {row['question']}\nAnswer:"
        head, body = reply(json.dumps({"prompt": prompt}).encode()).split(b"\r\n\r\n")
        assert f"Content-Length: {len(body)}".encode() in head
        assert json.loads(body)["choices"][0]["text"].split("\n")[0] == f" {answer}"
