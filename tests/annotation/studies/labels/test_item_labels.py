"""Labels out of several answers: against the method written otherwise, planted workers, and decisions of a lead."""

import csv
import io
import json
import math
import random
from pathlib import Path

import pandas as pd
import pytest

from annotation.studies.callers import Caller, Role
from annotation.studies.figures.results import results
from annotation.studies.files.archive import read_archive, write_archive
from annotation.studies.files.dataset_folder import write_dataset_folder
from annotation.studies.files.export import write_export
from annotation.studies.labels.adjudication import decide_labels, reopen_labels
from annotation.studies.labels.aggregation import dawid_skene, determines_model, equal_pairs, majority
from annotation.studies.labels.item_labels import disagreements, item_labels
from annotation.studies.labels.text_differences import sentences
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study, load_study, open_study
from annotation.studies.work.answers import submit
from annotation.studies.work.leases import next_item
from annotation.ui.endpoints import CALLS
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, write_study

LABELS = ("yes", "no", "perhaps")
# How often each kind of worker gives the true label; the rest is spread, or for the last always the next label.
RIGHT = {"careful 1": 0.95, "careful 2": 0.9, "guess 1": 0.34, "guess 2": 0.34, "guess 3": 0.34, "turned": 0.0}
PAIR = """title = "Paare"
task = "custom"
items = ["items.jsonl"]
overlap = 3
[[settings.part]]
kind = "pair"
name = "better"
text = "Which one?"
columns = ["a", "b"]
options = ["left", "right", "neither"]
[[settings.part]]
kind = "rate"
name = "sure"
text = "How sure?"
[[settings.part]]
kind = "several"
name = "why"
text = "Why?"
options = ["short", "true"]
"""


def _planted(items: int, seed: int) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    draw = random.Random(seed)
    truth = {f"i{n}": draw.choice(LABELS) for n in range(items)}
    votes: dict[str, dict[str, str]] = {key: {} for key in truth}
    for key, true in truth.items():
        for name in draw.sample(list(RIGHT), 4):
            turned = LABELS[(LABELS.index(true) + 1) % 3]
            wrong = turned if name == "turned" else draw.choice([label for label in LABELS if label != true])
            votes[key][name] = true if draw.random() < RIGHT[name] else wrong
    return votes, truth


def test_planted_labels_come_back_more_often_than_by_the_majority() -> None:
    votes, truth = _planted(400, 1)
    likely = dawid_skene(votes)
    by_model = sum(likely[key].label == true for key, true in truth.items()) / len(truth)
    by_count = sum(majority(votes[key]) == true for key, true in truth.items()) / len(truth)
    assert by_model > 0.85 > 0.7 > by_count


def test_the_estimate_is_that_of_the_equations_written_out_word_by_word() -> None:
    votes, _ = _planted(30, 2)
    shares = {key: {label: list(voted.values()).count(label) / len(voted) for label in LABELS} for key, voted in votes.items()}
    for _ in range(300):
        prior = {true: (1 + sum(each[true] for each in shares.values())) / (3 + len(shares)) for true in LABELS}
        errors = {  # with one answer beforehand for each pair of labels, and one more for a right one
            (who, true, label): (
                1 + (label == true) + sum(shares[key][true] for key, voted in votes.items() if voted.get(who) == label)
            ) / (4 + sum(shares[key][true] for key, voted in votes.items() if who in voted))
            for who in RIGHT for true in LABELS for label in LABELS
        }  # fmt: skip
        for key, voted in votes.items():
            likely = {
                true: prior[true] * math.prod(errors[who, true, label] for who, label in voted.items()) for true in LABELS
            }
            shares[key] = {true: value / sum(likely.values()) for true, value in likely.items()}
    for key, label in dawid_skene(votes).items():
        assert label.confidence == pytest.approx(shares[key][str(label.label)], abs=1e-6)
        assert label.confidence == pytest.approx(max(shares[key].values()), abs=1e-6)


