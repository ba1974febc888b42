"""Consent, the slides of the tutorial, and the quiz, as a worker sees them."""

from markupsafe import Markup

from annotation.studies.callers import Caller, Phase, Role
from annotation.studies.figures.progress import WorkerStanding, standing
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.qualification import QuizSheet, draw_quiz, tutorial
from annotation.web.asked import Asked
from annotation.web.frames import guidelines, lead_frame, worker_frame
from annotation.web.prose import button, call_form, card, fold, keys_line, page_macros, prose
from annotation.words.catalogue import translate

HTML = page_macros(__file__)
WORK = {"page": "work"}


def consent(study: Study) -> Markup:
    agree = call_form("study_agree", {}, button(translate("I agree and take part"), "primary", type="submit"), WORK)
    return card(prose(study.plan.consent), agree)


def slides(study: Study, caller: Caller) -> Markup:
    """One slide at a time; the last unseen one leads on to what follows."""
    lesson = tutorial(study, caller)
    first = next((number for number in range(1, len(lesson.slides) + 1) if number not in lesson.seen), 1)
    return HTML("slides", lesson.slides, first, keys_line(translate("Keys: [→] next slide, [←] back.")))


def tutorial_again(study: Study, caller: Caller, asked: Asked) -> Markup:
    """All slides below each other, to look something up; also what is not seen yet may be read here."""
    lesson = tutorial(study, caller)
    shown = HTML("all", lesson.slides)
    if caller.role is Role.LEAD:
        return lead_frame(study, "tutorial", shown)
    stands = standing(study, caller)
    if stands.phase is Phase.TUTORIAL:
        return worker_frame(study, stands, "tutorial", slides(study, caller))
    return worker_frame(study, stands, "tutorial", guidelines(study) + shown)


def quiz(study: Study, caller: Caller, stands: WorkerStanding) -> Markup:
    again = fold(translate("Tutorial"), HTML("tutorial", study.plan.slides))
    try:
        sheet = draw_quiz(study, caller)
    except CallRefusedError as error:
        if error.reason is not Reason.WAIT or error.until is None:
            raise
        left = max(1, int((error.until - study.clock()).total_seconds() + 0.999))
        return HTML("opens_again", left, again)
    return HTML("quiz", sheet, _asked_for(sheet), again)


def _asked_for(sheet: QuizSheet) -> str:
    numbers = {"pass_mark": sheet.pass_mark, "of": len(sheet.questions), "attempt": sheet.attempt}
    if sheet.most_attempts is None:
        return translate("{pass_mark} of {of} have to be right. Attempt {attempt}.", **numbers)
    most = sheet.most_attempts
    return translate("{pass_mark} of {of} have to be right. Attempt {attempt} of {most}.", **numbers, most=most)
