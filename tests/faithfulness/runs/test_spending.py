"""What a run may spend, what it is expected to, and that no key is ever written down."""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from backend.errors import FaithfulnessError
from faithfulness.__main__ import main
from faithfulness.baselines.baseline_run import run_baselines
from faithfulness.commands.options import variable
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.runs.estimate import estimate, estimates
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.rows import Row, read_rows
from faithfulness.runs.run import RunSpecification, run_study
from faithfulness.runs.spending import RowSpent, expected_of
from tests.faithfulness.planted import ROWS, Endpoint

KEY = "sk-live-0123456789abcdefghij"
CALLS = 1 + 1 + 3 + 3 + 5  # of a row: the planted answer stands in one region, and three calls test the keywords


def asked(rows: Path, endpoint: Endpoint, out: Path, *more: str) -> list[str]:
    return ["run", "--data", str(rows), "--model", "planted", "--base-url", endpoint.url, "--protocol", "continuation",
            "--out", str(out), *more]  # fmt: skip


@pytest.mark.parametrize("key", [KEY, "AIzaSyD0123456789abcdefghijklmnop", "gsk0123456789ABCDEFabcdef", "a b"])
def test_a_key_is_refused_where_a_name_is_wanted(
    key: str, rows_file: Path, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FaithfulnessError, match="by the name of the environment variable") as caught:
        main(asked(rows_file, endpoint, tmp_path / "out", "--key", key))
    assert key not in caught.value.message + "".join(capsys.readouterr())
    assert not (tmp_path / "out").exists()
    assert endpoint.requests == 0


def test_a_profile_takes_no_key_either() -> None:
    with pytest.raises(FaithfulnessError, match="never as itself") as caught:
        profile_of("m", "http://localhost:1/v1", key=KEY)
    assert KEY not in caught.value.message


