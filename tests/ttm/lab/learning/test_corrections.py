"""What a reviewer accepted is learned: names for columns, better rankings; and nothing, where lines would become worse."""

import json
from pathlib import Path

import numpy as np
import pytest

from backend.errors import DatasetError
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.lab.learning.ranking.corrections import LearningReport, learn_corrections, read_corrections
from ttm.lab.learning.ranking.evidence_file import read_evidence, write_evidence
from ttm.lab.learning.ranking.fitting import WeighedTurn
from ttm.parsers import LearnedParser
from ttm.parsers.learned.decisions.taught_names import taught_names, write_taught_names
from ttm.parsers.learned.evidence import FEATURES, MESSAGE_FEATURES

SCHEMA = SCHEMAS["titanic"]
NUMBERS = [feature.token for feature in SCHEMA.features if feature.kind == "numeric"]


def known(count: int = 60) -> list[WeighedTurn]:
    """Lines whose fair reading is the one of least cost."""
    rng = np.random.default_rng(0)
    cost = FEATURES.index("cost")
    turns = []
    for number in range(count):
        features = rng.normal(size=(3, len(FEATURES)))
        fair = (np.arange(3) == features[:, cost].argmin()).astype(float)
        turns.append(WeighedTurn(features, rng.normal(size=len(MESSAGE_FEATURES)), fair, f"a{number % 2}"))
    return turns


def suite(path: Path, *pairs: tuple[str, str]) -> Path:
    path.write_text("\n".join(f"{utterance}\n{parse}\n" for utterance, parse in pairs), "utf-8")
    return path


@pytest.mark.slow
def test_a_name_of_people_is_taught_for_a_column(tmp_path: Path) -> None:
    nouns = ("years on earth", "the years on earth")
    pairs = [(f"how are {noun} spread", f"distribution {NUMBERS[1]} [E]") for noun in nouns]
    parser = LearnedParser(SCHEMA, names={})
    _, report = learn_corrections(read_corrections(suite(tmp_path / "s.txt", *pairs), SCHEMA), known(), parser)
    taught = parser.with_names({("gizmo",): NUMBERS[1]})
    best = taught.understand("show the distribution of gizmo").best
    assert best is not None
    assert str(best.parse) == f"distribution {NUMBERS[1]} [e]"
    assert set(report.names.values()) <= {NUMBERS[1]}


def test_names_are_kept_by_the_columns_of_the_data_set(tmp_path: Path) -> None:
    weights = tmp_path / "weights.safetensors"
    write_taught_names(weights, SCHEMA, {("gizmo",): NUMBERS[0]})
    write_taught_names(weights, SCHEMAS["credit"], {("gadget", "x"): "age"})
    assert taught_names(weights, SCHEMA) == {("gizmo",): NUMBERS[0]}
    assert taught_names(weights, SCHEMAS["credit"]) == {("gadget", "x"): "age"}
    assert taught_names(weights, SCHEMAS["wine"]) == {}


def test_the_lines_of_a_review_are_read_and_others_are_passed_over(tmp_path: Path) -> None:
    lines = [
        {"dataset": "mine", "utterance": "one", "gold": "predict [e]", "state": "accepted"},
        {"dataset": "mine", "utterance": "two", "gold": None, "state": "open"},
        {"dataset": "other", "utterance": "three", "gold": "predict [e]"},
    ]
    path = tmp_path / "review.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert [one.utterance for one in read_corrections(path, SCHEMA, "mine")] == ["one"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("how\nfilter nosuch 5 [e]\n", "nosuch"),
        ("{broken\n", "Line 1"),
        ("only one line\n", "two lines"),
        ("", "no correction"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "f.txt"
    path.write_text(content, "utf-8")
    with pytest.raises(DatasetError, match=message):
        read_corrections(path, SCHEMA)


def test_worse_on_lines_not_read_is_worse() -> None:
    assert LearningReport((4, 2, 3), (1000, 500, 490), (), (), {}).is_worse
    assert LearningReport((4, 2, 1), (1000, 500, 500), (), (), {}).is_worse
    assert not LearningReport((4, 2, 3), (1000, 500, 498), (), (), {}).is_worse


def test_evidence_is_kept_in_a_file(tmp_path: Path) -> None:
    turns = known(10)
    write_evidence(tmp_path / "e.npz", turns)
    again = read_evidence(tmp_path / "e.npz")
    assert [one.author for one in again] == [one.author for one in turns]
    assert all(np.allclose(one.features, two.features, atol=1e-2) for one, two in zip(again, turns, strict=True))
    assert all((one.fair == two.fair).all() for one, two in zip(again, turns, strict=True))
    with pytest.raises(DatasetError, match="only-ranking"):
        read_evidence(tmp_path / "none.npz")
