"""One model in several ways: equal answers are counted over the calls that both asked; and the measuring of time."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import benchmarks.faithfulness.measurement
from backend.errors import FaithfulnessError
from backend.models.language_models import LanguageModel, Reply, ScriptedModel
from benchmarks.faithfulness.measurement import Bench, bench, peak_bytes
from faithfulness.__main__ import main
from faithfulness.lab.engines import ENGINES, compared, run_engines
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.method.prompting import Continuation
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.rows import Row, read_rows
from faithfulness.runs.run import RunSpecification, run_study
from tests.faithfulness.planted import reply_to, write_rows


def planted(prompt: str) -> str:
    return str(reply_to(prompt)["choices"][0]["text"])


def other_on_the_second(prompt: str) -> str:
    """Knows nothing about item 2."""
    return "" if "what is item 2\n" in prompt.rsplit("\n\n", 1)[1] else planted(prompt)


def open_engine(profile: Profile) -> LanguageModel:
    return ScriptedModel(other_on_the_second if profile.deterministic else planted, profile.name)


@pytest.fixture
def study(tmp_path: Path) -> RunSpecification:
    write_rows(tmp_path / "rows.jsonl", 4)
    return RunSpecification(str(tmp_path / "rows.jsonl"), (), Plan())


def test_counts_equal_answers_over_the_calls_of_both(
    study: RunSpecification, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list(run_engines(study, ["fast", "deterministic"], tmp_path / "out", open_engine, Metric()))
    first, second = compared(["fast", "deterministic"], tmp_path / "out")
    assert (first.equal, first.same_calls) == (1.0, 4 * 10)
    # Of the second row only closed book (empty for both) and passage are asked by both.
    assert second.same_calls == 3 * 10 + 2
    assert second.equal == second.equal_verdicts == pytest.approx(31 / 32)
    assert second.equal_stages == 3 / 4
    assert second.summary.answered == 3
    command = ["compare", "--data", study.data, "--engine", "fast", "--engine", "deterministic", "--limit", "10"]
    list(run_engines(replace(study, limit=10), ["fast", "deterministic"], tmp_path / "whole", open_engine, Metric()))
    assert main([*command, "--out", str(tmp_path / "whole")]) == 0  # all is finished, so no model is asked
    assert "| of them with the same answer | 100.0% | 96.9% |" in capsys.readouterr().out


def test_an_unknown_engine_is_named(study: RunSpecification, tmp_path: Path) -> None:
    with pytest.raises(FaithfulnessError, match=f"no engine 'steam'; known are {', '.join(ENGINES)}"):
        list(run_engines(study, ["steam"], tmp_path))
    with pytest.raises(FaithfulnessError, match="holds no run"):
        compared(["fast"], tmp_path)


def test_a_folder_does_not_mix_two_ways_of_asking(study: RunSpecification, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "out")
    for deterministic in (False, True):
        profile = profile_of("SmolLM2-135M-Instruct", deterministic=deterministic)
        one = RunSpecification(study.data, (profile,), Plan())
        if not deterministic:
            list(run_study(one, folder, open_model=open_engine, metric=Metric()))
            continue
        with pytest.raises(FaithfulnessError, match="with deterministic = False, not True"):
            list(run_study(one, folder, open_model=open_engine, metric=Metric()))


@dataclass
class HandClock:
    """Goes on when a model takes its time, and only then."""

    now: float = 0.0

    def __call__(self) -> tuple[float, float]:
        """Return seconds on the wall and of the cores."""
        return self.now, self.now / 2


class Timed(ScriptedModel):
    """Takes as many seconds of `clock` as it is told to, and says that half of a prompt was known."""

    def __init__(self, clock: HandClock, seconds: float) -> None:
        super().__init__(planted)
        self.clock, self.seconds = clock, seconds

    def complete(self, prompt: str, **options: Any) -> Reply:
        self.clock.now += self.seconds
        reply = super().complete(prompt, **options)
        return Reply(reply.text, reply.prompt_tokens, reply.completion_tokens, self.seconds, reply.prompt_tokens // 2)


def test_the_bench_measures_whole_samples_and_passes_over_those_that_end_early(
    study: RunSpecification, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = [row.sample for row in read_rows(study.data) if isinstance(row, Row)]
    wrong = [type(each)(each.question, each.passage, ("something else",)) for each in samples[:1]]
    clock = HandClock()
    monkeypatch.setattr(benchmarks.faithfulness.measurement, "_clocks", clock)
    fast, plain = Timed(clock, 1), Timed(clock, 4)
    rows = tuple(bench([*wrong, *samples], fast, plain, Continuation(), Metric(), Plan(), 2))
    assert [row.sample for row in rows] == [each.question for each in samples[:2]]
    assert [(row.calls, row.equal) for row in rows] == [(10, 10)] * 2
    assert len(plain.prompts) == 1 + 2 * 10
    assert sorted(plain.prompts[1:]) == sorted(fast.prompts[3:])  # after what warms up, and the wrong sample
    found = Bench(rows, peak_bytes(), 2, None)
    assert found.ratio == pytest.approx(1 / 4)
    assert found.computed == pytest.approx(0.5, abs=0.02)
    assert found.as_json()["equal"] == 1.0
    json.dumps(found.as_json())
    assert found.peak_bytes is None or found.peak_bytes > 10_000_000


def test_the_bench_is_for_models_on_this_computer() -> None:
    with pytest.raises(FaithfulnessError, match="for models on this computer"):
        main(["bench", "--model", "gpt-4o"])
