"""The bounds of a run hold, and are met by models that are always wrong and always right."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.models.language_models import Reply, ScriptedModel
from faithfulness.__main__ import main
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.runs.estimate import CHARACTERS_PER_TOKEN, estimate, estimates, probe
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.rows import Row, read_rows
from faithfulness.runs.run import RunSpecification
from tests.faithfulness.planted import ROWS, Endpoint

REPLIES = {"continuation": "{}\nKeywords: x", "chat": "Thought: x\nKeywords: x\nShort answer: {}"}


def rows_in(path: Path) -> list[Row]:
    return [row for row in read_rows(str(path)) if isinstance(row, Row)]


def asked_by(rows: list[Row], profile: Profile, plan: Plan, answer: str | None) -> tuple[int, int]:
    """Calls and characters of their prompts when the model always says `answer`, or what is right."""
    calls = characters = 0

    class Measuring(ScriptedModel):
        def chat(self, messages: Any, **options: Any) -> Reply:
            nonlocal characters
            characters += sum(len(message.content) for message in messages)
            return super().chat(messages, **options)

        def complete(self, prompt: str, **options: Any) -> Reply:
            nonlocal calls, characters
            calls += 1
            characters += len(prompt) * (profile.protocol == "continuation")
            return super().complete(prompt, **options)

    for row in rows:
        said = REPLIES[profile.protocol].format(answer or row.sample.answers[0])
        list(explain(row.sample, Measuring(lambda prompt, said=said: said), profile.open_protocol(), Metric(), plan))
    return calls, characters


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["continuation", "chat"])
@pytest.mark.parametrize("plan", [Plan(), Plan(parts=2, groups=3, closed_book=False, repeats=2)])
def test_the_bounds_are_what_the_extremes_ask(protocol: str, plan: Plan, rows_file: Path) -> None:
    rows, profile = rows_in(rows_file), profile_of("some", protocol=protocol)
    found = estimate(rows, len(rows), profile, plan)
    wrong, right = asked_by(rows, profile, plan, "never so"), asked_by(rows, profile, plan, None)
    assert (found.calls.least, found.calls.most) == (wrong[0], right[0])
    assert found.prompt_tokens.least == pytest.approx(wrong[1] / CHARACTERS_PER_TOKEN)
    assert found.prompt_tokens.most == pytest.approx(right[1] / CHARACTERS_PER_TOKEN)
    assert found.calls.most == len(rows) * plan.most_calls()  # every passage here has words enough
    assert 0 < found.completion_tokens.least < found.completion_tokens.most


def test_dollars_and_hours_follow_from_prices_and_seconds(rows_file: Path) -> None:
    profile = profile_of("gpt-4o-mini", protocol="continuation", in_flight=4)
    found = estimate(rows_in(rows_file), 1000, profile, Plan(), seconds_a_call=0.9)
    assert (found.calls.least, found.hours.least) == (2000, pytest.approx(2000 * 0.9 / 4 / 3600))
    wanted = (found.prompt_tokens.most * 0.15 + found.completion_tokens.most * 0.6) / 1e6
    assert found.dollars.most == pytest.approx(wanted)
    assert "$" in found.line()
    assert "0.12 to 1.2 hours" not in found.line()
    assert "7.5 to 75 minutes at 0.9 s a call" in found.line()
    unknown = estimate(rows_in(rows_file), 100_000, profile_of("x", in_flight=8), Plan())
    assert "6.9 to 69 hours at 1 s a call" in unknown.line()  # 200,000 and 2,000,000 calls, eight at a time


def test_a_probe_makes_two_calls_and_measures(rows_file: Path, endpoint: Endpoint) -> None:
    endpoint.delay = 0.05
    profile = profile_of("planted", endpoint.url, protocol="continuation")
    measured = probe(rows_in(rows_file)[0], profile, Plan(), profile.open())
    assert endpoint.requests == measured.calls == 2
    assert measured.seconds_a_call >= 0.05
    assert set(endpoint.prompts.values()) == {1}  # a prompt asked twice would be answered from what is computed
    characters, words = (sum(map(count, endpoint.prompts)) for count in (len, lambda prompt: len(prompt.split())))
    assert measured.characters_per_token == pytest.approx(characters / words)


def test_a_chat_guide_reads_in_the_count_as_well(rows_file: Path) -> None:
    rows = rows_in(rows_file)[:2]
    plain, guided = (estimate(rows, 2, profile_of("x", guide=guide), Plan()) for guide in ("none", "json_schema"))
    assert plain.calls == guided.calls  # no reply had to be asked for once more


@pytest.mark.slow
def test_what_is_finished_is_left_out_and_the_commands_say_it(
    rows_file: Path, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = profile_of("planted", endpoint.url, protocol="continuation")
    study = RunSpecification(str(rows_file), (profile,), Plan())
    (left,) = estimates(study, finished=lambda model: set(range(1, ROWS - 1)))
    assert (left.samples, left.calls.most) == (2, 40)
    model = ["--data", str(rows_file), "--model", "planted", "--base-url", endpoint.url, "--protocol", "continuation"]
    assert main(["estimate", *model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["calls"] == {"least": 2.0 * ROWS, "most": 23.0 * ROWS}
    assert endpoint.requests == 0
    assert main(["estimate", *model, "--seconds", "2"]) == 0
    assert "2.00 s a call" in capsys.readouterr().out
