"""The items of a study, for a lead: how many answers each has, taking one out or putting it back, and adding more."""

import tempfile
from pathlib import Path
from typing import Any

from annotation.studies.beginning.study_drafts import items_ending
from annotation.studies.callers import Caller, lead_calling
from annotation.studies.item_files import ItemKind
from annotation.studies.study import Study, count_items, import_items
from annotation.studies.work.withdrawal import ListedItem, list_items
from annotation.web.asked import Asked, Reply, optional_number, text
from annotation.web.frames import lead_frame
from annotation.web.prose import button, call_form, data, fold, line_field, link, page_form, table, text_field
from annotation.words.catalogue import to_translate, translate, translate_all
from backend.errors import AnnotationError
from backend.text.markup import escape_html

AT_ONCE = 50
KINDS = {
    ItemKind.WORK: to_translate("work"),
    ItemKind.TRIAL: to_translate("trial"),
    ItemKind.ATTENTION: to_translate("attention"),
}


def items(study: Study, caller: Caller, asked: Asked) -> str:
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
    ways = [link(translate("All items"), "items"), link(translate("Withdrawn ones"), "items", withdrawn="yes")]
    turn = [link(translate("Earlier"), "items", **_turned(here, page - 1))] if page else []
    turn += [link(translate("Further"), "items", **_turned(here, page + 1))] if len(page_of_items) > AT_ONCE else []
    about = translate(
        "A withdrawn item is assigned to nobody any more. Its answers stay and are exported; a worker who has it in work may "
        "still hand it in, and it can be put back."
    )
    main = (
        f'<section class="study-card"><h4>{translate("Items")}</h4><p class="study-quiet">{about}</p>{search}'
        f'<p class="study-links">{" ".join(ways)}</p>{shown}<p class="study-links">{" ".join(turn)}</p></section>'
        f"{_adding(study)}"
    )
    return lead_frame(study, "items", main)


def _adding(study: Study) -> str:
    kinds = [ItemKind.WORK, *([ItemKind.ATTENTION] if study.plan.file.attention else [])]
    options = "".join(f'<option value="{kind.value}">{translate(KINDS[kind])}</option>' for kind in kinds)
    about = translate(
        "CSV with a header line, JSONL or JSON, from a file or typed here. An attention item has its answer under known. All "
        "are added, or none."
    )
    inside = (
        f'<p class="study-quiet">{about}</p><label class="study-label">{translate("Kind")}'
        f'<select name="kind">{options}</select></label>'
        f'<label class="study-label">{translate("File")}<input type="file" name="file" accept=".csv,.jsonl,.json"></label>'
        + text_field("rows", translate("Items, one a line"), 3)
        + button(translate("Add the items"), type="submit")
    )
    return fold(translate("Add items"), call_form("study_add_items", {}, inside, {"page": "items"}))


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


def withdraw_fold(key: str, then: dict[str, Any]) -> str:
    """A form that takes an item out, wherever one is looked at."""
    inside = text_field("reason", translate("Why, for the history"), required=True) + button(
        translate("Withdraw it"), "danger", type="submit"
    )
    return fold(translate("Withdraw this item"), call_form("study_withdraw", {"key": key}, inside, then))


def _turned(here: dict[str, Any], page: int) -> dict[str, Any]:
    return {name: value for name, value in here.items() if name != "page"} | {"at": page}


def _row(each: ListedItem, here: dict[str, Any], dealt: bool) -> list[str]:
    past = fold(translate("History"), "", attributes=data("fragment", {"page": "history", "key": each.key}))
    dealt = dealt and each.kind is ItemKind.WORK
    state = translate("withdrawn") if each.withdrawn else translate("complete") if dealt and each.answers >= each.wanted else ""
    if each.withdrawn:
        act = call_form(
            "study_put_back", {"key": each.key}, button(translate("Put it back"), type="submit"), here, "study-inline"
        )
    else:
        act = "" if each.kind is ItemKind.TRIAL else withdraw_fold(each.key, here)
    answers = translate("{count} of {of}", count=each.answers, of=each.wanted) if dealt else str(each.answers)
    key = f'<span dir="auto">{escape_html(each.key)}</span>'
    return [key, translate(KINDS[each.kind]), answers, str(each.lent), state, f"{act}{past}"]
