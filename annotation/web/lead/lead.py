"""How far a study is, what happened in it, and its files, for a lead."""

from annotation.studies.callers import Caller
from annotation.studies.figures.agreement import WorkerAgreement, agreement
from annotation.studies.figures.answered_fields import AnsweredFields, answered_fields
from annotation.studies.figures.diversity import Diversity, diversity
from annotation.studies.figures.event_log import latest_events
from annotation.studies.figures.field_agreement import field_agreements, item_agreements
from annotation.studies.figures.progress import StudyProgress, WorkerFigures, progress
from annotation.studies.files.export import export_kinds
from annotation.studies.study import Study
from annotation.web.asked import Asked, optional_number
from annotation.web.frames import PHASE_NAMES, lead_frame
from annotation.web.lead.lead_calls import ARCHIVE
from annotation.web.prose import button, call_form, data, duration, fold, line_field, link, moment, table, typed
from annotation.web.space_storage import may_be_lost
from annotation.web.worker.own_work import content_html
from backend.text.markup import escape_html
from backend.text.words import decimal, percent

EXPORT_LABELS = {
    "jsonl": "Results, JSON Lines: one record each, as the task type makes them",
    "csv": "Results, CSV",
    "parquet": "Results, Parquet (needs pyarrow)",
    "answers": "Every answer as it was given",
    "table.csv": "A row for each answer with all that is known of it, CSV",
    "table.parquet": "A row for each answer with all that is known of it, Parquet",
    "labels.csv": "One label for each field of an item (majority, Dawid-Skene, decisions of leads), CSV",
    "labels.jsonl": "The same labels, JSON Lines",
    "log": "Everything that happened",
    "payment": "What workers have earned, and what was paid of it, CSV",
    ARCHIVE: "The whole study, to be read back with `import --archive`: plan, people, items, answers, history",
}
LEAST_AGREED = 20  # items
ON_A_SPACE = (
    "What is collected here is lost when this Space restarts. Set PARLEY_DATABASE_URL to a PostgreSQL database, or attach "
    "storage and set PARLEY_DATA_DIR to a folder in /data, before anybody works."
)
LANGUAGE = {
    "texts": "Texts",
    "mean_words": "Words a text",
    "vocabulary": "Different words",
    "distinct_1": "Different words over all",
    "distinct_2": "Different pairs of words over all",
    "entropy_1": "Entropy of words (bits)",
    "entropy_2": "Entropy of pairs (bits)",
    "type_token_ratio": "Type-token ratio over 100 words",
    "different": "Texts that occur once",
}


def progress_page(study: Study, caller: Caller, asked: Asked) -> str:
    figures = progress(study, caller)  # also makes sure that a lead calls, before the figures below are made
    answered = answered_fields(study)
    lost = f'<p class="study-refused" role="alert">{ON_A_SPACE}</p>' if may_be_lost(study.database) else ""
    main = (
        f'{lost}{_numbers(figures)}<section class="study-card"><h4>Workers</h4>{_workers(figures)}</section>'
        f'<section class="study-card"><h4>Agreement</h4>{_agreement(agreement(study))}{_by_field(answered)}</section>'
        f'<section class="study-card"><h4>Language</h4>{_language(diversity(answered))}</section>'
        f'<section class="study-card"><h4>Flagged items</h4>{_flagged(figures)}</section>'
    )
    return lead_frame(study, "progress", main)


def export_page(study: Study, caller: Caller, asked: Asked) -> str:
    progress(study, caller)
    kinds = "".join(
        f'<label class="study-option"><input type="radio" name="kind" value="{escape_html(kind)}" '
        f"{'checked' if not number else ''}>"
        f"<span>{escape_html(EXPORT_LABELS.get(kind, f'{kind}: a file of this task type'))}</span></label>"
        for number, kind in enumerate([*export_kinds(study), ARCHIVE])
    )
    switches = (
        _switch("accepted_only", "Only answers that a lead has accepted")
        + _switch("passed_batches", "Only batches that a lead has passed")
        + _switch("without_ended", "No worker whose part has ended")
        + _switch("without_remarks", "No worker of whom a figure looks careless (see Quality)")
        + line_field("attention", "Only workers with at least this share of attention items passed (0 to 1)", required=False)
        + _switch("trial", "With the answers of the trial")
        + _switch("names", "With names in place of pseudonyms (in the whole study also accounts, hashed codes and links)")
    )  # fmt: skip
    inside = f'<div class="study-options">{kinds}</div>{switches}{button("Save the file", "primary", type="submit")}'
    main = f'<section class="study-card"><h4>Export</h4>{call_form("study_export", {}, inside)}</section>'
    return lead_frame(study, "export", main)


