"""An item is lent to as many workers as it needs answers from, for as long as the plan says, and to nobody else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.studies.callers import Role
from annotation.studies.figures.progress import progress, standing
from annotation.studies.figures.results import results
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import import_items, open_study
from annotation.studies.work.answers import save_draft, submit
from annotation.studies.work.grading import LeadVerdict, eliminate, release_batch, review, review_queue, work_of
from annotation.studies.work.leases import next_item, renew_lease, skip
from annotation.tasks.user_study import completion_table
from annotation.ui.endpoints import CALLS
from annotation.web.lead.figures import by_worker
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, plausible, rating_study, ratings, write_study

pytestmark = pytest.mark.every_database

FOUR = {"rating": 4}


def _reason(call: Callable[[], object]) -> Reason:
    with pytest.raises(CallRefusedError) as refused:
        call()
    return refused.value.reason


def test_k_different_workers_answer_each_item(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 3, "overlap = 2")
    people = [join(study, f"w{n}") for n in range(3)]
    got = [next_item(study, each).key for each in people]
    assert got == ["p0", "p0", "p1"]
    assert [next_item(study, each).key for each in people] == got  # the same until it is done
    answered: list[tuple[int, str]] = []
    for round_ in range(3):
        for number, each in enumerate(people):
            try:
                key = next_item(study, each).key
            except CallRefusedError:
                continue
            submit(study, each, key, FOUR, f"{round_}")
            answered.append((number, key))
    assert len(answered) == len(set(answered)) == 6
    assert sorted(key for _, key in answered) == ["p0", "p0", "p1", "p1", "p2", "p2"]
    assert _reason(lambda: next_item(study, join(study, "late"))) is Reason.FINISHED


def test_a_lease_runs_out_and_its_item_goes_to_somebody_else(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 1, "lease_minutes = 30")
    slow, quick = join(study, "slow"), join(study, "quick")
    given = next_item(study, slow)
    save_draft(study, slow, given.key, "rating", 3, 1)
    assert _reason(lambda: next_item(study, quick)) is Reason.FINISHED
    clock.turn(29)
    assert renew_lease(study, slow, given.key) > given.expires
    clock.turn(29)
    assert _reason(lambda: next_item(study, quick)) is Reason.FINISHED
    clock.turn(1)
    assert _reason(lambda: submit(study, slow, given.key, FOUR, "late")) is Reason.LEASE
    assert _reason(lambda: renew_lease(study, slow, given.key)) is Reason.LEASE
    assert next_item(study, quick).key == given.key
    assert _reason(lambda: submit(study, slow, given.key, FOUR, "later")) is Reason.LEASE
    save_draft(study, slow, given.key, "rating", 2, 2)  # what was typed meanwhile is not lost
    clock.turn(31)
    again = next_item(study, slow)
    assert (again.key, again.drafts["rating"].value) == (given.key, 2)
    submit(study, slow, given.key, FOUR, "in time")
    assert _reason(lambda: submit(study, quick, given.key, FOUR, "too late")) is Reason.LEASE


def test_typing_keeps_a_lease(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 1, "lease_minutes = 30")
    worker = join(study, "Ann")
    given = next_item(study, worker)
    for version in range(5):
        clock.turn(20)
        save_draft(study, worker, given.key, "rating", version, version)
    assert submit(study, worker, given.key, FOUR, "done").done == 1
    with study.database.reading():
        assert work_of(study, join(study, "Lena", Role.LEAD), worker.worker)[0].seconds == 100 * 60


def test_what_is_skipped_does_not_come_again_but_goes_to_others(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 2)
    picky, other = join(study, "picky"), join(study, "other")
    assert _reason(lambda: skip(study, picky, "p0", "not mine")) is Reason.LEASE
    next_item(study, picky)
    assert _reason(lambda: skip(study, picky, "p0", "  ")) is Reason.ANSWER
    skip(study, picky, "p0", "<b>makes no sense</b>")
    assert next_item(study, picky).key == "p1"
    assert next_item(study, other).key == "p0"
    submit(study, picky, "p1", FOUR, "1")
    assert _reason(lambda: next_item(study, picky)) is Reason.FINISHED
    assert progress(study, join(study, "Lena", Role.LEAD)).workers[0].skipped == 1


def test_nobody_gets_past_the_cap(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 5, "cap = 3")
    worker = join(study, "Ann")
    for number in range(3):
        given = next_item(study, worker)
        assert (given.number, given.of) == (number + 1, 3)
        submit(study, worker, given.key, FOUR, f"{number}")
    assert _reason(lambda: next_item(study, worker)) is Reason.FINISHED
    assert standing(study, worker).waiting


@pytest.mark.parametrize("batches", ["", "[batches]\nstart = 100\n"], ids=["no batches", "batches"])
def test_done_of_all_is_counted_as_far_as_there_are_items(
    database: Database, tmp_path: Path, clock: HandClock, batches: str
) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 6, f"overlap = 2\n{batches}")
    lead = join(study, "Lea", Role.LEAD)
    for name in ("Ann", "Bo"):
        worker = join(study, name)
        for number in range(6):
            assert progress(study, lead).workers[-1].left == 6 - number
            given = next_item(study, worker)
            assert (given.number, given.of) == (number + 1, 6)
            receipt = submit(study, worker, given.key, FOUR, f"{number}")
            assert (receipt.done, receipt.of) == (number + 1, 6)
        assert _reason(lambda worker=worker: next_item(study, worker)) is Reason.FINISHED
        assert (standing(study, worker).done, standing(study, worker).of, standing(study, worker).waiting) == (6, 6, False)
    join(study, "Cem")  # comes when all is done
    now = progress(study, lead)
    assert [(each.tasks, each.of) for each in now.workers] == (
        [(6, 100), (6, 100), (0, 100)] if batches else [(6, 6), (6, 6), (0, 0)]
    )
    done, left = by_worker(now).data
    assert (list(done.y), list(left.y)) == ([6, 6, 0], [0, 0, 0])
    assert "Decisions that are due" not in CALLS["study_page"](study, lead, {"page": "review"})["html"]


def test_what_others_do_is_out_of_reach(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 6)
    ann, bo = join(study, "Ann"), join(study, "Bo")
    first = next_item(study, bo)
    assert first.of == 6
    for _ in range(5):
        given = next_item(study, ann)
        assert given.of == 5
        submit(study, ann, given.key, FOUR, given.key)
    assert standing(study, bo).of == 1
    receipt = submit(study, bo, first.key, FOUR, "once")
    assert (receipt.done, receipt.of) == (1, 1)


def test_an_attention_item_changes_nothing_about_how_many_tasks_there_are(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    toml = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n[attention]\nitems = "known.jsonl"\nshare = 0.5\n'
    files = {"items__jsonl": ratings(6), "known__jsonl": ratings(1, "known", known={"rating": 4})}
    study = open_study(database, write_study(tmp_path / "both", toml, **files), clock)
    worker = join(study, "Ann")
    given = {}
    while (now := standing(study, worker)).done < now.of:
        task = next_item(study, worker)
        given[task.key] = task.of
        submit(study, worker, task.key, FOUR, task.key)
    assert ("known0" in given, set(given.values()), now.done) == (True, {7}, 7)


def test_a_batch_grows_only_for_who_is_not_much_slower_than_the_others(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    toml = "[batches]\nstart = 4\nspot_check = 0\ngrowth = 2\nslow = 2\n"
    study = rating_study(database, tmp_path / "ratings", clock, 40, toml)
    lead = join(study, "Lena", Role.LEAD)
    sizes = {}
    for name, minutes in (("Ann", 1), ("Ben", 1.5), ("Cleo", 9)):
        worker = join(study, name)
        for _ in range(4):
            given = next_item(study, worker)
            clock.turn(minutes)
            submit(study, worker, given.key, FOUR, given.key)
        sizes[name] = release_batch(study, lead, worker.worker).size
    assert sizes == {"Ann": 8, "Ben": 8, "Cleo": 4}  # medians 1, 1.25 and 1.5: Cleo takes six times as long


def test_batches_grow_with_quality_and_wait_for_the_spot_check(database: Database, tmp_path: Path, clock: HandClock) -> None:
    toml = "cap = 20\n[batches]\nstart = 4\nspot_check = 0.5\ngrowth = 2\ngood = 0.9\n[payment]\nbatch = 2.50"
    study = rating_study(database, tmp_path / "ratings", clock, 40, toml)
    worker, lead = join(study, "Ann"), join(study, "Lena", Role.LEAD)

    def do_batch(verdict: LeadVerdict) -> int:
        done = 0
        while True:
            try:
                given = next_item(study, worker)
            except CallRefusedError:
                break
            submit(study, worker, given.key, FOUR, given.key)
            done += 1
        queue = review_queue(study, lead)
        assert len(queue) == -(-done // 2)  # half of them, rounded up
        assert _reason(lambda: release_batch(study, lead, worker.worker)) is Reason.GRADING
        for work in queue:
            review(study, lead, work.assignment, work.number, verdict, "because")
        return done

    assert do_batch(LeadVerdict.ACCEPTED) == 4
    assert release_batch(study, lead, worker.worker).size == 8  # good: twice as many
    assert _reason(lambda: release_batch(study, lead, worker.worker)) is Reason.GRADING
    assert do_batch(LeadVerdict.REJECTED) == 8
    assert release_batch(study, lead, worker.worker).size == 8  # not good: no growth, and the cap of 20 is reached
    assert do_batch(LeadVerdict.ACCEPTED) == 8
    last = release_batch(study, lead, worker.worker)
    assert (last.batch, last.size, last.released) == (4, 0, 20)
    assert _reason(lambda: release_batch(study, lead, worker.worker)) is Reason.FINISHED
    assert _reason(lambda: next_item(study, worker)) is Reason.FINISHED


@pytest.mark.slow
def test_attention_items_come_among_the_others_and_are_marked_by_themselves(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    toml = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n[attention]\nitems = "known.jsonl"\nshare = 0.5\n'
    known = ratings(4, "a", known={"rating": 1})
    study = open_study(database, write_study(tmp_path / "r", toml, items__jsonl=ratings(20), known__jsonl=known), clock)
    worker, lead = join(study, "Ann"), join(study, "Lena", Role.LEAD)
    keys = []
    for number in range(24):
        given = next_item(study, worker)
        assert "known" not in repr(given)
        keys.append(given.key)
        submit(study, worker, given.key, {"rating": 2 if number % 2 else 4}, f"{number}")
    assert len(set(keys)) == 24
    at = [place for place, key in enumerate(keys) if key.startswith("a")]
    assert len(at) == 4
    assert at != [20, 21, 22, 23]
    figures = progress(study, lead).workers[0]
    assert figures.attention == (sum(place % 2 for place in at), 4)  # 2 is near enough to 1, 4 is not
    assert progress(study, lead).items == 20


def test_items_of_those_who_are_out_are_free_again(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 1)
    worker, other, lead = join(study, "Ann"), join(study, "Bo"), join(study, "Lena", Role.LEAD)
    next_item(study, worker)
    eliminate(study, lead, worker.worker, "thank you")
    assert _reason(lambda: next_item(study, worker)) is Reason.ELIMINATED
    assert _reason(lambda: submit(study, worker, "p0", FOUR, "x")) is Reason.ELIMINATED
    assert next_item(study, other).key == "p0"


def test_items_added_later_are_lent_too(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 1)
    worker = join(study, "Ann")
    submit(study, worker, next_item(study, worker).key, FOUR, "1")
    assert _reason(lambda: next_item(study, worker)) is Reason.FINISHED
    (tmp_path / "more.jsonl").write_text(ratings(3))
    assert import_items(study, tmp_path / "more.jsonl") == 2  # p0 is there already
    assert next_item(study, worker).key == "p1"


def test_more_overlap_opens_items_again(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 1)
    first, second = join(study, "Ann"), join(study, "Bo")
    submit(study, first, next_item(study, first).key, FOUR, "1")
    assert _reason(lambda: next_item(study, second)) is Reason.FINISHED
    study = rating_study(database, tmp_path / "ratings", clock, 1, "overlap = 2")
    assert next_item(study, second).key == "p0"
    assert _reason(lambda: next_item(study, first)) is Reason.FINISHED


USER_STUDY = """
title = "Chat or dashboard"
task = "user_study"
items = ["questions.jsonl"]
[settings]
interfaces = [{ name = "chat", tutorial = "Type." }, { name = "dashboard" }]
comparisons = [{ name = "ease", text = "{better} is easier than {worse}" }]
statements = ["I am sure."]
"""


@pytest.mark.slow
def test_in_a_user_study_everybody_answers_everything_in_an_order_of_their_own(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    rows = [{"id": f"{block}{n}", "block": block, "question": f"{n}?", "options": ["1", "2"], "correct": "1"}
            for block in "AB" for n in range(3)]  # fmt: skip
    study = open_study(database, write_study(tmp_path / "user", USER_STUDY, questions__jsonl=json_lines(rows)), clock)
    ways = []
    for name in ("Ann", "Bo", "Cy", "Di"):
        worker, way = join(study, name), []
        for number in range(7):
            given = next_item(study, worker)
            way.append((given.key, given.parts[-2].text if number == 6 else given.parts[0].text))
            clock.turn(1)
            submit(study, worker, given.key, plausible(given), f"{number}", insist=True)
        assert _reason(lambda worker=worker: next_item(study, worker)) is Reason.FINISHED
        ways.append(way)
    assert {(way[0][0][0], way[0][1] == "Type.") for way in ways} == {("A", True), ("A", False), ("B", True), ("B", False)}
    found = results(study)
    assert len(found) == 28
    assert {each.seconds for each in found} == {60.0}
    table = {row["interface"]: row for row in completion_table(found, study.plan.task_settings)}
    assert (table["chat"]["answers"], table["chat"]["accuracy"]) == (12, 100)


def test_who_skips_to_pick_what_is_easy_comes_to_an_end(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock, 10, "most_skips = 3")
    picky = join(study, "picky")
    for _ in range(3):
        skip(study, picky, next_item(study, picky).key, "not mine")
    key = next_item(study, picky).key
    assert _reason(lambda: skip(study, picky, key, "not mine")) is Reason.ANSWER
    submit(study, picky, key, FOUR, "1")
