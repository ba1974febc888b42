"""Items about which workers disagree, before a lead: their answers side by side, what they add up to, and the decision."""

from collections.abc import Mapping
from typing import Any

from annotation.studies.callers import Caller
from annotation.studies.figures.progress import progress
from annotation.studies.labels.adjudication import LabelDecision, decide_labels, decided_parts, reopen_labels
from annotation.studies.labels.item_labels import Disagreement, ItemLabel, disagreements, item_labels
from annotation.studies.labels.text_differences import compared, sentences
from annotation.studies.study import Study
from annotation.tasks.task_type import ItemPart
from annotation.web.asked import Asked, Reply, answer, text
from annotation.web.forms.answers_read import answer_html, value_html
from annotation.web.forms.fields import ItemForm, draw_field
from annotation.web.frames import lead_frame
from annotation.web.prose import button, call_form, fold, link, moment, section, table, text_field
from annotation.words.catalogue import to_translate, translate, translate_all
from backend.text.markup import escape_html
from backend.text.words import percent

AT_ONCE = 10
ABOUT = to_translate(
    "Items of the work whose answers differ in a field that is chosen, rated or marked. Your decision goes into the exported "
    "labels with your name or pseudonym and the time; the answers stay as they are. Of two texts side by side, all values "
    "stand as if no sides had been exchanged. What was written can be taken from an answer, merged out of several, or written "
    "by you; words that not all have are marked."
)
THEN = {"page": "labels"}
Labels = Mapping[tuple[str, str], ItemLabel]
Then = Mapping[str, Any]


def labels_page(study: Study, caller: Caller, asked: Asked) -> str:
    progress(study, caller)  # makes sure that a lead calls
    texts = bool(text(asked, "texts"))
    listed = disagreements(study, texts)
    known = {(each.key, each.field): each for each in item_labels(study)}
    still = [each for each in listed if each.decision is None]
    done = [each for each in listed if each.decision is not None]
    count = _counted(len(still))
    then = THEN | ({"texts": "yes"} if texts else {})
    cards = "".join(_card(each, known, then) for each in still[:AT_ONCE])
    past = "".join(_card(each, known, then) for each in done[-100:])
    other = link(translate("Only items whose labels differ"), "labels")
    more = link(translate("Also items whose texts differ"), "labels", texts="yes")
    about = f'<p class="study-quiet">{translate(ABOUT)}</p><p>{count}</p><p class="study-links">{other if texts else more}</p>'
    head = section(translate("Disagreements"), about)
    return lead_frame(
        study, "labels", head + cards + (fold(translate("Decided ({count})", count=len(done)), past) if done else "")
    )


def _counted(count: int) -> str:
    if count == 1:
        return translate("1 item waits for a decision.")
    return translate("{count} items wait for a decision.", count=count) if count else translate("No item waits for a decision.")


