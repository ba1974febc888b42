"""Whatever workers and leads call in whatever order: no item is answered too often, nothing handed in is lost, drafts come
back as typed, and no phase is skipped."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import func, select

from annotation.studies.callers import Caller, Phase, Role
from annotation.studies.item_files import ItemKind
from annotation.studies.refusals import CallRefusedError
from annotation.studies.study import Study, open_study
from annotation.studies.tables import study_assignments, study_events, study_items, study_workers
from annotation.studies.work.answers import edit, history, save_draft, submit
from annotation.studies.work.grading import LeadVerdict, decide_trial, eliminate, release_batch, review, work_of
from annotation.studies.work.leases import next_item, renew_lease, skip
from annotation.studies.work.phases import phases_of
from annotation.studies.work.qualification import agree, draw_quiz, see_slide, submit_quiz
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, ratings, write_study

WORKERS = 3
OVERLAP = 2
CAP = 4
TOML = f"""
title = "Ratings"
task = "similarity_rating"
items = ["items.jsonl"]
overlap = {OVERLAP}
lease_minutes = 10
cap = {CAP}
[consent]
text = "consent.md"
[tutorial]
slides = "."
[quiz]
questions = "quiz.toml"
draw = 1
pass_mark = 1
[trial]
items = "trial.jsonl"
tasks = 1
[batches]
start = 2
spot_check = 0.5
[attention]
items = "attention.jsonl"
share = 0.3
"""
QUIZ = '[[question]]\nquestion = "1 + 1?"\noptions = ["2", "3"]\ncorrect = "2"\n'
workers = st.integers(0, WORKERS - 1)
keys = st.sampled_from([*(f"p{n}" for n in range(4)), "t0", "a0", "none such"])
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


class Protocol(RuleBasedStateMachine):
    """A model of what must hold, beside the study; calls that the protocol refuses leave both as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = HandClock()
        self.database = Database(f"sqlite:///{self.folder / 'parley.sqlite'}")
        self.sent: list[tuple[int, str, dict[str, Any]]] = []
        self.drafts: dict[tuple[int, str], tuple[int, str]] = {}
        self.phase = [Phase.CONSENT] * WORKERS
        self.refused: CallRefusedError | None = None
        self.study: Study
        self.callers: list[Caller] = []

    @initialize()
    def begin(self) -> None:
        trial = ratings(1, "t")
        attention = ratings(1, "a", known={"rating": 4})
        folder = write_study(self.folder / "study", TOML, items__jsonl=ratings(4), trial__jsonl=trial,
                             attention__jsonl=attention, consent__md="Yes?", quiz__toml=QUIZ)  # fmt: skip
        self.study = open_study(self.database, folder, self.clock)
        self.callers = [join(self.study, f"w{n}") for n in range(WORKERS)]
        self.lead = join(self.study, "lead", Role.LEAD)

    def teardown(self) -> None:
        self.database.close()
        shutil.rmtree(self.folder)

    @rule(minutes=st.sampled_from([1, 6, 11]))
    def wait(self, minutes: int) -> None:
        self.clock.turn(minutes)

    @rule(who=workers)
    def qualify_fully(self, who: int) -> None:
        for step in (self.agree, self.see, self.pass_quiz):
            step(who)

    @rule(who=workers)
    def get_to_the_tasks(self, who: int) -> None:
        self.qualify_fully(who)
        self.work(who, 4, False)
        self.review_all(who, LeadVerdict.ACCEPTED)
        self.decide(who, True)

    @rule(who=workers)
    def do_a_batch(self, who: int) -> None:
        for rating in (1, 2):
            self.work(who, rating, True)
        self.review_all(who, LeadVerdict.ACCEPTED)
        self.release(who)

    @rule(who=workers)
    def agree(self, who: int) -> None:
        self.attempt(lambda: agree(self.study, self.callers[who]))

    @rule(who=workers)
    def see(self, who: int) -> None:
        self.attempt(lambda: see_slide(self.study, self.callers[who], 1))

    @rule(who=workers)
    def pass_quiz(self, who: int) -> None:
        self.quiz(who, "2")

    @rule(who=workers)
    def fail_quiz(self, who: int) -> None:
        self.quiz(who, "3")

    def quiz(self, who: int, choice: str) -> None:
        def take() -> None:
            sheet = draw_quiz(self.study, self.callers[who])
            submit_quiz(self.study, self.callers[who], sheet.attempt, {1: choice})

        self.attempt(take)

    @rule(who=workers)
    def ask_for_work(self, who: int) -> None:
        self.attempt(lambda: next_item(self.study, self.callers[who]))

    @rule(who=workers, key=keys)
    def renew(self, who: int, key: str) -> None:
        self.attempt(lambda: renew_lease(self.study, self.callers[who], key))

    @rule(who=workers, key=keys)
    def skip(self, who: int, key: str) -> None:
        self.attempt(lambda: skip(self.study, self.callers[who], key, "why not"))

    @rule(who=workers, rating=st.integers(1, 4), repeat=st.booleans())
    def work(self, who: int, rating: int, repeat: bool) -> None:
        def do() -> None:
            given = next_item(self.study, self.callers[who])
            self.hand_in(who, given.key, rating)
            if repeat:
                again = submit(self.study, self.callers[who], given.key, {"rating": 1}, f"s{len(self.sent) - 1}")
                assert again.key == given.key

        self.attempt(do)

    @rule(who=workers, key=keys, rating=st.integers(0, 5))
    def submit_something(self, who: int, key: str, rating: int) -> None:
        self.attempt(lambda: self.hand_in(who, key, rating))

    def hand_in(self, who: int, key: str, rating: int) -> None:
        submit(self.study, self.callers[who], key, {"rating": rating}, f"s{len(self.sent)}")
        self.sent.append((who, key, {"rating": rating}))
        self.drafts.pop((who, key), None)

    @rule(who=workers, key=keys, rating=st.integers(1, 4))
    def edit(self, who: int, key: str, rating: int) -> None:
        def do() -> None:
            edit(self.study, self.callers[who], key, {"rating": rating}, f"s{len(self.sent)}")
            self.sent.append((who, key, {"rating": rating}))
            self.drafts.pop((who, key), None)

        self.attempt(do)

    @rule(who=workers, key=keys, text=texts, version=st.integers(0, 3))
    def type(self, who: int, key: str, text: str, version: int) -> None:
        def do() -> None:
            kept = save_draft(self.study, self.callers[who], key, "rating", text, version)
            before = self.drafts.get((who, key))
            self.drafts[who, key] = (version, text) if before is None or version > before[0] else before
            assert (kept.version, kept.value) == self.drafts[who, key]

        self.attempt(do)

    @rule(who=workers, verdict=st.sampled_from([LeadVerdict.ACCEPTED, LeadVerdict.REJECTED]))
    def review_all(self, who: int, verdict: LeadVerdict) -> None:
        for work in work_of(self.study, self.lead, self.callers[who].worker):
            self.attempt(lambda work=work: review(self.study, self.lead, work.assignment, work.number, verdict, "because"))

    @rule(who=workers, passed=st.sampled_from([True, True, True, False]))
    def decide(self, who: int, passed: bool) -> None:
        self.attempt(lambda: decide_trial(self.study, self.lead, self.callers[who].worker, passed, "because"))

    @rule(who=workers)
    def release(self, who: int) -> None:
        self.attempt(lambda: release_batch(self.study, self.lead, self.callers[who].worker))

    @rule(who=workers, luck=st.integers(0, 9))
    @precondition(lambda self: bool(self.callers))
    def eliminate(self, who: int, luck: int) -> None:
        if luck == 0:
            self.attempt(lambda: eliminate(self.study, self.lead, self.callers[who].worker, "enough"))

    @rule(who=workers)
    def a_worker_is_no_lead(self, who: int) -> None:
        for call in (
            lambda: release_batch(self.study, self.callers[who], self.callers[who].worker),
            lambda: decide_trial(self.study, Caller(self.study.id, self.callers[who].worker, Role.LEAD), 1, True, "please"),
        ):
            try:
                call()
            except CallRefusedError:
                continue
            raise AssertionError("a worker did what only a lead may do")

    def attempt(self, call: Any) -> None:
        try:
            call()
        except CallRefusedError as refused:
            self.refused = refused

    @invariant()
    def a_refusal_is_a_sentence(self) -> None:
        assert self.refused is None or self.refused.message.endswith((".", "!"))

    @invariant()
    def no_item_is_taken_too_often_and_the_counts_are_right(self) -> None:
        if not self.callers:
            return
        table = study_assignments
        with self.database.reading() as connection:
            used = dict(connection.execute(
                select(table.c.item, func.count()).where(table.c.slot.is_not(None)).group_by(table.c.item)
            ).all())  # fmt: skip
            for item in connection.execute(select(study_items)):
                assert item.taken == used.get(item.id, 0) <= (OVERLAP if item.kind == ItemKind.WORK else 0)
                assert item.open == (item.taken < item.wanted)
            stands = (table.c.state == "submitted", table.c.verdict != "rejected", study_items.c.kind == "work")
            query = select(func.count()).join(study_items, study_items.c.id == table.c.item).where(*stands)
            counts = connection.execute(query.group_by(table.c.item)).scalars().all()
            leases = select(func.count()).where(table.c.state == "leased").group_by(table.c.worker)
            assert max(connection.execute(leases).scalars(), default=0) <= 1
        assert max(counts, default=0) <= OVERLAP

    @invariant()
    def nothing_handed_in_is_lost(self) -> None:
        if not self.callers:
            return
        found: dict[tuple[int, str], list[Any]] = {}
        for who, key, _ in self.sent:
            if (who, key) not in found:
                events = history(self.study, self.callers[who], key)
                found[who, key] = [each.content["answer"] for each in events if each.kind in ("submitted", "edited")]
        for (who, key), answers in found.items():
            assert answers == [answer for sender, of, answer in self.sent if (sender, of) == (who, key)]
        for who, caller in enumerate(self.callers):
            for work in work_of(self.study, self.lead, caller.worker):
                assert work.answer == found[who, work.key][-1]

    @invariant()
    def phases_come_one_after_the_other(self) -> None:
        order = [*phases_of(self.study.plan), Phase.ELIMINATED] if self.callers else []
        for who, caller in enumerate(self.callers):
            with self.database.reading() as connection:
                row = connection.execute(select(study_workers).where(study_workers.c.id == caller.worker)).one()
                done = study_assignments.c.worker == caller.worker, study_assignments.c.state == "submitted"
                tasks = select(func.count()).where(*done, study_assignments.c.phase == "tasks")
                assert connection.execute(tasks).scalar_one() <= min(row.released, CAP)
            now_in = Phase(row.phase)
            step = order.index(now_in) - order.index(self.phase[who])
            assert step >= 0
            self.phase[who] = now_in
            kinds = {kind for kind, _ in self.milestones(caller)}
            needed = {Phase.TUTORIAL: {"agreed"}, Phase.QUIZ: {"agreed", "slide"}, Phase.TRIAL: {"agreed", "slide", "quiz"},
                      Phase.TASKS: {"agreed", "slide", "quiz", "trial decided"}}  # fmt: skip
            assert needed.get(now_in, set()) <= kinds

    def milestones(self, caller: Caller) -> list[tuple[str, Any]]:
        with self.database.reading() as connection:
            query = select(study_events.c.kind, study_events.c.content).where(study_events.c.worker == caller.worker)
            rows = connection.execute(query).all()
        return [(kind, content) for kind, content in rows if kind != "quiz" or content["passed"]]


TestProtocol = Protocol.TestCase
TestProtocol.settings = settings(max_examples=12, stateful_step_count=30, suppress_health_check=list(HealthCheck))
pytestmark = pytest.mark.slow
