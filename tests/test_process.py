"""What the server leaves out when it imports a library for plots that it does not draw."""

import subprocess
import sys

PROGRAM = """
import sys
from parley.process import import_without
import_without("plots_here", "matplotlib")
sys.path.insert(0, {folder!r})
import plots_here
import matplotlib
print(plots_here.plots, plots_here.__spec__.loader is plots_here.__loader__, type(plots_here.__loader__).__name__)
"""
LIBRARY = "try:\n    import matplotlib as plots\nexcept ImportError:\n    plots = None\n"


def test_a_library_does_without_another_that_stays_there_for_all_else(tmp_path):
    (tmp_path / "plots_here.py").write_text(LIBRARY, "utf-8")
    program = PROGRAM.format(folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "True", "SourceFileLoader"]
