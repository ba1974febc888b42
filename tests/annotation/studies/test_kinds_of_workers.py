"""A simulated study of twelve kinds of workers: what a lead sees of them, and what one action leaves of careless ones."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from annotation.studies.callers import Caller, Phase, Role
from annotation.studies.figures.progress import progress
from annotation.studies.figures.results import AnswerFilter, results
from annotation.studies.figures.worker_quality import quality_of_workers
from annotation.studies.files.archive import read_archive, write_archive
from annotation.studies.files.export import export
from annotation.studies.people.rights import erase_person, kept_about
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study, open_study
from annotation.studies.work.answer_warnings import warnings_for
from annotation.studies.work.answers import submit
from annotation.studies.work.bonuses import earnings
from annotation.studies.work.leases import next_item
from annotation.studies.work.quality_rules import let_on
from annotation.studies.work.taking_back import end_and_take_back, undo_taking_back
from backend.storage.database import Database
from tests.annotation.studies.kinds_of_workers import ASKED, BAD, GOOD, PLACES, wording
from tests.annotation.studies.small_studies import HandClock, join, json_lines, rating_study, write_study

ITEMS = [
    {"id": f"q{number}", "utterance": text.format(place), "entities": [place]}
    for number, (place, text) in enumerate((place, text) for place in PLACES for text in ASKED)
]
KNOWN = [
    {
        "id": f"k{place}",
        "utterance": f"What is the capital of {place}?",
        "entities": [place],
        "known": {"rewrite_1": f"Which city governs {place}?"},
    }
    for place in ("Mali", "Qatar")
]
TOML = 'title = "Words"\ntask = "utterance_rewriting"\nitems = ["items.jsonl"]\noverlap = {}\n{}\n[settings]\nrewrites = 1\n'


def _study(database: Database, folder: Path, clock: HandClock, overlap: int, more: str = "") -> Study:
    files = {"items__jsonl": json_lines(ITEMS), "known__jsonl": json_lines(KNOWN)}
    return open_study(database, write_study(folder, TOML.format(overlap, more), **files), clock)


def _work(study: Study, clock: HandClock, kind: str, worker: Caller, tasks: int) -> int:
    """The worker hands in up to so many tasks, against all warnings; returns how many were taken."""
    draw = random.Random(kind)
    for done in range(tasks):
        try:
            task = next_item(study, worker)
        except CallRefusedError:
            return done
        clock.turn(draw.uniform(0.6, 1.4) if kind in GOOD else 0.01)
        answer = {part.name: wording(kind, part, draw) for part in task.parts if part.name}
        submit(study, worker, task.key, answer, f"{task.key}", insist=True)
    return tasks


@pytest.fixture
def mixed(database: Database, tmp_path: Path, clock: HandClock) -> tuple[Study, Caller, dict[str, Caller]]:
    """Forty questions, three answers each, three careful and six careless workers, in turns."""
    study = _study(database, tmp_path / "words", clock, 3)
    lead = join(study, "Lena", Role.LEAD)
    people = {kind: join(study, kind) for kind in [*GOOD, *list(BAD)[:6]]}
    for _ in range(7):
        for kind, worker in people.items():
            _work(study, clock, kind, worker, 2)
    return study, lead, people


@pytest.mark.every_database
@pytest.mark.slow
def test_one_action_takes_back_what_six_careless_workers_of_nine_handed_in(
    mixed: tuple[Study, Caller, dict[str, Caller]], clock: HandClock
) -> None:
    study, lead, people = mixed
    before = Counter(result.worker for result in results(study, AnswerFilter(names=True)))
    assert sum(before[kind] for kind in BAD) > sum(before[kind] for kind in GOOD)
    earned = {each.name: each.total for each in earnings(study, lead)}
    remarked = {each.name for each in progress(study, lead).workers if quality_of_workers(study)[each.worker].remarks()}
    assert remarked == {kind for kind in people if kind in BAD}

    careless = [people[kind].worker for kind in people if kind in remarked]
    moved = end_and_take_back(study, lead, careless, "These are copies.")
    assert moved.answers == sum(before[kind] for kind in BAD)
    assert Counter(result.worker for result in results(study, AnswerFilter(names=True))) == {k: before[k] for k in GOOD}
    assert {each.name: each.total for each in earnings(study, lead)} == earned  # what was worked is paid
    with pytest.raises(CallRefusedError) as refused:
        next_item(study, people["copies"])
    assert refused.value.reason is Reason.ELIMINATED

    for kind in GOOD:  # the items are open again: the careful ones get what they have not had
        _work(study, clock, kind, people[kind], 40)
    after = Counter(result.worker for result in results(study, AnswerFilter(names=True)))
    assert after == dict.fromkeys(GOOD, 40)
    assert progress(study, lead).complete == 40


@pytest.mark.every_database
@pytest.mark.slow
def test_taking_back_is_undone_in_one_step_and_survives_an_archive(
    mixed: tuple[Study, Caller, dict[str, Caller]], clock: HandClock
) -> None:
    study, lead, people = mixed
    before = export(study, lead, "jsonl")
    half = clock()
    late = people["copies"]
    assert _work(study, clock, "copies", late, 1) in (0, 1)
    end_and_take_back(study, lead, [late.worker], "Only the last.", since=half)
    assert {json.loads(line)["id"] for line in export(study, lead, "jsonl").splitlines()} == {
        json.loads(line)["id"] for line in before.splitlines()
    }
    undo_taking_back(study, lead, [late.worker])
    everybody = [caller.worker for caller in people.values()]
    end_and_take_back(study, lead, everybody, "All of it.")
    assert results(study) == []
    there = read_archive(study.database, write_archive(study), "copy", clock)
    assert results(there) == []
    whole = write_archive(there)
    assert write_archive(read_archive(study.database, whole, "again", clock)).split(b"\n")[1:] == whole.split(b"\n")[1:]
    undo_taking_back(study, lead, everybody)
    assert len(export(study, lead, "jsonl").splitlines()) >= len(before.splitlines())
    assert {each.phase for each in progress(study, lead).workers} == {Phase.TASKS}
    with pytest.raises(CallRefusedError, match="taken back"):
        undo_taking_back(study, lead, [late.worker])


def test_nine_kinds_of_careless_wording_are_warned_of_and_careful_ones_are_not(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    study = _study(database, tmp_path / "words", clock, 12)
    shares = {}
    for kind in [*GOOD, *BAD]:
        draw, warned = random.Random(kind), 0
        for item in ITEMS:
            parts = study.parts({key: value for key, value in item.items() if key != "id"}, {})
            answer = {part.name: wording(kind, part, draw) for part in parts if part.name}
            warned += bool(warnings_for(parts, answer, study.plan.file.warnings))
        shares[kind] = warned / len(ITEMS)
    assert {kind for kind, share in shares.items() if share >= 0.8} == set(BAD)
    assert max(shares[kind] for kind in GOOD) <= 0.08


def test_rules_of_the_study_hold_ask_and_end(database: Database, tmp_path: Path, clock: HandClock) -> None:
    rules = """