def test_a_variable_that_is_not_set_is_said(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    with pytest.raises(FaithfulnessError, match="no such environment variable"):
        main(asked(rows_file, endpoint, tmp_path / "out", "--key", "SURELY_NOT_SET"))
    assert variable("none") == variable("NONE") == "NO_KEY"


def test_a_key_is_in_no_file_of_a_run(
    rows_file: Path, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    assert main(asked(rows_file, endpoint, tmp_path / "out", "--key", "MY_KEY", "--limit", "2")) == 0
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not any(KEY.encode() in path.read_bytes() for path in files)
    assert json.loads((tmp_path / "out" / "run.json").read_text())["models"]["planted"]["key"] == "MY_KEY"


@pytest.mark.slow
def test_no_call_is_made_beyond_the_limit_and_the_run_goes_on(
    rows_file: Path, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = asked(rows_file, endpoint, tmp_path / "out")
    assert main([*command, "--max-calls", "37"]) == 1
    assert endpoint.requests == 37
    assert "The limit of 37 calls is reached. The same command" in capsys.readouterr().out
    assert main(command) == 0
    assert endpoint.requests == ROWS * CALLS
    assert set(endpoint.prompts.values()) == {1}


def test_dollars_end_a_run_too(rows_file: Path, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    priced = ["--prompt-price", "1000", "--completion-price", "1000", "--in-flight", "1"]
    command = asked(rows_file, endpoint, tmp_path / "out", *priced, "--max-cost", "1.5")
    with pytest.raises(FaithfulnessError, match=r"may cost up to \$1\.50; give --yes"):
        main(command)
    assert endpoint.requests == 0
    assert main([*command, "--yes"]) == 1
    assert "The limit of $1.50 is reached" in capsys.readouterr().out
    spent = sum(len(prompt.split()) for prompt in endpoint.prompts) / 1000
    assert 1.5 <= spent < 2.2  # the last call may go beyond


def test_a_person_is_asked_before_money_is_spent(
    rows_file: Path, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    questions: list[str] = []

    def reply(question: str) -> str:
        questions.append(question)
        return "n" if len(questions) == 1 else "y"

    monkeypatch.setattr("builtins.input", reply)
    command = asked(rows_file, endpoint, tmp_path / "out", "--prompt-price", "1", "--limit", "2")
    assert main(command) == 1
    assert endpoint.requests == 0
    assert main(command) == 0
    assert endpoint.requests == 2 * CALLS
    assert questions[0].startswith("This run may cost up to $")


def test_the_packaged_model_is_the_default(rows_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "--data", str(rows_file)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("SmolLM2-135M-Instruct: 20 samples")
    assert "Expected if 30% to 90% of the rows are answered: " in out


def test_before_anything_is_known_the_expected_lies_between_the_bounds(rows_file: Path) -> None:
    rows = [row for row in read_rows(str(rows_file)) if isinstance(row, Row)]
    found = estimate(rows, ROWS, profile_of("gpt-4o-mini"), Plan())
    assert found.expected is not None
    for value, bounds in (
        (found.expected.calls, found.calls),
        (found.expected.prompt_tokens, found.prompt_tokens),
        (found.expected.dollars, found.dollars),
    ):
        assert bounds.least < value.low < value.value < value.high < bounds.most


@pytest.mark.slow
def test_finished_rows_say_what_to_expect(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    profile = profile_of("planted", endpoint.url, protocol="continuation")
    study, folder = RunSpecification(str(rows_file), (profile,), Plan()), RunFolder(tmp_path / "out")
    calls = CALLS - 3  # without the tests of keywords, which only commands ask for
    for progress in run_study(study, folder, stopped=lambda: endpoint.requests >= 8 * calls, metric=Metric()):
        assert progress.calls <= ROWS * calls
    (found,) = estimates(study, finished=folder.finished, spent=folder.spent)
    assert found.expected is not None
    assert (found.expected.calls.value, found.expected.calls.low) == (found.samples * calls, found.samples * calls)
    assert "finished rows" in found.expected.basis


def test_the_error_of_the_expected_is_that_of_a_new_sum() -> None:
    """95 % of the sums of 50 new rows lie within the bounds that 10 rows give, whatever the ten: simulated."""
    import numpy as np

    generator, inside = np.random.default_rng(3), 0
    for _ in range(1000):
        drawn: Sequence[int] = [int(n) for n in generator.choice([2, 5, 10, 15], size=60)]
        expected = expected_of([RowSpent(n, n, n) for n in drawn[:10]], 50, lambda prompt, completion: prompt)
        assert expected is not None
        assert expected.calls.value == pytest.approx(50 * statistics.mean(drawn[:10]))
        inside += expected.calls.low <= sum(drawn[10:]) <= expected.calls.high
    assert 0.93 <= inside / 1000 <= 0.97


@pytest.mark.slow
def test_baselines_are_in_flight_like_the_rest(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    """While every request is held, as many as are allowed have come in, each from another sample."""
    assert main(asked(rows_file, endpoint, tmp_path / "out", "--in-flight", "4", "--limit", "8")) == 0
    endpoint.most_at_once, before = 0, set(endpoint.prompts)
    endpoint.delay = 0.02
    folder = RunFolder(tmp_path / "out")
    last = list(run_baselines(folder, ("leave one sentence out",), metric=Metric()))[-1]
    assert last[1] == last[2] > 3
    assert endpoint.most_at_once == 4
    assert set(endpoint.prompts.values()) == {1}
    assert set(endpoint.prompts) > before


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        (["baselines", "--method", "leave one word out"], 23 + 2),
        (["insertions", "--words", "3"], 3),
        (["diagnosticity", "--run"], 64),
    ],
)
def test_what_asks_more_of_a_run_is_agreed_to_first(
    command: list[str], calls: int, rows_file: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    """At the mean cost of the calls of the run, times those that the command may make of each sample."""
    run = asked(rows_file, endpoint, tmp_path / "out", "--limit", "4", "--prompt-price", "1000", "--yes")
    assert main(run) == 0
    requests = endpoint.requests
    folder = RunFolder(tmp_path / "out")
    spent = folder.spent("planted")
    dollars = sum(row.prompt_tokens for row in spent) / sum(row.calls for row in spent) / 1000 * calls * 4
    name, *rest = command
    with pytest.raises(FaithfulnessError, match=f"may cost up to \\${dollars:,.2f}; give --yes"):
        main([name, *rest, str(folder.path)])
    assert endpoint.requests == requests


def test_the_responses_endpoint_takes_no_plain_completions() -> None:
    with pytest.raises(FaithfulnessError, match="answers chats only"):
        profile_of("m", "http://127.0.0.1:1/v1", interface="responses", protocol="continuation").open_protocol()
