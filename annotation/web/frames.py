"""What stands around every screen of a study: its title, where somebody is, and the way to the other screens."""

from collections.abc import Mapping

from markupsafe import Markup

from annotation.studies.callers import Phase
from annotation.studies.figures.progress import WorkerStanding
from annotation.studies.study import Study
from annotation.studies.work.phases import phases_of
from annotation.web.prose import fold, joined, link, page_macros, prose, quiet
from annotation.words.catalogue import to_translate, translate

HTML = page_macros(__file__)
PHASE_NAMES = {
    Phase.CONSENT: to_translate("Consent"),
    Phase.TUTORIAL: to_translate("Tutorial"),
    Phase.QUIZ: to_translate("Quiz"),
    Phase.TRIAL: to_translate("Trial"),
    Phase.TASKS: to_translate("Tasks"),
    Phase.ELIMINATED: to_translate("Ended"),
}
WORKER_PAGES = {
    "work": to_translate("Work"),
    "tutorial": to_translate("Tutorial"),
    "mine": to_translate("My answers"),
    "earned": to_translate("Earned"),
}
LEAD_PAGES = {
    "progress": to_translate("Progress"),
    "review": to_translate("Review"),
    "answers": to_translate("Answers"),
    "quality": to_translate("Quality"),
    "labels": to_translate("Disagreements"),
    "items": to_translate("Items"),
    "people": to_translate("People"),
    "payment": to_translate("Payment"),
    "export": to_translate("Export"),
    "events": to_translate("History"),
}


def worker_frame(study: Study, stands: WorkerStanding, page: str, main: str) -> Markup:
    pages = dict(WORKER_PAGES)
    if stands.phase is Phase.CONSENT or not study.plan.slides:
        del pages["tutorial"]
    return _frame(study, stands.name, pages, page, _way(study, stands), main)


def lead_frame(study: Study, page: str, main: str) -> Markup:
    return _frame(study, translate("You are a lead"), LEAD_PAGES, page, "", main)


def guidelines(study: Study) -> str:
    """The instructions, always within reach while somebody works."""
    if not study.plan.instructions:
        return ""
    return fold(translate("Guidelines (Alt+G)"), prose(study.plan.instructions), opened=True, attributes=data_key("g"))


def data_key(letter: str) -> Markup:
    """The attribute of a fold that opens with Alt and a letter."""
    return Markup(f'data-key="{letter}"')


def _frame(study: Study, name: str, pages: Mapping[str, str], page: str, way: str, main: str) -> Markup:
    links = joined(link(translate(label), key, "study-tab on" if key == page else "study-tab") for key, label in pages.items())
    return HTML("frame", study.plan.file.title, name, links, way, main)


def _way(study: Study, stands: WorkerStanding) -> Markup:
    """The phases, with the present one marked, and what is left in it."""
    phases = phases_of(study.plan)
    if stands.phase is Phase.ELIMINATED:
        phases = [*phases, Phase.ELIMINATED]
    at = phases.index(stands.phase)
    steps = [(translate(PHASE_NAMES[phase]), number - at) for number, phase in enumerate(phases)]
    return HTML("way", steps, _left(stands, study.plan.file.batches is not None))


def _left(stands: WorkerStanding, batches: bool) -> str:
    if stands.phase not in (Phase.TRIAL, Phase.TASKS) or not stands.of:
        return ""
    numbers = {"done": stands.done, "of": stands.of, "left": max(0, stands.of - stands.done)}
    if stands.phase is Phase.TRIAL:
        summary = translate("{done} of {of} tasks of the trial done, {left} left", **numbers)
    elif batches:
        summary = translate("{done} of {of} tasks released to you so far done, {left} left", **numbers)
    else:
        return quiet(translate("{done} tasks done", done=stands.done))
    return HTML("left", summary, stands.done, stands.of)
