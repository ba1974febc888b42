"""The command `parley` hands over to the app and to the parts, under its own name."""

import pytest

from backend.errors import SettingsError
from backend.program.version import VERSION
from parley.__main__ import PARTS, main


@pytest.mark.parametrize("part", PARTS)
def test_each_part_explains_itself_under_the_name_that_was_typed(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([part, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: parley {part} ")


def test_help_names_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert [part for part in PARTS if f"\n    {part}" not in shown] == []


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"Parley {VERSION}\n"


@pytest.mark.parametrize(("argv", "message"), [(["serv"], "invalid choice: 'serv'"), ([], "required: COMMAND")])
def test_a_wrong_command_is_refused_with_what_to_try(argv: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        main(argv)
    with pytest.raises(SettingsError, match="did you mean --port"):
        main(["serve", "--prot", "1"])
