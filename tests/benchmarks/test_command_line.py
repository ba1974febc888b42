"""`python -m benchmarks` knows every measurement, and the old names still lead to them."""

import pytest

import annotation.__main__
import faithfulness.__main__
import ttm.__main__
from backend.errors import SettingsError
from benchmarks.__main__ import COMMANDS, main


@pytest.mark.parametrize("name", COMMANDS)
def test_every_benchmark_says_what_its_options_are(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"python -m benchmarks {name}" in " ".join(capsys.readouterr().out.split())


def test_an_unknown_benchmark_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(SettingsError, match="speed") as refused:
        main(["speed"])
    assert all(name in refused.value.message for name in COMMANDS)


@pytest.mark.parametrize(
    ("part", "command"),
    [(ttm, "bench"), (ttm, "explain-bench"), (ttm, "guide-bench"), (annotation, "bench"), (faithfulness, "bench")],
)
def test_the_commands_of_the_parts_still_measure(part: object, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        part.__main__.main([command, "--help"])  # type: ignore[attr-defined]
    assert ended.value.code == 0
    assert "--json" in capsys.readouterr().out