def decide(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`final`: the value of each decided field."""
    decide_labels(study, caller, text(asked, "key"), answer(asked, "final"), text(asked, "note"))
    return {"message": translate("Your decision is kept.")}


def reopen(study: Study, caller: Caller, asked: Asked) -> Reply:
    reopen_labels(study, caller, text(asked, "key"))
    return {"message": translate("The decision is taken back; the item waits for one again.")}


def _card(each: Disagreement, known: Labels, then: Then) -> str:
    context = answer_html(tuple(part for part in each.parts if not part.name), {})
    fields = [part for part in decided_parts(each.parts) if _is_open(part, each)]
    return (
        f'<section class="study-card study-work"><h5 dir="auto">{escape_html(each.key)}</h5>{context}'
        f"{_side_by_side(each, fields, known)}{_decided(each, then)}{_form(each, fields, known, then)}</section>"
    )


def _is_open(part: ItemPart, each: Disagreement) -> bool:
    """Whether there is something to decide about: a label that anybody gave, a text that several wrote in different ways."""
    if part.kind == "write":
        return part.name in each.differing or (each.decision is not None and part.name in each.decision.labels)
    return any(part.name in values for values in each.answers.values())


def _side_by_side(each: Disagreement, fields: list[ItemPart], known: Labels) -> str:
    heads = (translate("Field"), *each.answers, *translate_all("Majority", "Dawid-Skene", "Equal pairs"))
    return table(heads, [_row(each, part, known.get((each.key, part.name))) for part in fields])


def _row(each: Disagreement, part: ItemPart, label: ItemLabel | None) -> list[str]:
    css = "study-remark" if part.name in each.differing else ""
    asks = f'<span class="{css}" dir="auto">{escape_html(part.name)}</span>'
    written = _written(each, part) if part.kind == "write" else {}
    cells = [
        (written.get(who) or value_html(part, values[part.name])) if part.name in values else "–"
        for who, values in each.answers.items()
    ]
    if label is None or label.likely is None:
        return [asks, *cells, "–", "–", "–"]
    most = translate("tie") if label.majority is None else value_html(part, label.majority)
    likely = f'{value_html(part, label.likely.label)}<span class="study-quiet">{percent(label.likely.confidence)}</span>'
    return [asks, *cells, most, likely, percent(label.equal)]


def _texts(each: Disagreement, part: ItemPart) -> dict[str, str]:
    return {who: str(values[part.name]) for who, values in each.answers.items() if part.name in values}


def _written(each: Disagreement, part: ItemPart) -> dict[str, str]:
    """What each wrote, with the words marked that not all have."""
    return {
        who: '<p class="study-typed" dir="auto">'
        + "".join(escape_html(word.text) if word.shared else f"<mark>{escape_html(word.text)}</mark>" for word in words)
        + "</p>"
        for who, words in compared(_texts(each, part)).items()
    }


def _merging(each: Disagreement, part: ItemPart) -> str:
    """Buttons that put a text, or one of its sentences, into the field of the decision."""
    lines = ""
    for who, wrote in _texts(each, part).items():
        pieces = sentences(wrote)
        added = "".join(_piece(piece, "sentence", piece) for piece in pieces) if len(pieces) > 1 else ""
        added = added or _piece(translate("Add it"), "sentence", wrote)
        whole = _piece(translate("Take it"), "whole", wrote)
        lines += f'<div class="study-pieces"><span class="study-who" dir="auto">{escape_html(who)}</span>{whole}{added}</div>'
    return f'<div data-merge="{escape_html(part.name)}">{lines}</div>'


def _piece(label: str, kind: str, wrote: str) -> str:
    return button(label, type="button", dir="auto", data_piece=kind, data_text=wrote)


def _decided(each: Disagreement, then: Then) -> str:
    decision = each.decision
    if decision is None:
        return ""
    by = {part.name: part for part in each.parts}
    lines = "".join(
        f"<li>{escape_html(name)}: {value_html(by[name], value) if name in by else escape_html(value)}</li>"
        for name, value in decision.labels.items()
    )
    undo = call_form("study_reopen_labels", {"key": each.key}, button(translate("Take the decision back"), type="submit"), then)
    return f"<p>{_who(decision)}</p><ul>{lines}</ul>{undo}"


def _who(decision: LabelDecision) -> str:
    note = f": {decision.note}" if decision.note else ""
    who = f'<span dir="auto">{escape_html(decision.name)}</span>'
    return translate("Decided by {who}, {when}", who=who, when=moment(decision.decided)) + escape_html(note)


def _form(each: Disagreement, fields: list[ItemPart], known: Labels, then: Then) -> str:
    """With the decision in its fields, else with what workers agree on or most of them chose."""
    values = dict(each.decision.labels) if each.decision else _suggested(each, fields, known)
    form = ItemForm(tuple(fields), values, {}, f"labels-{each.key}")
    drawn = "".join(f"{draw_field(form, part)}{_merging(each, part) if part.kind == 'write' else ''}" for part in fields)
    save = button(translate("Decide"), "primary", type="submit", data_final="")
    note = text_field(
        "note", translate("Reason for the decision (may stay empty)"), value=each.decision.note if each.decision else ""
    )
    inside = f'<div class="study-final">{drawn}</div>{note}{save}'
    return fold(
        translate("Decide") if each.decision is None else translate("Decide again"),
        call_form("study_decide_labels", {"key": each.key}, inside, then),
    )


def _suggested(each: Disagreement, fields: list[ItemPart], known: Labels) -> dict[str, object]:
    agreed = {
        part.name: next(values[part.name] for values in each.answers.values() if part.name in values)
        for part in fields
        if part.name not in each.differing
    }
    voted = {name: label.majority for (key, name), label in known.items() if key == each.key and label.majority is not None}
    return voted | agreed
