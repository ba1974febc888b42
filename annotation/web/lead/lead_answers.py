"""All answers of a study in a table: searched, filtered, with the columns that a lead chooses, and decided on together."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from annotation.studies.callers import Caller
from annotation.studies.data_manager.answer_list import AnswerPage, AnswerSearch, ListedAnswer, list_answers
from annotation.studies.data_manager.bulk_review import (
    BulkReview,
    PastBulkReview,
    past_bulk_reviews,
    review_many,
    review_matching,
    undo_review,
)
from annotation.studies.figures.progress import WorkerFigures, progress
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.grading import LeadVerdict
from annotation.web.asked import Asked, Reply, number, optional_number, text
from annotation.web.frames import lead_frame
from annotation.web.lead.lead_items import KINDS
from annotation.web.lead.lead_quality import RULES
from annotation.web.prose import (
    button,
    call_form,
    card,
    choice,
    duration,
    history_fold,
    joined,
    line_field,
    link,
    links,
    moment,
    name_html,
    page_form,
    page_macros,
    section,
    table,
    text_field,
    verdict_html,
)
from annotation.web.worker.own_work import VERDICTS
from annotation.words.catalogue import to_translate, translate, translate_count
from backend.text.html_pieces import paragraph
from backend.text.words import percent, shortened

HTML = page_macros(__file__)
AT_ONCE = 50
TICK, COLUMN = "answer-", "column-"  # what the names of ticked boxes begin with
LONGEST_CELL = 160
STATES = {
    "waiting": to_translate("without a verdict"),
    "drawn": to_translate("drawn to be checked"),
    "accepted": to_translate("accepted"),
    "edited": to_translate("accepted with an edit"),
    "rejected": to_translate("rejected"),
    "taken back": to_translate("taken back"),
}
NOTICES = {
    "warned": to_translate("insisted on a warning"),
    "template": to_translate("holds its template"),
    "fast": to_translate("too fast"),
    "attention": to_translate("failed attention item"),
    "remarks": to_translate("a figure of the worker looks careless"),
    "ended": to_translate("the worker's part has ended"),
}
ORDERS = {
    "item": to_translate("as the items"),
    "latest": to_translate("latest first"),
    "earliest": to_translate("oldest first"),
    "fastest": to_translate("fastest first"),
    "slowest": to_translate("slowest first"),
    "worker": to_translate("by worker"),
}
DECIDED = {
    LeadVerdict.ACCEPTED: (to_translate("1 answer is accepted."), to_translate("{count} answers are accepted.")),
    LeadVerdict.REJECTED: (to_translate("1 answer is rejected."), to_translate("{count} answers are rejected.")),
}
# What is known of every answer, whatever the task.
COMMON = {
    "worker": to_translate("Worker"),
    "state": to_translate("Verdict"),
    "feedback": to_translate("Feedback"),
    "kind": to_translate("Kind"),
    "batch": to_translate("Batch"),
    "time": to_translate("Active time"),
    "submitted": to_translate("Handed in"),
    "noticed": to_translate("Noticed"),
}
FIRST_OF_ITEMS, FIRST_FIELDS = 2, 4


def answers_page(study: Study, caller: Caller, asked: Asked) -> Markup:
    """What is asked for stays in the links to further pages, so that a reload shows the same."""
    search, at = _search(asked), optional_number(asked, "at") or 0
    page = list_answers(study, caller, search, at * AT_ONCE, AT_ONCE)
    here = {name: value for name, value in asked.items() if name not in ("at", "page")} | {"page": "answers"}
    columns = _columns(page, asked)
    workers = progress(study, caller).workers
    head = section(translate("All answers"), _filters(search, workers, page, columns))
    shown = card(_together(page, columns, search, {**here, "at": at}), _turns(page, here, at))
    return lead_frame(study, "answers", joined([head, shown, _past(past_bulk_reviews(study, caller), here)]))


def decide_many(study: Study, caller: Caller, asked: Asked) -> Reply:
    """The ticked answers (`answer-NUMBER`: the submission that the lead saw), or with `all` those that match, of which the
    lead saw `count`."""
    verdict = text(asked, "verdict")
    if verdict not in (LeadVerdict.ACCEPTED, LeadVerdict.REJECTED):
        raise CallRefusedError(Reason.ANSWER, translate("Many answers at once are accepted or rejected."))
    decision, feedback = LeadVerdict(verdict), text(asked, "feedback")
    if asked.get("all"):
        done = review_matching(study, caller, _search(asked), number(asked, "count"), decision, feedback)
    else:
        ticked = {name.removeprefix(TICK): name for name in asked if name.startswith(TICK)}
        seen = {number({"answer": key}, "answer"): number(asked, name) for key, name in ticked.items()}
        done = review_many(study, caller, seen, decision, feedback)
    return {"message": translate_count(*DECIDED[decision], done.decided) + _left(done), "decided": done.decided}


def undo_many(study: Study, caller: Caller, asked: Asked) -> Reply:
    done = undo_review(study, caller, number(asked, "number"))
    message = translate_count("1 answer is as it was before.", "{count} answers are as they were before.", done.decided)
    return {"message": message + _left(done), "answers": done.decided}


def _left(done: BulkReview) -> str:
    if not done.left:
        return ""
    some = "; ".join(f"{key}: {reason}" for key, reason in done.left[:3])
    return " " + translate_count(
        "1 is left as it is: {some}", "{count} are left as they are: {some}", len(done.left), some=some
    )


def _search(asked: Asked) -> AnswerSearch:
    return AnswerSearch(
        text(asked, "find"), text(asked, "state"), text(asked, "kind"), optional_number(asked, "worker"),
        text(asked, "notice"), text(asked, "order") or "item",
    )  # fmt: skip


def _filters(
    search: AnswerSearch, workers: Sequence[WorkerFigures], page: AnswerPage, columns: Sequence[str]
) -> Markup:  # fmt: skip
    people = {str(each.worker): each.name for each in sorted(workers, key=lambda each: each.name.casefold())}
    every = {"": translate("all")}
    names = [(name, translate(label)) for name, label in COMMON.items()]
    names += [(f"item.{name}", name) for name in page.item_columns] + [(f"answer.{name}", name) for name in page.fields]
    fields = [
        line_field("find", translate("Search in items, answers, names"), required=False, value=search.text),
        choice("state", translate("Verdict"), every | _translated(STATES), search.state),
        choice("worker", translate("Worker"), every | people, str(search.worker or "")),
        choice("notice", translate("Noticed"), every | _translated(NOTICES), search.notice),
        choice("kind", translate("Kind"), every | _translated(KINDS), search.kind),
        choice("order", translate("Order"), _translated(ORDERS), search.order),
        button(translate("Show"), "primary", type="submit"),
        HTML("columns", names, columns),
    ]
    return page_form("answers", joined(fields)) + paragraph(link(translate("Without filters"), "answers"))


def _translated(labels: Mapping[Any, str]) -> dict[str, str]:
    return {value: translate(label) for value, label in labels.items()}


def _columns(page: AnswerPage, asked: Asked) -> list[str]:
    """Those that are ticked; until somebody chooses, the first of the item and of its fields."""
    items, fields = [f"item.{name}" for name in page.item_columns], [f"answer.{name}" for name in page.fields]
    if asked.get("chosen"):
        return [name for name in (*COMMON, *items, *fields) if asked.get(f"{COLUMN}{name}")]
    return ["worker", "state", *items[:FIRST_OF_ITEMS], *fields[:FIRST_FIELDS], "time", "noticed"]


def _together(page: AnswerPage, columns: Sequence[str], search: AnswerSearch, here: Mapping[str, Any]) -> str:
    heads = [translate("Choose"), translate("Item"), *(_head(name) for name in columns)]
    shown = table(heads, [_row(each, columns) for each in page.listed], translate("No answer matches."))
    if not page.listed:
        return shown
    feedback = text_field("feedback", translate("Feedback to the workers (needed to reject)"))
    asked = {"find": search.text, "state": search.state, "kind": search.kind, "worker": search.worker,
             "notice": search.notice, "order": search.order, "count": page.count}  # fmt: skip
    inside = HTML("together", f"{page.count:,}", shown, feedback)
    return call_form("study_review_many", asked, inside, here)


def _head(name: str) -> str:
    return translate(COMMON[name]) if name in COMMON else name.partition(".")[2]


def _row(each: ListedAnswer, columns: Sequence[str]) -> list[str]:
    tick = "" if each.state == "taken back" else HTML("tick", each)
    return [tick, history_fold(each.result.key, each.result.key), *(_cell(each, name) for name in columns)]


def _cell(each: ListedAnswer, name: str) -> str:
    if name in COMMON:
        return _common(each, name)
    where, _, field = name.partition(".")
    return _short((each.answer if where == "answer" else each.item).get(field))


def _short(value: object) -> str:
    if value is None:
        return "–"
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return HTML("cell", shortened(shown, LONGEST_CELL), shown[:2000])


def _common(each: ListedAnswer, name: str) -> str:
    about = each.result.about
    if name == "state":
        shown = translate(VERDICTS.get(LeadVerdict(each.state), "")) if each.state != "taken back" else translate("taken back")
        return verdict_html(each.state.partition(" ")[0], shown)
    if name == "noticed":
        return _noticed(each)
    cells = {
        "worker": link(each.name, "worker", worker=each.worker),
        "feedback": _short(each.feedback or None),
        "kind": translate(KINDS[each.kind]),
        "batch": "–" if about["batch"] is None else str(about["batch"]),
        "time": duration(each.result.seconds if about["active_seconds"] is None else about["active_seconds"]),
        "submitted": moment(each.result.submitted),
    }
    return cells[name]


def _noticed(each: ListedAnswer) -> str:
    about = each.result.about
    noticed = [
        translate("insisted although: {rule}", rule=translate(RULES.get(rule, rule)))
        for rule in dict.fromkeys(about["warnings"])
    ]
    if about["template_kept"]:
        noticed.append(translate("{share} of texts hold their template", share=percent(about["template_kept"])))
    if each.passed is not None:
        noticed.append(translate("attention passed") if each.passed else translate("attention failed"))
    return HTML("remarks", "; ".join(noticed)) if noticed else ""


def _turns(page: AnswerPage, here: Mapping[str, Any], at: int) -> str:
    further = {name: value for name, value in here.items() if name != "page"}
    return links(
        link(translate("Earlier"), "answers", **{**further, "at": at - 1}) if at else "",
        link(translate("Further"), "answers", **{**further, "at": at + 1}) if page.count > (at + 1) * AT_ONCE else "",
    )


def _past(reviews: Sequence[PastBulkReview], here: Mapping[str, Any]) -> str:
    if not reviews:
        return ""
    heads = [translate(name) for name in ("When", "By", "Verdict", "Answers", "Feedback")]
    rows = [
        [moment(each.created), name_html(each.lead), translate(VERDICTS[each.verdict]),
         str(each.answers), _short(each.feedback or None), _undo(each, here)]
        for each in reviews
    ]  # fmt: skip
    return section(translate("Decided together"), table((*heads, ""), rows))


def _undo(each: PastBulkReview, here: Mapping[str, Any]) -> str:
    if each.undone:
        return translate("undone")
    undo = button(translate("Undo"), type="submit")
    return call_form("study_undo_review", {"number": each.number}, undo, here, "study-inline")
