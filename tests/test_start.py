"""What starting the app loads, seen in one new interpreter: a screen alone is light, and no laboratory comes along."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PARTS = ("ttm", "inspired", "annotation", "faithfulness")
APART = ("lab", "commands")
# What is loaded when somebody first needs it.
HEAVY = {"dice_ml", "lightgbm", "lime", "numba", "ray", "shap", "torch", "transformers", "xgboost", "xllamacpp"}
# What the knowledge base's screen needs none of.
NOT_FOR_A_SCREEN = {*HEAVY, "sentence_transformers", "pyoxigraph", "sklearn", "scipy"}

# One after the other, since each start of an interpreter with gradio takes seconds.
PROGRAM = """
import json, sys
from pathlib import Path

def loaded():
    return sorted(sys.modules)

import gradio, backend.ui, backend.storage.database
before = loaded()
import inspired.ui
screen = loaded()
import parley.app
imported = loaded()
from backend.program.settings import Settings
parley.app.build(Settings(data_dir=Path(sys.argv[1])))
print(json.dumps({"before": before, "screen": screen, "imported": imported, "built": loaded()}))
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The names of all modules that are there before and after each step of PROGRAM."""
    command = [sys.executable, "-c", PROGRAM, str(tmp_path_factory.mktemp("parley"))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    steps: dict[str, list[Any]] = json.loads(done.stdout.splitlines()[-1])
    return {step: set(names) for step, names in steps.items()}


def test_a_screen_loads_little_and_nothing_heavy(modules: dict[str, set[str]]) -> None:
    more = modules["screen"] - modules["before"]
    assert more & NOT_FOR_A_SCREEN == set()
    assert 20 < len(more) < 200  # 90


def test_importing_the_app_loads_no_heavy_library(modules: dict[str, set[str]]) -> None:
    assert modules["imported"] & HEAVY == set()


def test_starting_the_app_loads_neither_laboratory_nor_commands_nor_benchmarks(modules: dict[str, set[str]]) -> None:
    names = [name.split(".") for name in modules["built"]]
    assert [name for name in names if name[0] == "benchmarks"] == []
    assert [name for name in names if name[0] in PARTS and set(name[1:2]) & set(APART)] == []
    assert "parley.app" in modules["built"]
