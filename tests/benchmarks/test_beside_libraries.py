"""Ours and the libraries agree where they compute the same; a library that is not there is named."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.explanations.beside_libraries import measure
from benchmarks.explanations.compared import Beside, line_of, missing
from tests.ttm.explain.conftest import linear, mixed
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine


@pytest.fixture(scope="module")
def of_trees() -> tuple[Beside, ...]:
    subject = mixed("ill")
    return measure(ExecutionEngine(subject, Explainer(subject)), rows=2)


@pytest.mark.slow
def test_values_are_those_of_the_libraries(of_trees: tuple[Beside, ...]) -> None:
    shap, of_groups, permutation, rates, *others = of_trees
    assert (shap.library, permutation.library, rates.library) == ("shap", "scikit-learn", "fairlearn")
    assert shap.difference < 1e-6
    assert shap.same_first
    assert of_groups.difference < 1e-6
    assert of_groups.same_first
    assert permutation.difference < 0.1, "both draw their own permutations of 240 rows"
    assert rates.left_out or rates.difference < 1e-9
    assert {one.library for one in others} == {"captum", "quantus", "explainerdashboard"}
    assert all(one.left_out or one.difference < 1e-9 for one in others)
    assert all(one.left_out or (one.ratio is not None and "ratio" in line_of(one)) for one in of_trees if one is not of_groups)


def test_what_a_library_cannot_do_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("libraries", "measures", "dashboard"):
        monkeypatch.setattr(f"benchmarks.explanations.beside_{module}.missing", lambda name: f"{name} is not installed")
    subject = linear(3)
    shap, permutation, rates, *others = measure(ExecutionEngine(subject, Explainer(subject)))
    assert "left out" in line_of(shap)
    assert rates.left_out == "fairlearn is not installed"
    assert np.isfinite(permutation.difference)
    assert [one.left_out for one in others] == [
        "captum is not installed", "captum is not installed", "quantus is not installed", "explainerdashboard is not installed"
    ]  # fmt: skip


def test_a_library_without_what_it_needs_is_left_out_and_says_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_a_library.py").write_text("import a_part_that_is_nowhere")
    monkeypatch.syspath_prepend(tmp_path)
    assert missing("half_a_library") == "half_a_library cannot be imported: No module named 'a_part_that_is_nowhere'"
    assert (missing("a_part_that_is_nowhere"), missing("json")) == ("a_part_that_is_nowhere is not installed", "")
