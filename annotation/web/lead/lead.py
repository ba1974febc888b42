"""How far a study is, what happened in it, and its files, for a lead."""

from annotation.studies.callers import Caller
from annotation.studies.figures.agreement import WorkerAgreement, agreement
from annotation.studies.figures.answered_fields import AnsweredFields, answered_fields
from annotation.studies.figures.diversity import Diversity, diversity
from annotation.studies.figures.event_log import latest_events
from annotation.studies.figures.field_agreement import field_agreements, item_agreements
from annotation.studies.figures.progress import StudyProgress, WorkerFigures, progress
from annotation.studies.files.export import export_kinds
from annotation.studies.labels.item_labels import disagreements
from annotation.studies.study import Study
from annotation.web.asked import Asked, optional_number
from annotation.web.frames import PHASE_NAMES, lead_frame
from annotation.web.lead.lead_calls import ARCHIVE
from annotation.web.prose import button, call_form, data, duration, fold, line_field, link, moment, section, table, typed
from annotation.web.space_storage import may_be_lost
from annotation.web.worker.own_work import content_html
from annotation.words.catalogue import to_translate, translate, translate_all
from backend.text.markup import escape_html
from backend.text.words import decimal, percent

EXPORT_LABELS = {
    "jsonl": to_translate("Results, JSON Lines: one record each, as the task type makes them"),
    "csv": to_translate("Results, CSV"),
    "parquet": to_translate("Results, Parquet (needs pyarrow)"),
    "answers": to_translate("Every answer as it was given"),
    "table.csv": to_translate("A row for each answer with all that is known of it, CSV"),
    "table.parquet": to_translate("A row for each answer with all that is known of it, Parquet"),
    "labels.csv": to_translate("One label for each field of an item (majority, Dawid-Skene, decisions of leads), CSV"),
    "labels.jsonl": to_translate("The same labels, JSON Lines"),
    "log": to_translate("Everything that happened"),
    "payment": to_translate("What workers have earned, and what was paid of it, CSV"),
    ARCHIVE: to_translate("The whole study, to be read back with `import --archive`: plan, people, items, answers, history"),
}
# The other kinds of events (beside `own_work.HAPPENED`), listed so that each catalogue has to have them.
HAPPENED = (
    to_translate("signed in"),
    to_translate("enrolled"),
    to_translate("renewed"),
    to_translate("recruited"),
    to_translate("account"),
    to_translate("agreed"),
    to_translate("slide"),
    to_translate("quiz"),
    to_translate("eliminated"),
    to_translate("readmitted"),
    to_translate("trial decided"),
    to_translate("released"),
    to_translate("bonus"),
    to_translate("paid"),
    to_translate("tasks paid"),
    to_translate("labels decided"),
    to_translate("labels reopened"),
    to_translate("reviewed together"),
    to_translate("review undone"),
    to_translate("held"),
    to_translate("asked"),
    to_translate("let on"),
    to_translate("code shown"),
)
LEAST_AGREED = 20  # items
LEAST_ATTENTION = to_translate("Only workers with at least this share of attention items passed (0 to 1)")
WITH_NAMES = to_translate("With names in place of pseudonyms (in the whole study also accounts, hashed codes and links)")
ON_A_SPACE = to_translate(
    "What is collected here is lost when this Space restarts. Set PARLEY_DATABASE_URL to a PostgreSQL database, or attach "
    "storage and set PARLEY_DATA_DIR to a folder in /data, before anybody works."
)
LANGUAGE = {
    "texts": to_translate("Texts"),
    "mean_words": to_translate("Words a text"),
    "vocabulary": to_translate("Different words"),
    "distinct_1": to_translate("Different words over all"),
    "distinct_2": to_translate("Different pairs of words over all"),
    "entropy_1": to_translate("Entropy of words (bits)"),
    "entropy_2": to_translate("Entropy of pairs (bits)"),
    "type_token_ratio": to_translate("Type-token ratio over 100 words"),
    "different": to_translate("Texts that occur once"),
}


