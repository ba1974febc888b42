"""What tells careful work from careless, before a lead: each worker's figures, those of one answer, and taking answers back."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from annotation.studies.callers import Caller, Phase
from annotation.studies.figures.progress import WorkerFigures, progress
from annotation.studies.figures.worker_quality import quality_of_workers
from annotation.studies.quality.worker_signals import SignalName, WorkerSignals
from annotation.studies.study import Study
from annotation.studies.work.grading import Work
from annotation.web.asked import Asked
from annotation.web.frames import PHASE_NAMES, lead_frame
from annotation.web.prose import (
    button,
    call_form,
    duration,
    joined,
    line_field,
    link,
    numbers,
    page_macros,
    quiet,
    remark,
    section,
    table,
    text_field,
)
from annotation.words.catalogue import to_translate, translate, translate_all
from backend.text.words import percent

HTML = page_macros(__file__)
LABELS: dict[SignalName, str] = {
    "insisted": to_translate("Insisted on a warning"),
    "fast": to_translate("Too fast"),
    "template_kept": to_translate("Template kept"),
    "different": to_translate("Different texts"),
    "opening": to_translate("Same opening"),
    "new_words": to_translate("New words"),
    "attention": to_translate("Attention"),
    "agreement": to_translate("Agrees with others"),
    "accepted": to_translate("Accepted"),
}
RULES = {
    "near_copy": to_translate("nearly the same"),
    "template_kept": to_translate("holds the whole template"),
    "missing_entity": to_translate("a name is missing"),
    "duplicate": to_translate("written before"),
    "empty": to_translate("no word"),
    "max_length": to_translate("too long"),
    "assistant": to_translate("words of an assistant"),
    "only_names": to_translate("only names"),
    "other_language": to_translate("another language"),
}
ABOUT = to_translate(
    "Each figure is a share of the worker's answers. What looks careless is marked; whether it is, the answers show. "
    "A study can act by itself: see [[rule]] in study.toml."
)
TAKE_BACK = to_translate(
    "Ends the part of the workers who are ticked and takes back what they handed in: it leaves every export, and its items are "
    "given out again. What they worked is paid as before. One click puts it back."
)


def quality(study: Study, caller: Caller, asked: Asked) -> Markup:
    workers = progress(study, caller).workers  # also makes sure that a lead calls
    figures = quality_of_workers(study)
    known = sorted((each for each in workers if each.worker in figures), key=lambda each: _order(each, figures))
    rows = [_row(each, figures[each.worker]) for each in known]
    shown = table(
        ("", *translate_all("Worker", "Phase", "Answers", "Active time"), *translate_all(*LABELS.values())),
        rows,
        translate("Nobody has handed anything in yet."),
    )
    since = translate("Only what was handed in since, as 2026-01-31 14:00 (UTC; may stay empty)")
    inside = [
        shown,
        quiet(translate(TAKE_BACK)),
        line_field("since", since, required=False),
        text_field("reason", translate("Why, for the workers"), required=True),
        button(translate("End their part and take back their answers"), "danger", type="submit"),
    ]
    form = call_form("study_take_back_answers", {}, joined(inside), {"page": "quality"})
    main = section(translate("Quality"), quiet(translate(ABOUT)), form if rows else shown)
    return lead_frame(study, "quality", main + _taken(workers))


def signals_of(signals: WorkerSignals | None) -> str:
    """One worker's figures, those that look careless marked."""
    if signals is None:
        return ""
    remarks = signals.remarks()
    known = [(name, translate(label), getattr(signals, name)) for name, label in LABELS.items()]
    cells = numbers((label, percent(value), name in remarks) for name, label, value in known if value is not None)
    opening = f"“{signals.commonest_opening}”"
    return cells + (quiet(translate("Commonest opening: {opening}", opening=opening)) if signals.commonest_opening else "")


def signals_of_answer(work: Work) -> str:
    """What was noticed about one answer: warnings insisted on, templates kept, its active time."""
    signals = work.signals or {"warned": [], "texts": []}
    texts = signals["texts"]
    warned = dict.fromkeys(signals["warned"])
    noticed = [translate("insisted although: {rule}", rule=translate(RULES.get(rule, rule))) for rule in warned]
    if kept := sum(text["kept"] for text in texts):
        noticed.append(translate("{kept} of {count} texts hold the whole template", kept=kept, count=len(texts)))
    if work.active is not None and work.active + 60 < work.seconds:
        noticed.append(translate("{time} of it active", time=duration(work.active)))
    return remark(noticed)


def question_form(each: WorkerFigures, then: Mapping[str, Any]) -> str:
    """Why a worker is held, or a lead is asked to look, and the way to let them on."""
    if each.question is None:
        return ""
    kind, reason = each.question
    held = kind == "held"
    asks = translate("A rule of the study asks you to look.")
    state = translate("Held: no further task is given until you decide.") if held else asks
    label = translate("Let them go on") if held else translate("I have looked at it")
    form = call_form("study_let_on", {"worker": each.worker}, button(label, "primary", type="submit"), then, "study-inline")
    return HTML("asks", state, reason, form)


def _order(each: WorkerFigures, figures: Mapping[int, WorkerSignals]) -> tuple[bool, int]:
    """Those whose part goes on first, and among them those with most remarks."""
    return each.phase is Phase.ELIMINATED, -len(figures[each.worker].remarks())


def _row(each: WorkerFigures, signals: WorkerSignals) -> list[str]:
    remarks = signals.remarks()
    cells = [_figure(getattr(signals, name), name in remarks) for name in LABELS]
    tick = HTML("tick", each)
    who = [tick, link(each.name, "worker", worker=each.worker), translate(PHASE_NAMES[each.phase])]
    return [*who, str(signals.answers), duration(signals.median_active), *cells]


def _figure(value: float | None, remarked: bool) -> str:
    return HTML("remarked", percent(value)) if remarked else percent(value)


def _taken(workers: Sequence[WorkerFigures]) -> str:
    rows = [
        [link(each.name, "worker", worker=each.worker), str(each.retracted), _undo(each.worker)]
        for each in workers
        if each.retracted
    ]
    if not rows:
        return ""
    return section(translate("Taken back"), table(translate_all("Worker", "Answers", ""), rows))


def _undo(worker: int) -> Markup:
    inside = button(translate("Put them back"), type="submit")
    return call_form("study_put_answers_back", {"worker": worker}, inside, {"page": "quality"}, "study-inline")
