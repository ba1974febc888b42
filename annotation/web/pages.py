"""The screens of a study, each as HTML, by name; who may see one is up to the functions of the protocol that it calls."""

from collections.abc import Callable

from annotation.studies.callers import Caller, Role
from annotation.studies.study import Study
from annotation.web.asked import Asked, Reply, text
from annotation.web.lead import lead, lead_answers, lead_items, lead_labels, lead_people, lead_quality, lead_review
from annotation.web.worker import own_work, qualification, worker
from annotation.words.catalogue import in_browser

Draw = Callable[[Study, Caller, Asked], str]

OF_WORKERS: dict[str, Draw] = {
    "work": worker.work,
    "tutorial": qualification.tutorial_again,
    "mine": own_work.mine,
    "edit": own_work.edit_one,
    "earned": own_work.earned,
    "history": own_work.item_history,
}
OF_LEADS: dict[str, Draw] = {
    "progress": lead.progress_page,
    "language": lead.language_page,
    "review": lead_review.queue,
    "worker": lead_review.one_worker,
    "answers": lead_answers.answers_page,
    "quality": lead_quality.quality,
    "labels": lead_labels.labels_page,
    "items": lead_items.items,
    "people": lead_people.people,
    "payment": lead_people.payment,
    "export": lead.export_page,
    "events": lead.events,
    "tutorial": qualification.tutorial_again,
    "history": own_work.item_history,
}


def page(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`page` as HTML; the first page of the role if it is not given or not there."""
    pages, first = (OF_LEADS, "progress") if caller.role is Role.LEAD else (OF_WORKERS, "work")
    name = text(asked, "page") if text(asked, "page") in pages else first
    html = str(pages[name](study, caller, asked))
    about = {"page": name, "role": caller.role.value, "owner": f"{study.name}/{caller.worker}", "html": html}
    return {**about, **in_browser()}