def events(study: Study, caller: Caller, asked: Asked) -> str:
    """What happened, latest first, a hundred at a time."""
    worker, before = optional_number(asked, "worker"), optional_number(asked, "before")
    happenings = latest_events(study, caller, worker, before)
    rows = [
        [moment(each.created), escape_html(each.kind), escape_html(each.actor),
         escape_html(each.worker) if each.worker != each.actor else "", escape_html(each.key or ""),
         fold("content", detail) if (detail := content_html(each.content)) else ""]
        for each in happenings
    ]  # fmt: skip
    shown = table(("When", "What", "By", "To the work of", "Item", "Content"), rows)
    more = {"worker": worker} if worker is not None else {}
    older = (
        link("Older", "events", "study-button secondary", before=happenings[-1].number, **more)
        if len(happenings) == 100
        else ""
    )
    return lead_frame(study, "events", f'<section class="study-card"><h4>What happened</h4>{shown}{older}</section>')


def _switch(name: str, label: str) -> str:
    return f'<label class="study-option"><input type="checkbox" name="{name}"><span>{escape_html(label)}</span></label>'


def _numbers(progress: StudyProgress) -> str:
    rows = {
        "items": f"{progress.items:,}",
        **({"withdrawn": f"{progress.withdrawn:,}"} if progress.withdrawn else {}),
        "complete": f"{progress.complete:,}",
        "begun": f"{progress.begun:,}",
        "answers": f"{progress.answers:,}",
        "in work now": f"{progress.lent:,}",
        "waiting for review": f"{progress.to_review:,}",
        "median time a task": duration(progress.median_seconds),
        **{name: f"{count:,}" for name, count in progress.verdicts.items()},
    }
    cells = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows.items())
    return f'<dl class="study-numbers">{cells}</dl>'


def _workers(progress: StudyProgress) -> str:
    heads = ("Name", "Pseudonym", "Phase", "Tasks", "Median time", "Accepted", "Rejected", "Attention", "Skipped", "To review",
             "Last seen")  # fmt: skip
    return table(heads, [_worker(each) for each in progress.workers], "Nobody takes part yet: add people under People.")


def _worker(each: WorkerFigures) -> list[str]:
    passed, asked = each.attention
    return [
        link(each.name, "worker", worker=each.worker), escape_html(each.pseudonym), PHASE_NAMES[each.phase],
        f"{each.tasks} of {each.of}" if each.of else str(each.tasks), duration(each.median_seconds), percent(each.accepted),
        str(each.rejected), f"{passed} of {asked}" if asked else "–", str(each.skipped), str(each.to_review),
        moment(each.last_seen),
    ]  # fmt: skip


def _agreement(agreement: WorkerAgreement) -> str:
    if not agreement.units:
        return '<p class="study-quiet">Nothing has been answered by two people yet.</p>'
    alpha = "not defined" if agreement.alpha is None else f"{agreement.alpha:.3f}"
    kappa = "not defined" if agreement.mean_kappa is None else f"{agreement.mean_kappa:.3f}"
    summary = f"Krippendorff's alpha ({agreement.level}): <b>{alpha}</b> over {agreement.units} values. "
    summary += f"Mean Cohen's kappa: <b>{kappa}</b>"
    rows = [[escape_html(one), escape_html(other), "–" if value is None else f"{value:.3f}"]
            for (one, other), value in agreement.kappas.items()]  # fmt: skip
    return f"<p>{summary}</p>" + table(("Worker", "Worker", "Kappa"), rows, "No two workers share enough items for a kappa.")


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
    least = table(("Item", "Answers", "Pairs of equal values"), items)
    return table(("Field", "Level", "Values", "Alpha", "Fleiss"), fields) + fold("Items with least agreement", least)


def _language(diversity: Diversity) -> str:
    if not diversity.wordings.texts:
        return '<p class="study-quiet">No rewording has been handed in yet.</p>'
    rows = [[label, _figure(getattr(diversity.templates, name)), _figure(getattr(diversity.wordings, name))]
            for name, label in LANGUAGE.items()]  # fmt: skip
    return table(("", "Templates", "Workers' wordings"), rows)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _flagged(progress: StudyProgress) -> str:
    rows = [
        [escape_html(each.key), str(each.times), "".join(typed(reason) for reason in each.reasons),
         fold("history", "", attributes=data("fragment", {"page": "history", "key": each.key})),
         link("look at it, or withdraw it", "items", find=each.key)]
        for each in progress.flagged
    ]  # fmt: skip
    return table(("Item", "Times", "What was said", "", ""), rows, "Nobody has flagged anything.")