def test_the_probability_of_a_label_is_how_often_it_is_right_also_on_ties() -> None:
    ties = [
        (label.confidence, label.label == truth[key])
        for votes, truth in (_planted(400, seed) for seed in range(1, 6))
        for key, label in dawid_skene(votes).items()
        if majority(votes[key]) is None
    ]
    assert len(ties) > 400
    stated, right = (sum(values) / len(ties) for values in zip(*ties, strict=True))
    assert stated == pytest.approx(right, abs=0.03)


def _repeated(answers: str, times: int) -> dict[str, dict[str, str]]:
    """The same answers to each item: a letter is what one worker gave."""
    return {f"i{n}": {f"w{worker}": letter for worker, letter in enumerate(answers)} for n in range(times)}


@pytest.mark.parametrize(
    ("votes", "enough"),
    [
        ({}, False),
        (_repeated("ab", 1000), False),  # two workers leave the model undetermined, whatever they answer
        ({**_repeated("ab", 1000), "more": {"w0": "a", "w1": "a", "w2": "a"}}, False),  # 7 parameters, 3 answers
        (_repeated("aab", 2), False),
        (_repeated("aab", 3), True),  # 9 answers
        (_repeated("abc", 6), False),  # 20 parameters, 18 answers
        (_repeated("abc", 7), True),
    ],
    ids=lambda value: str(value)[:40],
)
def test_there_is_an_estimate_only_where_the_answers_determine_the_model(
    votes: dict[str, dict[str, str]], enough: bool
) -> None:
    assert determines_model(votes) is enough
    assert enough or dawid_skene(votes) == {}


def test_few_answers_are_not_nearly_certain_and_equally_likely_labels_have_no_estimate() -> None:
    same = {f"b{n}": {"w0": "b", "w1": "b", "w2": "b"} for n in range(3)}
    votes = {**_repeated("aaa", 3), "b0": same["b0"], "b1": same["b1"], "split": {"w0": "a", "w1": "b", "w2": "b"}}
    likely = dawid_skene(votes)
    assert (likely["split"].label, likely["i0"].label) == ("b", "a")
    assert 0.5 < likely["split"].confidence < 0.9 < likely["i0"].confidence < 0.99
    likely = dawid_skene({**_repeated("aaa", 3), **same, "tie": {"w0": "a", "w1": "b"}})
    assert "i0" in likely
    assert "tie" not in likely


def test_majority_and_equal_pairs_are_counted() -> None:
    assert majority({"a": 1, "b": 2, "c": 2}) == 2
    assert majority({"a": 1, "b": 2}) is None
    assert majority({}) is None
    assert equal_pairs({"a": 1, "b": 2, "c": 2}) == pytest.approx(1 / 3)
    assert equal_pairs({"a": 1}) is None


@pytest.fixture
def study(database: Database, tmp_path: Path) -> Study:
    items = json_lines([{"id": f"d{n}", "a": f"first {n}", "b": f"second {n}"} for n in range(2)])
    return open_study(database, write_study(tmp_path / "pairs", PAIR, items__jsonl=items), HandClock())


def _answer(study: Study, worker: Caller, key: str, column: str, sure: int) -> None:
    """Prefer a text, on whichever side it stands."""
    assignment = next_item(study, worker)
    assert assignment.key == key
    texts = [part.text.split()[0] for part in assignment.parts if part.speaker]
    side = ("left", "right")[texts.index(column)]
    submit(study, worker, key, {"better": side, "sure": sure, "why": ["true"]}, f"{worker.worker}-{key}")


def _answered(study: Study) -> Caller:
    """All agree on d0; on d1 two prefer the second text, and differ in how sure they are."""
    for n, name in enumerate(("Ann", "Bob", "Cem")):
        worker = join(study, name)
        _answer(study, worker, "d0", "first", 5)
        _answer(study, worker, "d1", "first" if n == 0 else "second", n + 1)
    return join(study, "Lea", Role.LEAD)


