"""The examples of what can be added work as they stand, each in a process that has nothing else added."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from backend.errors import SettingsError
from backend.program.additions import load_additions

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r'^```python title="(\w+\.py)"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL))
LONGEST = 60

USES = {
    "skew.py": """
import numpy as np, pandas as pd, ttm
frame = pd.DataFrame({"age": [20, 21, 22, 80, 25, 30], "sex": list("abaabb"), "left": [0, 1, 0, 1, 0, 1]})
chat = ttm.talk(lambda rows: (rows["age"] > 24) * 0.8, frame, target="left")
answer = chat.ask("How skewed is age?")
print(answer.parse, answer.result["skewness"] == frame["age"].skew(), "skewness of" in answer.text, answer.words)
print(chat.parse("filter sex a and skew age").result["skewness"] == frame["age"][frame["sex"] == "a"].skew())
print(len(chat.ask("how many instances are there?").results))
""",
    "occlusion.py": """
import pandas as pd, ttm
from ttm.explain.attribution import TECHNIQUES
frame = pd.DataFrame({"age": range(20, 60), "income": range(40), "left": [0, 1] * 20})
chat = ttm.talk(lambda rows: rows["age"] / 100, frame, target="left", parser="linker")
names = [one["technique"] for one in chat.explain(3, "compare").result["candidates"]]
weights = next(one["weights"] for one in chat.explain(3).result["candidates"] if one["technique"] == "occlusion")
print("occlusion" in names, round(weights["age"], 6), weights["income"])
chat.explain(3, "paper")
""",
    "yes_or_no.py": """
import pathlib, tempfile, annotation
from annotation.web.forms import form_of
from annotation.web.forms.fields import ItemForm
folder = pathlib.Path(tempfile.mkdtemp()) / "claims"
folder.mkdir()
(folder / "instructions.md").write_text("Say whether the claim is true.")
(folder / "study.toml").write_text('title = "Claims"\\ntask = "claim_check"\\ninstructions = "instructions.md"\\n')
study = annotation.Study(folder, data_dir=folder)
print(study.add([{"claim": "Water is <wet>."}]), study.items["work"])
parts = study.study.parts({"claim": "Water is <wet>."}, {})
drawn = form_of("claim_check")(ItemForm(parts, {}, {}))
print("Water is &lt;wet&gt;" in drawn, "unsure" in drawn)
""",
    "first_words.py": """
from types import SimpleNamespace
from faithfulness.baselines.methods import METHODS
print(list(METHODS)[-1], METHODS["first words"](SimpleNamespace(words=["a", "b", "c"]), 0).tolist())
""",
}
PRINTED = {
    "skew.py": ["skew age [e] True True How skewed age is", "True", "1"],
    "occlusion.py": ["True 0.23 0.0"],
    "yes_or_no.py": ["1 1", "True True"],
    "first_words.py": ["first words [1.0, 0.5, 0.0]"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", USES)
def test_an_example_works_from_the_folder_that_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(EXAMPLES[name], "utf-8")
    load = f"import pathlib, backend.program.additions as one\none.load_additions(pathlib.Path({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", f"{load}\n{USES[name]}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == PRINTED[name]


@pytest.mark.slow
def test_a_command_takes_the_folder(tmp_path: Path) -> None:
    (tmp_path / "skew.py").write_text(EXAMPLES["skew.py"], "utf-8")
    command = [sys.executable, "-m", "ttm", "answer", "--json", "--operations", str(tmp_path), "--data-dir", str(tmp_path)]
    done = subprocess.run([*command, "how skewed is age?"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"][0]["type"] == "SkewOfColumn"


def test_each_example_is_short_and_every_one_is_used() -> None:
    assert set(EXAMPLES) == set(USES)
    assert {name: len(code.splitlines()) for name, code in EXAMPLES.items() if len(code.splitlines()) > LONGEST} == {}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1\nraise ValueError('no')", r"wrong\.py of --operations fails in line 2: ValueError: no"),
        ("import ttm\nttm.add_explainer('shap', 'x', print)", "in line 2: There is a technique 'shap' already"),
        ("def", r"fails in line 1: SyntaxError"),
        ("import annotation\nannotation.add_task_type('accuracy_check', None)", "There is a task type"),
        ("import faithfulness\nfaithfulness.add_baseline('LIME', None)", "There is a baseline"),
    ],
)
def test_a_mistake_in_a_file_is_said_with_its_line(code: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(code, "utf-8")
    with pytest.raises(SettingsError, match=words):
        load_additions(tmp_path)


def test_a_folder_without_files_is_a_mistake(tmp_path: Path) -> None:
    load_additions(None)
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(SettingsError, match="no folder of that name"):
            load_additions(folder)
