"""A grid of settings: what several ask is asked once, and the figures are those of runs by themselves."""

import json
from pathlib import Path

import pytest

from backend.errors import FaithfulnessError, SettingsError
from backend.models.language_models import LanguageModel, OpenAIEndpoint
from faithfulness.__main__ import main
from faithfulness.lab.sweep import Setting, grid, run_sweep, sweep_markdown, sweep_rows
from faithfulness.lab.sweep_page import sweep_html
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.reports.tables import tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.run import RunSpecification, run_study
from tests.faithfulness.planted import Endpoint, write_rows

GRID = grid([2, 3], [3, 5])


def quick(profile: Profile) -> LanguageModel:
    assert profile.base_url
    return OpenAIEndpoint(profile.base_url, profile.name, timeout=120.0, retries=0)


@pytest.fixture
def study(rows_file: Path, endpoint: Endpoint) -> RunSpecification:
    write_rows(rows_file, 6)
    return RunSpecification(str(rows_file), (profile_of("planted", endpoint.url, protocol="continuation"),), Plan())


@pytest.mark.slow
def test_nothing_is_asked_twice_and_each_setting_is_as_if_alone(
    study: RunSpecification, endpoint: Endpoint, tmp_path: Path
) -> None:
    list(run_sweep(study, GRID, tmp_path / "grid", open_model=quick, metric=Metric()))
    assert set(endpoint.prompts.values()) == {1}
    rows = sweep_rows(tmp_path / "grid", GRID)
    assert [(row.parts, row.groups) for row in rows] == [(2, 3), (2, 5), (3, 3), (3, 5)]
    assert endpoint.requests < sum(row.calls * row.n for row in rows)
    for row in rows:
        plan = Plan(parts=row.parts, groups=row.groups)
        folder = RunFolder(tmp_path / f"alone-{row.parts}-{row.groups}")
        list(run_study(RunSpecification(study.data, study.profiles, plan), folder, open_model=quick, metric=Metric()))
        alone = tables_of(folder).as_json()["models"]["planted"]
        assert row.as_json()["F"] == alone["F"]
        assert (row.calls * row.n, row.answered) == (alone["calls"], alone["answered"])
        # Found is found in one region of p, whose q groups are then masked.
        assert row.calls == 2 + row.parts + row.groups
        assert row.sufficient == 1
    before = endpoint.requests
    list(run_sweep(study, GRID, tmp_path / "grid", open_model=quick, metric=Metric()))
    assert endpoint.requests == before


@pytest.mark.slow
def test_table_and_plot_show_every_setting(study: RunSpecification, tmp_path: Path) -> None:
    list(run_sweep(study, GRID[:2], tmp_path / "grid", open_model=quick, metric=Metric()))
    rows = sweep_rows(tmp_path / "grid", GRID)
    assert len(rows) == 2  # the others have not been run
    lines = sweep_markdown(rows).splitlines()
    assert len(lines) == 2 + 2
    assert f"| {rows[0].calls:.1f} |" in lines[2]
    assert f"| {rows[0].F:.3f} |" in lines[2]  # six samples give no interval
    page = sweep_html(rows)
    assert str(Setting(2, 5)) in page
    assert "calls a sample" in page


@pytest.mark.slow
def test_the_command_makes_table_json_and_page(
    study: RunSpecification, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "grid", tmp_path / "sweep.html"
    model = ["--model", "planted", "--base-url", endpoint.url, "--protocol", "continuation"]
    command = ["sweep", "--data", study.data, *model, "--parts", "3", "--groups", "5,3", "--out", str(out)]
    list(run_sweep(study, grid([3], [3, 5]), out, open_model=quick, metric=Metric()))
    asked = endpoint.requests
    assert main([*command, "--json", "--html", str(page)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["groups"] for row in found] == [3, 5]
    assert endpoint.requests == asked
    assert page.stat().st_size > 1_000_000  # the library for its figure is inside
    with pytest.raises(SettingsError, match="not a whole number above 0"):
        main([*command, "--groups", "0,3"])
    with pytest.raises(FaithfulnessError, match="cannot be written"):
        main([*command, "--html", str(tmp_path / "nowhere" / "x.html")])
