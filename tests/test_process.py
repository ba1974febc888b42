"""What the server leaves out: plots that it does not draw."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
from backend.program.unused_plots import do_without_plots
do_without_plots()
import shap
from gradio.utils import MatplotlibBackendMananger
with MatplotlibBackendMananger():
    print(shap.TreeExplainer.__name__, [name for name in sys.modules if name.startswith("matplotlib.")])
"""


def test_what_explains_and_what_calls_functions_do_without_plots() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "TreeExplainer []"
