"""Model files that earlier versions wrote load, although their types have moved since."""

import zipfile
from pathlib import Path

import pytest

from ttm.tabular.data.encoding import FrameEncoder
from ttm.tabular.model.model_file import DEMO_TYPES, MOVED, read_estimator, save_model
from ttm.tabular.subject import load_subject


@pytest.mark.parametrize(("earlier", "present"), MOVED.items())
def test_a_file_with_the_earlier_name_of_a_type_loads(earlier: str, present: str, tmp_path: Path) -> None:
    save_model(load_subject("diabetes").model, tmp_path / "present.skops")
    with zipfile.ZipFile(tmp_path / "present.skops") as file, zipfile.ZipFile(tmp_path / "earlier.skops", "w") as made:
        for name in file.namelist():
            made.writestr(name, file.read(name).replace(present.encode(), earlier.encode()))
        assert earlier.encode() in made.read("schema.json")
        assert present.encode() not in made.read("schema.json")
    estimator = read_estimator(tmp_path / "earlier.skops", DEMO_TYPES)
    assert type(estimator.steps[0][1]) is FrameEncoder