def progress_page(study: Study, caller: Caller, asked: Asked) -> str:
    figures = progress(study, caller)  # also makes sure that a lead calls, before the figures below are made
    answered = answered_fields(study)
    lost = f'<p class="study-refused" role="alert">{translate(ON_A_SPACE)}</p>' if may_be_lost(study.database) else ""
    main = (
        f"{lost}{_still_to_do(study, figures)}{_numbers(figures)}{section(translate('Workers'), _workers(figures))}"
        + section(translate("Agreement"), _agreement(agreement(study)) + _by_field(answered))
        + section(translate("Language"), _language(diversity(answered)))
        + section(translate("Flagged items"), _flagged(figures))
    )
    return lead_frame(study, "progress", main)


def export_page(study: Study, caller: Caller, asked: Asked) -> str:
    progress(study, caller)
    kinds = "".join(
        f'<label class="study-option"><input type="radio" name="kind" value="{escape_html(kind)}" '
        f"{'checked' if not number else ''}>"
        f"<span>{escape_html(_export_label(kind))}</span></label>"
        for number, kind in enumerate([*export_kinds(study), ARCHIVE])
    )
    switches = (
        _switch("accepted_only", translate("Only answers that a lead has accepted"))
        + _switch("passed_batches", translate("Only batches that a lead has passed"))
        + _switch("without_ended", translate("No worker whose part has ended"))
        + _switch("without_remarks", translate("No worker of whom a figure looks careless (see Quality)"))
        + line_field("attention", translate(LEAST_ATTENTION), required=False)
        + _switch("trial", translate("With the answers of the trial"))
        + _switch("names", translate(WITH_NAMES))
    )  # fmt: skip
    inside = f'<div class="study-options">{kinds}</div>{switches}{button(translate("Save the file"), "primary", type="submit")}'
    main = section(translate("Export"), call_form("study_export", {}, inside))
    return lead_frame(study, "export", main)


def _still_to_do(study: Study, figures: StudyProgress) -> str:
    """What is left before the study can be exported, with the page for each; or that nothing is."""
    undecided = sum(each.decision is None for each in disagreements(study))
    due = sum(each.question is not None for each in figures.workers)
    lacking = figures.items - figures.complete if study.dealt else 0
    steps = [
        (lacking, "items", translate("{count} items lack answers", count=lacking)),
        (figures.to_review, "review", translate("{count} answers wait for a verdict", count=figures.to_review)),
        (due, "review", translate("{count} workers wait for you to look at their work", count=due)),
        (undecided, "labels", translate("{count} items wait for a decision.", count=undecided)),
    ]
    lines = "".join(f"<li>{link(text, page)}</li>" for count, page, text in steps if count)
    if lines or not figures.answers:
        return section(translate("Still to do"), f"<ul>{lines}</ul>") if lines else ""
    way = link(translate("Ready to export"), "export", "study-button primary")
    return section(translate("Nothing is left to do"), f"<p>{way}</p>")


def _export_label(kind: str) -> str:
    known = EXPORT_LABELS.get(kind)
    return translate("{kind}: a file of this task type", kind=kind) if known is None else translate(known)


def events(study: Study, caller: Caller, asked: Asked) -> str:
    """What happened, latest first, a hundred at a time."""
    worker, before = optional_number(asked, "worker"), optional_number(asked, "before")
    happenings = latest_events(study, caller, worker, before)
    rows = [
        [moment(each.created), escape_html(translate(each.kind)), escape_html(each.actor),
         escape_html(each.worker) if each.worker != each.actor else "", escape_html(each.key or ""),
         fold(translate("content"), detail) if (detail := content_html(each.content)) else ""]
        for each in happenings
    ]  # fmt: skip
    shown = table(translate_all("When", "What", "By", "To the work of", "Item", "Content"), rows)
    more = {"worker": worker} if worker is not None else {}
    older = (
        link(translate("Older"), "events", "study-button secondary", before=happenings[-1].number, **more)
        if len(happenings) == 100
        else ""
    )
    return lead_frame(
        study, "events", f'<section class="study-card"><h4>{translate("What happened")}</h4>{shown}{older}</section>'
    )


def _switch(name: str, label: str) -> str:
    return f'<label class="study-option"><input type="checkbox" name="{name}"><span>{escape_html(label)}</span></label>'


