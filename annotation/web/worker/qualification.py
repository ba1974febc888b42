"""Consent, the slides of the tutorial, and the quiz, as a worker sees them."""

from annotation.studies.callers import Caller, Phase, Role
from annotation.studies.figures.progress import WorkerStanding, standing
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.qualification import QuizSheet, draw_quiz, tutorial
from annotation.web.asked import Asked
from annotation.web.frames import guidelines, lead_frame, worker_frame
from annotation.web.prose import button, call_form, fold, keys_html, prose
from annotation.words.catalogue import translate
from backend.text.markup import escape_html

WORK = {"page": "work"}


def consent(study: Study) -> str:
    agree = call_form("study_agree", {}, button(translate("I agree and take part"), "primary", type="submit"), WORK)
    return f'<section class="study-card">{prose(study.plan.consent)}{agree}</section>'


def slides(study: Study, caller: Caller) -> str:
    """One slide at a time; the last unseen one leads on to what follows."""
    lesson = tutorial(study, caller)
    first = next((number for number in range(1, len(lesson.slides) + 1) if number not in lesson.seen), 1)
    shown = "".join(
        f'<article class="study-slide" data-slide="{number}" {"" if number == first else "hidden"}>'
        f'<p class="study-quiet">{_slide_of(number, len(lesson.slides))}</p>{prose(text)}</article>'
        for number, text in enumerate(lesson.slides, 1)
    )
    on = button(translate("Next"), "primary", type="button", data_step="1")
    back = button(translate("Back"), type="button", data_step="-1")
    keys = f'<p class="study-keys">{keys_html(translate("Keys: [→] next slide, [←] back."))}</p>'
    return f'<section class="study-card study-slides">{shown}<div class="study-buttons">{back}{on}</div></section>{keys}'


def _slide_of(number: int, count: int) -> str:
    return translate("Slide {number} of {count}", number=number, count=count)


def tutorial_again(study: Study, caller: Caller, asked: Asked) -> str:
    """All slides below each other, to look something up; also what is not seen yet may be read here."""
    lesson = tutorial(study, caller)
    shown = "".join(f'<article class="study-card">{prose(text)}</article>' for text in lesson.slides)
    if caller.role is Role.LEAD:
        return lead_frame(study, "tutorial", shown)
    stands = standing(study, caller)
    if stands.phase is Phase.TUTORIAL:
        return worker_frame(study, stands, "tutorial", slides(study, caller))
    return worker_frame(study, stands, "tutorial", guidelines(study) + shown)


def quiz(study: Study, caller: Caller, stands: WorkerStanding) -> str:
    try:
        sheet = draw_quiz(study, caller)
    except CallRefusedError as error:
        if error.reason is not Reason.WAIT or error.until is None:
            raise
        left = max(1, int((error.until - study.clock()).total_seconds() + 0.999))
        return (
            f'<section class="study-card"><h4 tabindex="-1">{translate("The quiz opens again in")} '
            f'<span data-left="{left}" role="timer"></span></h4>'
            f"<p>{translate('Look through the tutorial until then.')}</p></section>"
            f"{fold(translate('Tutorial'), ''.join(prose(text) for text in study.plan.slides))}"
        )
    return _sheet(study, sheet)


def _sheet(study: Study, sheet: QuizSheet) -> str:
    questions = "".join(
        f'<fieldset class="study-question" data-question="{number}"><legend>{number}. <span class="study-typed" dir="auto">'
        f"{escape_html(each.question)}</span></legend>{_options(number, each.options)}"
        '<p class="study-explained"></p></fieldset>'
        for number, each in enumerate(sheet.questions, 1)
    )
    about = f"<p>{_asked_for(sheet)}</p>"
    done = f'<div class="study-buttons">{button(translate("Hand in the quiz"), "primary", type="submit")}</div>'
    message = '<div class="study-refused" role="alert" tabindex="-1"></div>'
    form = f'<form class="study-quiz" data-quiz="{sheet.attempt}">{questions}{message}{done}</form>'
    again = fold(translate("Tutorial"), "".join(prose(text) for text in study.plan.slides))
    return f'<section class="study-card"><h4 tabindex="-1">{translate("Quiz")}</h4>{about}{again}{form}</section>'


def _asked_for(sheet: QuizSheet) -> str:
    numbers = {"pass_mark": sheet.pass_mark, "of": len(sheet.questions), "attempt": sheet.attempt}
    if sheet.most_attempts is None:
        return translate("{pass_mark} of {of} have to be right. Attempt {attempt}.", **numbers)
    most = sheet.most_attempts
    return translate("{pass_mark} of {of} have to be right. Attempt {attempt} of {most}.", **numbers, most=most)


def _options(number: int, options: tuple[str, ...]) -> str:
    return "".join(
        f'<label class="study-option"><input type="radio" name="question-{number}" value="{escape_html(option)}" required>'
        f'<span class="study-typed" dir="auto">{escape_html(option)}</span></label>'
        for option in options
    )