[[rule]]
signal = "template_kept"
above = 0.9
after = 5
then = "hold"
[[rule]]
signal = "fast"
above = 0.9
after = 5
then = "ask the lead"
[[rule]]
signal = "insisted"
above = 0.9
after = 8
then = "end"
"""
    study = _study(database, tmp_path / "words", clock, 12, rules)
    lead, careful, copier = join(study, "Lena", Role.LEAD), join(study, "careful 0"), join(study, "copies")
    assert _work(study, clock, "careful 0", careful, 20) == 20
    assert _work(study, clock, "copies", copier, 20) == 5  # held
    with pytest.raises(CallRefusedError, match="looks at your work") as refused:
        next_item(study, copier)
    assert refused.value.reason is Reason.GRADING
    questions = {each.name: each.question for each in progress(study, lead).workers}
    assert questions["careful 0"] is None
    assert questions["copies"] is not None
    let_on(study, lead, copier.worker)
    assert _work(study, clock, "copies", copier, 20) == 3  # and ended
    with pytest.raises(CallRefusedError) as ended:
        next_item(study, copier)
    assert ended.value.reason is Reason.ELIMINATED
    assert len(results(study)) == 28  # what they handed in stays until a lead takes it back


def test_a_rule_on_agreement_holds_who_answers_otherwise_than_all_others(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    rule = 'overlap = 3\n[[rule]]\nsignal = "agreement"\nbelow = 0.3\nafter = 4\nthen = "hold"\n'
    study = rating_study(database, tmp_path / "ratings", clock, 8, rule)
    people = {name: join(study, name) for name in ("Ann", "Ben", "Cem")}
    for name, rating, tasks in (("Ann", 4, 8), ("Ben", 4, 8), ("Cem", 1, 4)):  # who is first has nobody to agree with
        for number in range(tasks):
            submit(study, people[name], next_item(study, people[name]).key, {"rating": rating}, f"{number}")
    reasons = {}
    for name, worker in people.items():
        with pytest.raises(CallRefusedError) as refused:
            next_item(study, worker)
        reasons[name] = refused.value.reason
    assert reasons == {"Ann": Reason.FINISHED, "Ben": Reason.FINISHED, "Cem": Reason.GRADING}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.slow
def test_every_worker_has_an_attention_item_in_each_stretch_and_an_edit_does_not_mend_it(
    database: Database, tmp_path: Path, clock: HandClock, seed: int
) -> None:
    more = f'seed = {seed}\n[attention]\nitems = "known.jsonl"\nshare = 0.05\n[batches]\nstart = 20\nspot_check = 0.0\n'
    study = _study(database, tmp_path / "words", clock, 12, more)
    lead = join(study, "Lena", Role.LEAD)
    for number in range(2):
        assert _work(study, clock, "careful 0", join(study, f"worker {number}"), 20) == 20
    assert [each.attention[1] for each in progress(study, lead).workers] == [1, 1]


@pytest.mark.slow
def test_a_whole_study_of_twelve_kinds_of_workers(database: Database, tmp_path: Path, clock: HandClock) -> None:
    """Of twelve at the same forty questions the careless nine are told by their figures, go in one step, and leave nothing."""
    study = _study(database, tmp_path / "words", clock, 3)
    lead = join(study, "Lena", Role.LEAD)
    people = {kind: join(study, kind) for kind in [*GOOD, *BAD]}
    for _ in range(6):  # in turns, so that nobody takes all
        for kind, worker in people.items():
            _work(study, clock, kind, worker, 2)
    before = Counter(result.worker for result in results(study, AnswerFilter(names=True)))
    assert sum(before[kind] for kind in BAD) > 2 * sum(before[kind] for kind in GOOD)
    quality = quality_of_workers(study)
    remarked = {each.name: each.worker for each in progress(study, lead).workers if quality[each.worker].remarks()}
    assert remarked.keys() == BAD.keys()
    end_and_take_back(study, lead, [people[kind].worker for kind in remarked], "These are copies.")
    for kind in GOOD:
        _work(study, clock, kind, people[kind], 50)
    after = Counter(result.worker for result in results(study, AnswerFilter(names=True)))
    assert sum(after[kind] for kind in BAD) <= 0.05 * after.total()
    assert after == dict.fromkeys(GOOD, 40)  # none of the careful ones is lost, and every item has its three answers
    erase_person(study, lead, people["copies"].worker)
    kept = kept_about(study, people["copies"].worker)
    assert not any(each["answer"] or each["final"] for each in kept["answers"])
    assert not any("answer" in each["content"] for each in kept["events"])
    whole = write_archive(study)
    assert write_archive(read_archive(database, whole, "copy", clock)).split(b"\n")[1:] == whole.split(b"\n")[1:]