def _numbers(progress: StudyProgress) -> str:
    rows = {
        translate("items"): f"{progress.items:,}",
        **({translate("withdrawn"): f"{progress.withdrawn:,}"} if progress.withdrawn else {}),
        translate("complete"): f"{progress.complete:,}",
        translate("begun"): f"{progress.begun:,}",
        translate("answers"): f"{progress.answers:,}",
        translate("in work now"): f"{progress.lent:,}",
        translate("waiting for review"): f"{progress.to_review:,}",
        translate("median time a task"): duration(progress.median_seconds),
        **{translate(name): f"{count:,}" for name, count in progress.verdicts.items()},
    }
    cells = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows.items())
    return f'<dl class="study-numbers">{cells}</dl>'


def _workers(progress: StudyProgress) -> str:
    heads = translate_all(
        "Name", "Pseudonym", "Phase", "Tasks", "Median time", "Accepted", "Rejected", "Attention", "Skipped", "To review",
        "Last seen",
    )  # fmt: skip
    return table(
        heads, [_worker(each) for each in progress.workers], translate("Nobody takes part yet: add people under People.")
    )


def _worker(each: WorkerFigures) -> list[str]:
    passed, asked = each.attention
    tasks = translate("{count} of {of}", count=each.tasks, of=each.of) if each.of else str(each.tasks)
    attention = translate("{count} of {of}", count=passed, of=asked) if asked else "–"
    return [
        link(each.name, "worker", worker=each.worker), escape_html(each.pseudonym), translate(PHASE_NAMES[each.phase]), tasks,
        duration(each.median_seconds), percent(each.accepted), str(each.rejected), attention, str(each.skipped),
        str(each.to_review), moment(each.last_seen),
    ]  # fmt: skip


def _agreement(agreement: WorkerAgreement) -> str:
    if not agreement.units:
        return f'<p class="study-quiet">{translate("Nothing has been answered by two people yet.")}</p>'
    alpha = translate("not defined") if agreement.alpha is None else f"{agreement.alpha:.3f}"
    kappa = translate("not defined") if agreement.mean_kappa is None else f"{agreement.mean_kappa:.3f}"
    summary = translate(
        "Krippendorff's alpha ({level}): {alpha} over {count} values. Mean Cohen's kappa: {kappa}",
        level=agreement.level, alpha=f"<b>{alpha}</b>", count=agreement.units, kappa=f"<b>{kappa}</b>",
    )  # fmt: skip
    rows = [[escape_html(one), escape_html(other), "–" if value is None else f"{value:.3f}"]
            for (one, other), value in agreement.kappas.items()]  # fmt: skip
    return f"<p>{summary}</p>" + table(
        translate_all("Worker", "Worker", "Kappa"), rows, translate("No two workers share enough items for a kappa.")
    )


def _by_field(answered: AnsweredFields) -> str:
    """Fields that two and more answered, and the items that they agree on least."""
    fields = [
        [escape_html(each.field), each.level, str(each.units), decimal(each.alpha), decimal(each.fleiss)]
        for each in field_agreements(answered)
        if each.units
    ]
    if not fields:
        return ""
    items = [
        [escape_html(each.key), str(each.answers), percent(each.equal)] for each in item_agreements(answered)[:LEAST_AGREED]
    ]
    least = table(translate_all("Item", "Answers", "Pairs of equal values"), items)
    return table(translate_all("Field", "Level", "Values", "Alpha", "Fleiss"), fields) + fold(
        translate("Items with least agreement"), least
    )


def _language(diversity: Diversity) -> str:
    if not diversity.wordings.texts:
        return f'<p class="study-quiet">{translate("No rewording has been handed in yet.")}</p>'
    rows = [[translate(label), _figure(getattr(diversity.templates, name)), _figure(getattr(diversity.wordings, name))]
            for name, label in LANGUAGE.items()]  # fmt: skip
    return table(translate_all("", "Templates", "Workers' wordings"), rows)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _flagged(progress: StudyProgress) -> str:
    rows = [
        [escape_html(each.key), str(each.times), "".join(typed(reason) for reason in each.reasons),
         fold(translate("history"), "", attributes=data("fragment", {"page": "history", "key": each.key})),
         link(translate("look at it, or withdraw it"), "items", find=each.key)]
        for each in progress.flagged
    ]  # fmt: skip
    return table(translate_all("Item", "Times", "What was said", "", ""), rows, translate("Nobody has flagged anything."))
