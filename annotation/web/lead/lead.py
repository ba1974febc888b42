"""How far a study is, what happened in it, and its files, for a lead."""

from collections.abc import Sequence

from markupsafe import Markup

from annotation.studies.callers import Caller, lead_calling
from annotation.studies.figures.answered_fields import AnsweredFields, answered_fields
from annotation.studies.figures.diversity import Diversity, diversity
from annotation.studies.figures.event_log import latest_events
from annotation.studies.figures.field_agreement import FieldAgreement, field_agreements, item_agreements
from annotation.studies.figures.progress import StudyProgress, WorkerFigures, progress
from annotation.studies.files.export import export_kinds
from annotation.studies.labels.item_labels import disagreements
from annotation.studies.study import Study
from annotation.web.asked import Asked, optional_number
from annotation.web.frames import PHASE_NAMES, lead_frame
from annotation.web.lead.lead_calls import ARCHIVE
from annotation.web.lead.lead_labels import items_to_decide
from annotation.web.lead.lead_review import answers_to_review
from annotation.web.prose import (
    bold,
    call_form,
    data,
    duration,
    fold,
    history_fold,
    joined,
    line_field,
    link,
    moment,
    numbers,
    page_macros,
    quiet,
    section,
    switch,
    table,
    typed,
)
from annotation.web.space_storage import may_be_lost
from annotation.web.worker.own_work import content_html
from annotation.words.catalogue import to_translate, translate, translate_all, translate_count
from backend.text.html_pieces import paragraph
from backend.text.words import decimal, percent

HTML = page_macros(__file__)
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
WORKER_WAITS = to_translate("1 worker waits for you to look at their work")
WORKERS_WAIT = to_translate("{count} workers wait for you to look at their work")
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
MOST_READ = 2_000  # answers in which the language of workers is looked at while somebody waits
LANGUAGE_PAGE = {"page": "language"}
LEAST_AGREED = 20  # items
LEVEL_NAMES = {"nominal": to_translate("nominal"), "ordinal": to_translate("ordinal"), "interval": to_translate("interval")}
ABOUT_AGREEMENT = to_translate(
    "Alpha is Krippendorff's at the level of the field, kappa Cohen's for two workers, weighted by the square of the distance "
    "on scales; its mean is over all pairs. A dash: not defined, since only one value occurs, or items have different "
    "numbers of answers (Fleiss)."
)
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


def progress_page(study: Study, caller: Caller, asked: Asked) -> Markup:
    figures = progress(study, caller)  # also makes sure that a lead calls, before the figures below are made
    answered = answered_fields(study)
    main = [
        HTML("lost", translate(ON_A_SPACE)) if may_be_lost(study.database) else "",
        _still_to_do(study, figures),
        _numbers(figures),
        section(translate("Workers"), _workers(figures)),
        section(translate("Agreement"), _agreement(answered)),
        section(translate("Language"), fold(translate("Workers' wordings"), "", attributes=data("fragment", LANGUAGE_PAGE))),
        section(translate("Flagged items"), _flagged(figures)),
    ]
    return lead_frame(study, "progress", joined(main))


def language_page(study: Study, caller: Caller, asked: Asked) -> Markup:
    """How varied the language of workers is: drawn when somebody asks, since all templates are made again for it."""
    with study.database.reading() as connection:
        lead_calling(connection, study, caller)
    return _language(diversity(study, most=MOST_READ))


def export_page(study: Study, caller: Caller, asked: Asked) -> Markup:
    progress(study, caller)
    kinds = {kind: _export_label(kind) for kind in [*export_kinds(study), ARCHIVE]}
    switches = [
        switch("accepted_only", translate("Only answers that a lead has accepted")),
        switch("passed_batches", translate("Only batches that a lead has passed")),
        switch("without_ended", translate("No worker whose part has ended")),
        switch("without_remarks", translate("No worker of whom a figure looks careless (see Quality)")),
        line_field("attention", translate(LEAST_ATTENTION), required=False),
        switch("trial", translate("With the answers of the trial")),
        switch("names", translate(WITH_NAMES)),
    ]
    form = call_form("study_export", {}, HTML("export", kinds, joined(switches)))
    return lead_frame(study, "export", section(translate("Export"), form))


def _still_to_do(study: Study, figures: StudyProgress) -> str:
    """What is left before the study can be exported, with the page for each; or that nothing is."""
    undecided = sum(each.decision is None for each in disagreements(study))
    due = sum(each.question is not None for each in figures.workers)
    lacking = figures.items - figures.complete if study.dealt else 0
    steps = [
        (lacking, "items", translate_count("1 item lacks answers", "{count} items lack answers", lacking)),
        (figures.to_review, "review", answers_to_review(figures.to_review)),
        (due, "review", translate_count(WORKER_WAITS, WORKERS_WAIT, due)),
        (undecided, "labels", items_to_decide(undecided)),
    ]
    if left := [(text, page) for count, page, text in steps if count]:
        return section(translate("Still to do"), HTML("steps", left))
    way = link(translate("Ready to export"), "export", "study-button primary")
    return section(translate("Nothing is left to do"), paragraph(way)) if figures.answers else ""


