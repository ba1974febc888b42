"""A program ends with 0 if it went well, and with 2 and one line on stderr if it was given something wrong."""

import runpy
import subprocess
import sys
from collections.abc import Sequence

import pytest

from backend import errors
from backend.errors import DatasetError, ParleyError
from backend.program import command_line
from backend.program.command_line import INTERRUPTED, run


def test_an_error_is_one_line_and_exit_code_two(capsys: pytest.CaptureFixture[str]) -> None:
    def main(argv: Sequence[str]) -> None:
        raise DatasetError(f"No file\n  {argv[0]}.")

    assert run("parley", main, ["my.csv"]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "parley: No file my.csv.\n")


def test_the_exit_code_of_a_program_that_went_well() -> None:
    assert run("parley", lambda argv: None, []) == 0
    assert run("parley", lambda argv: 3, []) == 3


def test_a_defect_keeps_its_trace() -> None:
    def main(argv: Sequence[str]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run("parley", main, [])


def test_a_reader_that_goes_away_ends_the_program_quietly() -> None:
    code = (
        "import sys; from backend.program.command_line import run\n"
        "def main(argv):\n    while True: print('y')\n"
        "sys.exit(run('parley', main))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 0


ENDING = """
import atexit, sys
from backend.program.command_line import leave, run

class Native:
    def __del__(self):
        print("freed while a thread was in it")

def main(argv):
    raise KeyboardInterrupt

native = Native()
atexit.register(print, "folders removed")
print("printed before")
leave(run("parley", main, []))
"""


def test_what_ctrl_c_ends_frees_nothing_under_a_native_library_and_loses_no_line() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True)
    assert ended.returncode == INTERRUPTED
    assert ended.stdout.splitlines() == ["printed before", "folders removed"]
    assert ended.stderr == ""


@pytest.mark.parametrize("module", ["annotation", "app", "benchmarks", "faithfulness", "inspired", "parley", "ttm"])
def test_every_program_ends_in_that_way(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr(command_line, "run", lambda program, main: INTERRUPTED)
    monkeypatch.setattr(command_line, "leave", codes.append)
    monkeypatch.delitem(sys.modules, f"{module}.__main__", raising=False)
    runpy.run_module(module, run_name="__main__")
    assert codes == [INTERRUPTED]


def test_the_tree_of_errors_is_drawn_whole() -> None:
    tree = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, ParleyError)}
    assert errors.__doc__ is not None
    assert all(name in errors.__doc__ for name in tree)
    assert {cls.__base__ for cls in ParleyError.__subclasses__()} == {ParleyError}
