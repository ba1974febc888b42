"""The app as a whole starts, shows its four tabs, and says in one line why it cannot."""

import gc
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import gradio as gr
import httpx
import pytest

from backend.program import command_line
from backend.program.settings import Settings
from backend.program.version import VERSION
from benchmarks.ports import free_port
from parley import app, serve

ROOT = Path(__file__).parent.parent
PATIENCE = 90  # seconds; a start takes a few, but a busy test machine takes longer


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> gr.Blocks:
    return app.build(Settings(data_dir=tmp_path_factory.mktemp("parley")))


def test_the_tabs_stand_in_order(blocks: gr.Blocks) -> None:
    tabs = next(block for block in blocks.blocks.values() if getattr(block, "elem_id", None) == "parts")
    assert isinstance(tabs, gr.Tabs)
    assert [tab.label for tab in tabs.children if isinstance(tab, gr.Tab)] == [
        "Chat with a model",
        "Ask a knowledge base",
        "Annotate",
        "LLM faithfulness",
    ]


def test_the_page_names_its_version(blocks: gr.Blocks) -> None:
    shown = next(block for block in blocks.blocks.values() if getattr(block, "elem_id", None) == "version")
    assert isinstance(shown, gr.HTML)
    assert VERSION in str(shown.value)


@pytest.mark.slow
def test_every_public_endpoint_has_a_name_of_its_part(blocks: gr.Blocks) -> None:
    info = blocks.get_api_info()
    assert info["unnamed_endpoints"] == {}
    parts = r"/(ttm|inspired|annotation|study|faithfulness)_"  # studies are a part of annotation
    assert [name for name in info["named_endpoints"] if not re.match(parts, name)] == []


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PARLEY_DATA_DIR": str(folder / "parley"), "PYTHONUNBUFFERED": "1"}


@pytest.mark.slow
def test_it_serves_this_computer_and_says_where(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, str(ROOT / "app.py"), "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, env=_environment(tmp_path), stdout=subprocess.PIPE) as program:
        try:
            page = _page(f"http://127.0.0.1:{port}/", program)
            assert program.stdout is not None
            told = next(line for line in program.stdout if line.startswith(b"Parley")).decode()
        finally:
            program.kill()
    assert "Parley" in page
    assert f"http://127.0.0.1:{port}" in told
    assert list((tmp_path / "parley").glob("parley.sqlite"))


def _page(url: str, program: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and program.poll() is None:
        try:
            return httpx.get(url, trust_env=False, verify=False).raise_for_status().text
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the app did not start")


def _refusal(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert command_line.run("parley", serve.main, [*arguments, "--data-dir", str(folder / "parley")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    return told


# gradio drops the socket that it could not bind; it is collected here, not in a test to come.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning")
def test_a_taken_port_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert "Cannot listen" in _refusal(["--port", str(other.getsockname()[1])], tmp_path, capsys)
    gc.collect()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--dataset", "no such"], "no such"),
        (["--data", "absent.csv", "--target", "y"], "absent.csv"),
        (["--prot", "1"], "--port"),
    ],
)
def test_a_wrong_start_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert says in _refusal(arguments, tmp_path, capsys)


def test_help_says_how_to_bring_your_own_table(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        serve.main(["--help"])
    assert ended.value.code == 0
    assert "--data FILE.csv" in capsys.readouterr().out