def test_labels_count_the_text_and_not_the_side_and_decisions_stand_beside_the_answers(study: Study) -> None:
    lead = _answered(study)
    before = write_export(study, "answers")
    labels = {(each.key, each.field): each for each in item_labels(study)}
    assert (labels["d0", "better"].label, labels["d0", "better"].equal) == ("left", 1)
    by_worker = [study.task.units(result)["better"] for result in results(study) if result.key == "d1"]
    assert sorted(by_worker) == ["left", "right", "right"]
    assert (labels["d1", "better"].majority, labels["d1", "sure"].majority) == ("right", None)
    (differing,) = disagreements(study)
    assert (differing.key, set(differing.differing), differing.decision) == ("d1", {"better", "sure"}, None)
    decide_labels(study, lead, "d1", {"better": "left", "why": ["short"]}, "I looked it up.")
    rows = {(row["id"], row["field"]): row for row in csv.DictReader(io.StringIO(write_export(study, "labels.csv").decode()))}
    decided = rows["d1", "better"]
    assert (decided["label"], decided["majority"], decided["decided"]) == ("left", "right", "left")
    assert decided["decided_by"].startswith("l-")
    assert (decided["decided_at"], decided["note"]) == (study.clock().isoformat(), "I looked it up.")
    assert json.loads(rows["d1", "why"]["label"]) == ["short"]
    assert rows["d1", "sure"]["decided_by"] == ""
    assert write_export(study, "answers") == before
    reopen_labels(study, lead, "d1")
    assert disagreements(study)[0].decision is None
    with pytest.raises(CallRefusedError) as refused:
        reopen_labels(study, lead, "d1")
    assert refused.value.reason is Reason.DECIDED


CHECK = """title = "Checks"
task = "custom"
items = ["items.jsonl"]
overlap = 2
[[settings.part]]
kind = "choose"
name = "good"
text = "Is it good?"
options = ["yes", "no"]
"""


def test_a_tie_of_two_workers_has_no_label_until_a_lead_decides(database: Database, tmp_path: Path) -> None:
    items = json_lines([{"id": f"d{n}"} for n in range(6)])
    study = open_study(database, write_study(tmp_path / "checks", CHECK, items__jsonl=items), HandClock())
    for name, answers in {"Ann": "yyyynn", "Bob": "yynnny"}.items():
        worker = join(study, name)
        for letter in answers:
            key = next_item(study, worker).key
            submit(study, worker, key, {"good": {"y": "yes", "n": "no"}[letter]}, f"{name}-{key}")
    lead = join(study, "Lea", Role.LEAD)

    def rows(column: str) -> list[str]:
        return [row[column] for row in csv.DictReader(io.StringIO(write_export(study, "labels.csv").decode()))]

    assert rows("label") == rows("majority") == ["yes", "yes", "", "", "no", ""]
    assert rows("tie") == ["False", "False", "True", "True", "False", "True"]
    assert set(rows("dawid_skene") + rows("confidence")) == {""}
    html = CALLS["study_page"](study, lead, {"page": "labels"})["html"]
    assert (html.count(">tie<"), html.count("100%")) == (3, 0)
    decide_labels(study, lead, "d2", {"good": "no"})
    assert (rows("label")[2], rows("tie")[2]) == ("no", "True")


def test_a_decision_travels_with_the_archive(study: Study, tmp_path: Path) -> None:
    decide_labels(study, _answered(study), "d1", {"sure": 2})
    other = Database(f"sqlite:///{tmp_path / 'other.db'}")
    read_archive(other, write_archive(study, names=True))
    assert write_export(load_study(other, study.name), "labels.jsonl") == write_export(study, "labels.jsonl")


