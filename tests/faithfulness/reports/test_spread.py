"""The spread of figures between runs with other seeds."""

import json
import statistics
from pathlib import Path

import pytest

from backend.errors import FaithfulnessError
from faithfulness.__main__ import main
from faithfulness.reports.spread import spread_between
from faithfulness.reports.tables import tables_of
from faithfulness.runs.folder import RunFolder
from tests.faithfulness.planted import Endpoint


def finish(rows: Path, endpoint: Endpoint, out: Path, *more: str) -> RunFolder:
    assert main(["run", "--data", str(rows), "--model", "planted", "--base-url", endpoint.url, "--protocol", "continuation",
                 "--no-redaction", "--limit", "3", "--out", str(out), *more]) == 0  # fmt: skip
    return RunFolder(out)


@pytest.mark.slow
def test_runs_with_other_seeds_have_a_mean_and_a_deviation(
    rows_file: Path, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [finish(rows_file, endpoint, tmp_path / str(seed), "--seed", str(seed)) for seed in (0, 1, 2)]
    runs = [tables_of(folder) for folder in folders]
    lifts = [tables.summaries["planted"].lift or 0.0 for tables in runs]
    lift = next(each for each in spread_between(runs) if each.figure == "lift")
    assert (lift.runs, lift.mean, lift.deviation) == (3, statistics.mean(lifts), statistics.stdev(lifts))
    capsys.readouterr()
    command = ["report", str(tmp_path / "0"), "--with", str(tmp_path / "1"), "--with", str(tmp_path / "2")]
    assert main(command) == 0
    assert f"| planted | lift | 3 | {lift.mean:.3f} | {lift.deviation:.3f} |" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["spread"]) == 4


@pytest.mark.slow
def test_runs_under_other_settings_are_not_compared(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    runs = [tables_of(finish(rows_file, endpoint, tmp_path / p, "--parts", p)) for p in ("2", "3")]
    with pytest.raises(FaithfulnessError, match="their plans differ in parts"):
        spread_between(runs)
