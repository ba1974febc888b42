"""The template "your model as a Space" works with a model and a table put beside it."""

import runpy
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.ensemble import RandomForestClassifier

from tests.served_app import close

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "deploy" / "your-model"


@pytest.mark.slow
def test_the_three_files_make_an_app_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(TEMPLATE, tmp_path / "space")
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "app.py", "requirements.txt"]
    frame = pd.DataFrame({"age": np.arange(20, 80), "churn": ["yes", "no"] * 30})
    frame.to_csv(folder / "data.csv", index=False)
    skops.io.dump(RandomForestClassifier(3, random_state=0).fit(frame[["age"]], frame["churn"]), folder / "model.skops")
    monkeypatch.chdir(folder)
    app = runpy.run_path("app.py")["app"]
    assert "/ttm_ask" in app.get_api_info()["named_endpoints"]
    close(app)


def test_its_readme_names_the_gradio_that_is_pinned() -> None:
    pinned = next(line for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines() if line.startswith("gradio=="))
    assert f"sdk_version: {pinned.partition('==')[2]}\n" in (TEMPLATE / "README.md").read_text("utf-8")