@pytest.mark.parametrize(
    ("key", "labels"), [("d1", {}), ("d1", {"sure": 9}), ("d1", {"other": 1}), ("gone", {"sure": 2})], ids=str
)
def test_what_is_no_decision_is_refused(study: Study, key: str, labels: dict[str, int]) -> None:
    lead = join(study, "Lea", Role.LEAD)
    with pytest.raises(CallRefusedError) as refused:
        decide_labels(study, lead, key, labels)
    assert refused.value.reason in (Reason.ANSWER, Reason.UNKNOWN)


def test_the_page_of_a_lead_holds_the_answers_and_calls_decide(study: Study) -> None:
    lead = _answered(study)
    html = CALLS["study_page"](study, lead, {"page": "labels"})["html"]
    assert "1 item waits for a decision." in html
    assert all(text in html for text in ("first 1", "second 1", "tie", "33%"))
    CALLS["study_decide_labels"](study, lead, {"key": "d1", "final": {"sure": 3}, "note": "<b>"})
    html = CALLS["study_page"](study, lead, {"page": "labels"})["html"]
    assert "No item waits for a decision." in html
    assert "Lea" in html
    assert "<b>" not in html


WRITTEN = """title = "Captions"
task = "custom"
items = ["items.jsonl"]
overlap = 3
[[settings.part]]
kind = "write"
name = "caption"
text = "What happens?"
longest = 60
"""


def test_texts_are_chosen_merged_or_written_where_they_differ(database: Database, tmp_path: Path) -> None:
    items = json_lines([{"id": "c1"}, {"id": "c2"}])
    study = open_study(database, write_study(tmp_path / "captions", WRITTEN, items__jsonl=items), HandClock())
    texts = {"Ann": "A dog runs. It is <brown>.", "Bob": "a brown dog sleeps", "Cem": "A dog runs. It is <brown>."}
    for name, text in texts.items():
        worker = join(study, name)
        for key, wrote in (("c1", text), ("c2", "the same")):
            submit(study, worker, key if next_item(study, worker).key == key else "", {"caption": wrote}, key, insist=True)
    lead = join(study, "Lea", Role.LEAD)
    assert (disagreements(study), [each.key for each in disagreements(study, texts=True)]) == ([], ["c1"])
    html = CALLS["study_page"](study, lead, {"page": "labels", "texts": "yes"})["html"]
    assert "A dog <mark>runs. </mark><mark>It </mark><mark>is </mark>&lt;brown&gt;." in html  # shared in any case
    assert "a brown dog <mark>sleeps</mark>" in html
    assert all(f'data-text="{piece}"' in html for piece in ("A dog runs.", "It is &lt;brown&gt;.", "a brown dog sleeps"))
    with pytest.raises(CallRefusedError, match="at most 60"):
        decide_labels(study, lead, "c1", {"caption": "x" * 61})
    decide_labels(study, lead, "c1", {"caption": "A brown dog runs."})
    (row,) = csv.DictReader(io.StringIO(write_export(study, "labels.csv").decode()))
    assert (row["id"], row["field"], row["label"], row["answers"]) == ("c1", "caption", "A brown dog runs.", "3")
    assert float(row["equal_pairs"]) == pytest.approx(1 / 3)
    assert disagreements(study)[0].decision is not None
    assert sentences("One. Two!\n\nThree … 3.5 four") == ["One.", "Two!", "Three …", "3.5 four"]


def test_a_data_set_has_the_labels_as_a_configuration_of_its_own(study: Study, tmp_path: Path) -> None:
    decide_labels(study, _answered(study), "d1", {"better": "left"})
    write_dataset_folder(study, tmp_path / "set")
    labels = pd.read_parquet(tmp_path / "set" / "labels" / "train.parquet")
    row = labels[(labels["id"] == "d1") & (labels["field"] == "better")].iloc[0]
    assert (row["label"], row["majority"], row["decided"]) == ("left", "right", "left")
    sure = labels[labels["field"] == "sure"].set_index("id")
    assert (sure.loc["d0", "label"], pd.isna(sure.loc["d1", "label"]), list(sure["tie"])) == ("5", True, [False, True])
    assert "config_name: labels" in (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