def _export_label(kind: str) -> str:
    known = EXPORT_LABELS.get(kind)
    return translate("{kind}: a file of this task type", kind=kind) if known is None else translate(known)


def events(study: Study, caller: Caller, asked: Asked) -> Markup:
    """What happened, latest first, a hundred at a time."""
    worker, before = optional_number(asked, "worker"), optional_number(asked, "before")
    happenings = latest_events(study, caller, worker, before)
    rows = [
        [moment(each.created), translate(each.kind), each.actor, each.worker if each.worker != each.actor else "",
         each.key or "", fold(translate("content"), detail) if (detail := content_html(each.content)) else ""]
        for each in happenings
    ]  # fmt: skip
    shown = table(translate_all("When", "What", "By", "To the work of", "Item", "Content"), rows)
    more = {"worker": worker} if worker is not None else {}
    older = (
        link(translate("Older"), "events", "study-button secondary", before=happenings[-1].number, **more)
        if len(happenings) == 100
        else ""
    )
    return lead_frame(study, "events", section(translate("What happened"), shown, older))


def _numbers(progress: StudyProgress) -> Markup:
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
    return numbers((name, value, False) for name, value in rows.items())


def _workers(progress: StudyProgress) -> Markup:
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
        link(each.name, "worker", worker=each.worker), each.pseudonym, translate(PHASE_NAMES[each.phase]), tasks,
        duration(each.median_seconds), percent(each.accepted), str(each.rejected), attention, str(each.skipped),
        str(each.to_review), moment(each.last_seen),
    ]  # fmt: skip


def _agreement(answered: AnsweredFields) -> str:
    """Fields that two and more answered, each two of these workers, and the items that they agree on least."""
    fields = field_agreements(answered)
    if not fields:
        return quiet(translate("Nothing has been answered by two people yet."))
    items = [[each.key, str(each.answers), percent(each.equal)] for each in item_agreements(answered)[:LEAST_AGREED]]
    least = table(translate_all("Item", "Answers", "Pairs of equal values"), items)
    return joined([
        table(translate_all("Field", "Level", "Values", "Alpha", "Mean kappa", "Fleiss"), [_of_field(each) for each in fields]),
        quiet(translate(ABOUT_AGREEMENT)),
        _kappas(fields),
        fold(translate("Items with least agreement"), least),
    ])  # fmt: skip


def _of_field(field: FieldAgreement) -> list[str]:
    agreed = field.of_workers
    return [
        field.field, translate(LEVEL_NAMES[agreed.level]), str(agreed.units), bold(decimal(agreed.alpha)),
        bold(decimal(agreed.mean_kappa)), decimal(field.fleiss),
    ]  # fmt: skip


def _kappas(fields: Sequence[FieldAgreement]) -> Markup:
    """Cohen's kappa of each two workers, with a column for each field."""
    pairs = dict.fromkeys(pair for field in fields for pair in field.of_workers.kappas)
    rows = [[*pair, *(decimal(field.of_workers.kappas.get(pair)) for field in fields)] for pair in pairs]
    columns = [translate("Kappa of {field}", field=field.field) for field in fields]
    none = translate("No two workers share enough items for a kappa.")
    return table((*translate_all("Worker", "Worker"), *columns), rows, none)


def _language(diversity: Diversity) -> Markup:
    if not diversity.wordings.texts:
        return quiet(translate("No rewording has been handed in yet."))
    rows = [[translate(label), _figure(getattr(diversity.templates, name)), _figure(getattr(diversity.wordings, name))]
            for name, label in LANGUAGE.items()]  # fmt: skip
    shown = table(translate_all("", "Templates", "Workers' wordings"), rows)
    if diversity.answers == diversity.of_all:
        return shown
    some = translate("Of {read} of {all} answers, spread evenly over the items.", read=diversity.answers, all=diversity.of_all)
    return quiet(some) + shown


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _flagged(progress: StudyProgress) -> Markup:
    rows = [
        [each.key, str(each.times), joined(typed(reason) for reason in each.reasons),
         history_fold(translate("history"), each.key),
         link(translate("look at it, or withdraw it"), "items", find=each.key)]
        for each in progress.flagged
    ]  # fmt: skip
    return table(translate_all("Item", "Times", "What was said", "", ""), rows, translate("Nobody has flagged anything."))
