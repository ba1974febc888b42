"""Accepted corrections teach the default parser words; nothing is learned where other questions become worse."""

import json
from pathlib import Path

import pytest

from backend.errors import DatasetError
from inspired.knowledge_base.graph import Graph
from inspired.lab.parser_fitting.corrections import CorrectionReport, learn_corrections, read_corrections
from inspired.lab.parser_fitting.default_parser import LabelledQuestion
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.sparql_writer import write_on_one_line
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.ranking.weights import Weights
from tests.inspired.lab.parser_fitting.test_default_parser import FILMS, helmed, lasted

CORRECTED = [LabelledQuestion(f"Whose brainchild is {name}?", helmed(id_)) for id_, name in FILMS.items()]
GENERATED = [LabelledQuestion(f"How lengthwise is {name}?", lasted(id_)) for id_, name in FILMS.items()] * 4


def _export(path: Path, dataset: str = "knowledge base: films") -> Path:
    rows: list[dict[str, str | None]] = [
        {"utterance": one.question, "gold": write_on_one_line(one.form), "dataset": dataset} for one in CORRECTED
    ]
    rows += [{"utterance": "rejected", "gold": None, "dataset": dataset}]
    rows += [{"utterance": "of the chat", "gold": "count [e]", "dataset": "diabetes"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_words_of_corrections_are_learned_and_what_was_learned_before_stays(films: Graph, tmp_path: Path) -> None:
    corrections = read_corrections(_export(tmp_path / "review.jsonl"))
    assert [each.question for each in corrections] == [each.question for each in CORRECTED]
    weights, report = learn_corrections(films, corrections, GENERATED, GENERATED[:3], Weights())
    reading = DefaultParser(films, weights).parse("Whose brainchild is Lantern Street the film?", 1)[0]
    assert canonical(reading.form) == canonical(helmed("m.lantern"))
    assert "brainchild" in weights.words["film.film.directed_by"]
    assert "lengthwis" in " ".join(weights.words["film.film.runtime"])
    assert report.corrections[0] == 3
    assert report.corrections[2] >= report.corrections[1]
    assert report.generated[2] >= report.generated[1]
    assert not report.is_worse
    assert f"{report.corrections[1]} of 3 right before, {report.corrections[2]} after" in report.words


def test_corrections_of_another_knowledge_base_are_passed_over(tmp_path: Path) -> None:
    path = _export(tmp_path / "review.jsonl", "knowledge base: films")
    assert len(read_corrections(path, "films")) == len(read_corrections(path, "knowledge base: films")) == 3
    with pytest.raises(DatasetError, match="no accepted correction of a knowledge base called songs"):
        read_corrections(path, "songs")


def test_a_gold_suite_is_read_and_a_query_that_is_none_is_named(tmp_path: Path) -> None:
    suite = tmp_path / "gold.txt"
    suite.write_text(f"Who?\n{write_on_one_line(CORRECTED[0].form)}\n", "utf-8")
    assert [each.question for each in read_corrections(suite)] == ["Who?"]
    suite.write_text("Who?\nselect what\n", "utf-8")
    with pytest.raises(DatasetError, match=r"correction 1 \('Who\?'\)"):
        read_corrections(suite)


def test_what_makes_others_worse_is_told() -> None:
    assert CorrectionReport((4, 1, 3), (100, 50, 40)).is_worse
    assert CorrectionReport((4, 3, 1), (100, 50, 50)).is_worse
    assert not CorrectionReport((4, 1, 3), (100, 50, 49)).is_worse
