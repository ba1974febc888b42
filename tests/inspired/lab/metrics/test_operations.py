"""Corrections by type, counted by hand and against those that made the file."""

from pathlib import Path
from typing import Any

import pytest

from inspired.lab.metrics.dialogues import MeasuredDialogue, read_split
from inspired.lab.metrics.operations import OperationCounts, count_operations

# Table 2 of the paper: conjunction, composition, comparative, superlative.
TABLE_2 = {
    "delete": (49, 94, 9, 3),
    "insert": (1835, 765, 208, 208),
    "replace": (2207, 1757, 341, 393),
    "keep": (2172, 2240, 301, 310),
}


def test_by_hand(file_of_three: Path) -> None:
    counts = count_operations(read_split(file_of_three))
    # a: nothing; b: the language for the anthem; c: the anthem and another step too much.
    assert counts.by_type == {"composition": {"keep": 5, "insert": 0, "replace": 1, "delete": 2}}
    assert counts.in_a_dialogue == {0: 1, 1: 1, 2: 1}
    assert counts.mean_in_a_dialogue == 1
    assert counts.left_out == 0


def test_totals_and_shares_are_those_of_the_papers_table() -> None:
    by_type: Any = {str(place): {kind: row[place] for kind, row in TABLE_2.items()} for place in range(4)}
    counts = OperationCounts(by_type, {}, 0)
    assert counts.totals == {"delete": 155, "insert": 3016, "replace": 4698, "keep": 5023}
    told = {"replace": 0.365, "insert": 0.233, "delete": 0.012, "keep": 0.39}  # section 4.1
    assert counts.shares == pytest.approx(told, abs=0.001)


@pytest.mark.slow
def test_operations_account_for_every_step(made_file: Path) -> None:
    dialogues = read_split(made_file)
    totals = count_operations(dialogues).totals
    assert totals["keep"] + totals["replace"] + totals["insert"] == sum(len(each.gold_forms or ()) for each in dialogues)
    assert totals["keep"] + totals["replace"] + totals["delete"] == sum(len(each.predicted_forms or ()) for each in dialogues)
    assert min(totals.values()) > 0


@pytest.mark.slow
def test_a_lost_step_is_one_insertion_and_no_more(made_file: Path) -> None:
    """Although the entities of what is left have other numbers then."""
    shorter = [each for each in read_split(made_file) if len(each.predicted) < len(each.gold)]
    totals = count_operations(shorter).totals
    assert totals == {"keep": sum(len(each.predicted) for each in shorter), "insert": len(shorter), "replace": 0, "delete": 0}
    assert len(shorter) > 20


def test_dialogues_without_forms_are_left_out() -> None:
    counts = count_operations([MeasuredDialogue("a", "simple", ""), MeasuredDialogue("b", "simple", "", gold_forms=("a",))])
    assert (counts.by_type, counts.left_out, counts.shares, counts.mean_in_a_dialogue) == ({}, 2, {}, None)
    nothing_predicted = count_operations([MeasuredDialogue("b", "simple", "", gold_forms=("a",), predicted_forms=())])
    assert nothing_predicted.totals["insert"] == 1
