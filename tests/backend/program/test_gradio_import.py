"""Gradio is imported without writing stubs, and its components are those that it has otherwise."""

import subprocess
import sys

import pytest

IMPORT = """
import backend, gradio, gradio.component_meta, sys
print(gradio.component_meta.create_or_modify_pyi.__module__)
print(gradio.Textbox.change, gradio.Button(value="a").value)
"""


@pytest.mark.slow
def test_gradio_writes_no_stubs_at_its_import() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    module, component = done.stdout.splitlines()
    assert module == "backend.program.gradio_import"
    assert component.endswith(" a")
