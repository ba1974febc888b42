"""What comes before the tasks: consent, the slides of the tutorial, the quiz (INSPIRED, table 1, phases I and II)."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, select, update

from annotation.studies.callers import Caller, Phase, Role, anyone_calling, event_once, worker_calling, write_event
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_events, study_quizzes
from annotation.studies.work.leases import end_part
from annotation.studies.work.phases import advance, has_agreed, need_phase
from annotation.words.catalogue import translate


@dataclass(frozen=True)
class TutorialProgress:
    """The slides (Markdown), and the numbers (from 1) of those that this worker has seen."""

    slides: tuple[str, ...]
    seen: frozenset[int]


@dataclass(frozen=True)
class DrawnQuestion:
    question: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class QuizSheet:
    """One attempt, drawn for one worker; it stays the same until it is submitted."""

    attempt: int
    questions: tuple[DrawnQuestion, ...]
    pass_mark: int
    most_attempts: int | None = None


@dataclass(frozen=True)
class QuizResult:
    """`again`: from when on the quiz may be tried once more, None if it is passed or was the last attempt.
    `explanations`: for wrong answers, by number of the question (from 1); the right option is not shown, since the question
    may be asked again."""

    score: int
    of: int
    passed: bool
    again: datetime | None
    explanations: Mapping[int, str]


def agree(study: Study, caller: Caller) -> Phase:
    """Consent to the text of the study; returns the phase that follows. To agree again changes nothing."""
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        if row.phase != Phase.CONSENT:
            return Phase(row.phase)
        write_event(connection, study, row.id, row.id, "agreed", _agreed_to(study), once="agreed")
        return advance(connection, study, row)


def _agreed_to(study: Study) -> dict[str, str]:
    consent = study.plan.file.consent
    return {"text": study.plan.consent, "version": consent.version if consent else ""}


def tutorial(study: Study, caller: Caller) -> TutorialProgress:
    """The slides; reachable at any time after consent, also by those whose part has ended, and by leads.

    Raises Refused (PHASE) before consent.
    """
    with study.database.reading() as connection:
        row = anyone_calling(connection, study, caller)
        if row.role == Role.WORKER and not has_agreed(row):
            need_phase(row, Phase.TUTORIAL)
        return TutorialProgress(study.plan.slides, frozenset(_seen(connection, row.id)))


def see_slide(study: Study, caller: Caller, number: int) -> Phase:
    """Note that slide `number` (from 1) was seen; returns the phase, which is the next one after the last unseen slide.

    Raises Refused: PHASE before consent, UNKNOWN if there is no such slide.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        if not has_agreed(row):
            need_phase(row, Phase.TUTORIAL)
        if type(number) is not int or not 1 <= number <= len(study.plan.slides):
            raise CallRefusedError(
                Reason.UNKNOWN,
                translate(
                    "There is no slide {number}; there are {count}.", number=f"{number!r:.20}", count=len(study.plan.slides)
                ),
            )
        if event_once(connection, row.id, f"slide:{number}") is None:
            write_event(connection, study, row.id, row.id, "slide", {"slide": number}, once=f"slide:{number}")
        if row.phase == Phase.TUTORIAL and len(_seen(connection, row.id)) >= len(study.plan.slides):
            return advance(connection, study, row)
        return Phase(row.phase)


def draw_quiz(study: Study, caller: Caller) -> QuizSheet:
    """The questions of an attempt: the one that is open, or a new one.

    Raises Refused: PHASE outside the quiz, WAIT (with `until`) too soon after an attempt that failed.
    """
    quiz = study.plan.file.quiz
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        need_phase(row, Phase.QUIZ)
        assert quiz is not None
        last = _last_attempt(connection, row.id)
        if last is None or last.submitted is not None:
            _wait_is_over(study, last)
            number = last.number + 1 if last else 1
            drawn = _draw(study, row.id, number)
            values = {"worker": row.id, "number": number, "drawn": drawn, "started": study.clock()}
            connection.execute(study_quizzes.insert().values(**values))
        else:
            number, drawn = last.number, last.drawn
        most = _most_attempts(connection, study, row.id)
    return QuizSheet(number, tuple(_question(study, each) for each in drawn), quiz.pass_mark, most)


