"""The notebooks run from top to bottom in a new kernel, and the ones that are kept show what they then show."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from backend.text.notebook_buttons import WIDGET

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LARGEST = 150_000  # bytes, outputs and all


def run(path: Path, folder: Path) -> Any:
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(folder)}})
    return client.execute(env=dict(os.environ) | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_kept(path: Path, tmp_path: Path) -> None:
    kept, done = nbformat.read(path, as_version=4), run(path, tmp_path)
    assert [plain(cell) for cell in done.cells] == [plain(cell) for cell in kept.cells]


def plain(cell: Any) -> list[str]:
    """The text of the outputs of a cell, without what differs from run to run, warnings of other packages, and widgets."""
    texts = [str(output.get("text") or output.get("data", {}).get("text/plain", "")) for output in cell.get("outputs", [])
             if output.get("name") != "stderr" and WIDGET not in output.get("data", {})]  # fmt: skip
    return [re.sub(r"0x[0-9a-f]+|\d{4}-\d\d-\d\dT[\d:.+]+", "...", text) for text in texts]


def test_there_is_one_for_each_kind_of_user_and_none_is_large() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["analyst", "annotation-lab", "knowledge-base", "llm-researcher"]
    assert {path.name: path.stat().st_size for path in NOTEBOOKS if path.stat().st_size > LARGEST} == {}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_has_outputs_and_no_errors(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert [output for output in outputs if output.output_type == "error"] == []
    assert "/home/" not in str(outputs)
    assert "/tmp/" not in str(outputs)
    assert "site-packages" not in str(outputs)
