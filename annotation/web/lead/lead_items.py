"""The items of a study, for a lead: how many answers each has, taking one out or putting it back, and adding more."""

import tempfile
from pathlib import Path
from typing import Any

from markupsafe import Markup

from annotation.studies.beginning.study_drafts import items_ending
from annotation.studies.callers import Caller, lead_calling
from annotation.studies.item_files import ItemKind
from annotation.studies.study import Study, count_items, import_items
from annotation.studies.work.withdrawal import ListedItem, list_items
from annotation.web.asked import Asked, Reply, optional_number, text
from annotation.web.frames import lead_frame
from annotation.web.prose import (
    button,
    call_form,
    fold,
    history_fold,
    line_field,
    link,
    links,
    name_html,
    page_form,
    page_macros,
    quiet,
    section,
    table,
    text_field,
)
from annotation.words.catalogue import to_translate, translate, translate_all
from backend.errors import AnnotationError

AT_ONCE = 50
HTML = page_macros(__file__)
KINDS = {
    ItemKind.WORK: to_translate("work"),
    ItemKind.TRIAL: to_translate("trial"),
    ItemKind.ATTENTION: to_translate("attention"),
}


def items(study: Study, caller: Caller, asked: Asked) -> Markup:
    """Fifty at a time; `find` is a part of the id, `withdrawn` shows only those that were taken out."""
    find, only = text(asked, "find").strip(), text(asked, "withdrawn")
    page = optional_number(asked, "at") or 0
    page_of_items = list_items(study, caller, find, bool(only), page, AT_ONCE + 1)
    here = {"page": "items", "find": find, "withdrawn": only, "at": page}
    rows = [_row(each, here, study.dealt) for each in page_of_items[:AT_ONCE]]
    shown = table(translate_all("Item", "Kind", "Answers", "In work", "State", ""), rows, translate("There is no such item."))
    search = page_form(
        "items",
        line_field("find", translate("Part of an id"), required=False, value=find) + button(translate("Find"), type="submit"),
    )
    about = translate(
        "A withdrawn item is assigned to nobody any more. Its answers stay and are exported; a worker who has it in work may "
        "still hand it in, and it can be put back."
    )
    ways = links(link(translate("All items"), "items"), link(translate("Withdrawn ones"), "items", withdrawn="yes"))
    turn = links(
        link(translate("Earlier"), "items", **_turned(here, page - 1)) if page else "",
        link(translate("Further"), "items", **_turned(here, page + 1)) if len(page_of_items) > AT_ONCE else "",
    )
    main = section(translate("Items"), quiet(about), search, ways, shown, turn) + _adding(study)
    return lead_frame(study, "items", main)


def _adding(study: Study) -> Markup:
    kinds = [ItemKind.WORK, *([ItemKind.ATTENTION] if study.plan.file.attention else [])]
    form = HTML("adding", {kind.value: translate(KINDS[kind]) for kind in kinds})
    return fold(translate("Add items"), call_form("study_add_items", {}, form, {"page": "items"}))


def add(study: Study, caller: Caller, asked: Asked) -> Reply:
    """Add items of a file, whose text comes as `file`, or of what is typed as `rows`."""
    with study.database.reading() as connection:
        lead_calling(connection, study, caller)
    kind = ItemKind.ATTENTION if text(asked, "kind") == ItemKind.ATTENTION else ItemKind.WORK
    content = text(asked, "file") if text(asked, "file").strip() else text(asked, "rows")
    with tempfile.TemporaryDirectory() as folder:
        # Those without an id are called after their file: never as items that are there.
        path = Path(folder) / f"more-{sum(count_items(study).values())}{items_ending(content)}"
        path.write_text(content, "utf-8")
        try:
            count = import_items(study, path, kind)
        except AnnotationError as error:
            raise AnnotationError(error.message.replace(f"{folder}/", "")) from error
    return {"message": translate("{count:,} items are new.", count=count), "new": count}


def withdraw_fold(key: str, then: dict[str, Any]) -> Markup:
    """A form that takes an item out, wherever one is looked at."""
    inside = text_field("reason", translate("Why, for the history"), required=True) + button(
        translate("Withdraw it"), "danger", type="submit"
    )
    return fold(translate("Withdraw this item"), call_form("study_withdraw", {"key": key}, inside, then))


def _turned(here: dict[str, Any], page: int) -> dict[str, Any]:
    return {name: value for name, value in here.items() if name != "page"} | {"at": page}


def _row(each: ListedItem, here: dict[str, Any], dealt: bool) -> list[str]:
    dealt = dealt and each.kind is ItemKind.WORK
    state = translate("withdrawn") if each.withdrawn else translate("complete") if dealt and each.answers >= each.wanted else ""
    if each.withdrawn:
        put_back = button(translate("Put it back"), type="submit")
        act: str = call_form("study_put_back", {"key": each.key}, put_back, here, "study-inline")
    else:
        act = "" if each.kind is ItemKind.TRIAL else withdraw_fold(each.key, here)
    answers = translate("{count} of {of}", count=each.answers, of=each.wanted) if dealt else str(each.answers)
    past = history_fold(translate("History"), each.key)
    return [name_html(each.key), translate(KINDS[each.kind]), answers, str(each.lent), state, act + past]