def submit_quiz(study: Study, caller: Caller, attempt: int, answers: Mapping[int, str]) -> QuizResult:
    """Mark an attempt; `answers` maps the number of a question on the sheet (from 1) to the chosen option.

    Raises Refused: PHASE outside the quiz, UNKNOWN if this attempt is not open, ANSWER if a question is not answered.
    """
    quiz = study.plan.file.quiz
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        need_phase(row, Phase.QUIZ)
        assert quiz is not None
        last = _last_attempt(connection, row.id)
        if last is None or last.number != attempt or last.submitted is not None:
            raise CallRefusedError(
                Reason.UNKNOWN,
                translate(
                    "Attempt {attempt} at the quiz is not open; ask for the questions first.", attempt=f"{attempt!r:.20}"
                ),
            )
        right, explanations = _mark(study, last.drawn, answers)
        passed, moment = right >= quiz.pass_mark, study.clock()
        values = {"submitted": moment, "score": right, "passed": passed}
        kept = {str(number): answers[number] for number in range(1, len(last.drawn) + 1)}
        this = (study_quizzes.c.id == last.id, study_quizzes.c.submitted.is_(None))
        connection.execute(update(study_quizzes).where(*this).values(answers=kept, **values))
        details = {"attempt": attempt, "score": right, "passed": passed}
        write_event(connection, study, row.id, row.id, "quiz", details, once=f"quiz:{attempt}")
        most = _most_attempts(connection, study, row.id)
        out = not passed and most is not None and attempt >= most
        if passed:
            advance(connection, study, row)
        elif out:
            last_one = translate("The quiz can be tried {most} times, and this was the last.", most=most)
            about = {"feedback": last_one, "phase": row.phase}
            write_event(connection, study, row.id, row.id, "eliminated", about)
            end_part(connection, row)
    again = None if passed or out else moment + timedelta(minutes=quiz.wait_minutes)
    return QuizResult(right, len(last.drawn), passed, again, explanations)


def quiz_opens(study: Study, connection: Connection, worker: int) -> datetime | None:
    """When the next attempt is allowed, None if it is now."""
    last = _last_attempt(connection, worker)
    if study.plan.file.quiz is None or last is None or last.submitted is None or last.passed:
        return None
    until: datetime = last.submitted + timedelta(minutes=study.plan.file.quiz.wait_minutes)
    return until if until > study.clock() else None


def _seen(connection: Connection, worker: int) -> set[int]:
    query = select(study_events.c.once).where(study_events.c.worker == worker, study_events.c.kind == "slide")
    return {int(str(once).removeprefix("slide:")) for once in connection.execute(query).scalars()}


def _last_attempt(connection: Connection, worker: int) -> Any:
    query = select(study_quizzes).where(study_quizzes.c.worker == worker)
    return connection.execute(query.order_by(study_quizzes.c.number.desc()).limit(1)).first()


def _most_attempts(connection: Connection, study: Study, worker: int) -> int | None:
    """How many attempts there are in all: as many again each time a lead lets somebody in again; None for no limit."""
    if (most := study.plan.file.most_quiz_attempts) is None:
        return None
    mine = (study_events.c.worker == worker, study_events.c.kind == "readmitted")
    return most * (1 + int(connection.execute(select(func.count()).where(*mine)).scalar_one()))


def _wait_is_over(study: Study, last: Any) -> None:
    assert study.plan.file.quiz is not None
    if last is None:
        return
    until = last.submitted + timedelta(minutes=study.plan.file.quiz.wait_minutes)
    if until > study.clock():
        minutes = (until - study.clock()).total_seconds() / 60
        raise CallRefusedError(
            Reason.WAIT,
            translate("You can try the quiz again in {minutes:.1f} minutes. Look through the tutorial.", minutes=minutes),
            until,
        )


def _draw(study: Study, worker: int, attempt: int) -> list[dict[str, Any]]:
    """Questions with their options, both in random order, as they are kept: others than in the attempts before, as far as
    there are others."""
    assert study.plan.file.quiz is not None
    bank, count = study.plan.questions, study.plan.file.quiz.draw
    order = random.Random(f"{study.plan.file.seed}/{worker}").sample(bank, len(bank))
    draw = random.Random(f"{study.plan.file.seed}/{worker}/{attempt}")
    drawn = [order[((attempt - 1) * count + each) % len(order)] for each in range(count)]
    draw.shuffle(drawn)
    return [each.model_dump(mode="json") | {"options": draw.sample(each.options, len(each.options))} for each in drawn]


def _question(study: Study, drawn: Mapping[str, Any]) -> DrawnQuestion:
    return DrawnQuestion(drawn["question"], tuple(drawn["options"]))


def _mark(study: Study, drawn: list[dict[str, Any]], answers: Mapping[int, str]) -> tuple[int, dict[int, str]]:
    explanations = {}
    for number, question in enumerate(drawn, 1):
        if answers.get(number) not in question["options"]:
            raise CallRefusedError(
                Reason.ANSWER, translate("Question {number} is not answered; choose one of its options.", number=number)
            )
        if answers[number] != question["correct"]:
            explanations[number] = question["explanation"]
    return len(drawn) - len(explanations), explanations
