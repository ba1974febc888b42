"""Items about which workers disagree, before a lead: their answers side by side, what they add up to, and the decision."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from annotation.studies.callers import Caller
from annotation.studies.figures.progress import progress
from annotation.studies.labels.adjudication import LabelDecision, decide_labels, decided_parts, reopen_labels
from annotation.studies.labels.aggregation import LikelyLabel
from annotation.studies.labels.item_labels import Disagreement, ItemLabel, disagreements, item_labels
from annotation.studies.labels.text_differences import compared, sentences
from annotation.studies.study import Study
from annotation.tasks.task_type import ItemPart
from annotation.web.asked import Asked, Reply, answer, text
from annotation.web.forms.answers_read import answer_html, value_html
from annotation.web.forms.fields import ItemForm, draw_field
from annotation.web.frames import lead_frame
from annotation.web.prose import (
    button,
    call_form,
    fold,
    joined,
    link,
    links,
    moment,
    name_html,
    page_macros,
    quiet,
    section,
    table,
    text_field,
)
from annotation.words.catalogue import to_translate, translate, translate_all, translate_count
from backend.text.html_pieces import paragraph
from backend.text.words import percent

HTML = page_macros(__file__)
AT_ONCE = 10
ABOUT = to_translate(
    "Items of the work whose answers differ in a field that is chosen, rated or marked. Your decision goes into the exported "
    "labels with your name or pseudonym and the time; the answers stay as they are. Of two texts side by side, all values "
    "stand as if no sides had been exchanged. What was written can be taken from an answer, merged out of several, or written "
    "by you; words that not all have are marked. A tie has no label until you decide. Dawid and Skene's estimate stands where "
    "the items with three answers and more are enough for it."
)
THEN = {"page": "labels"}
Labels = Mapping[tuple[str, str], ItemLabel]
Then = Mapping[str, Any]


def labels_page(study: Study, caller: Caller, asked: Asked) -> Markup:
    progress(study, caller)  # makes sure that a lead calls
    texts = bool(text(asked, "texts"))
    listed = disagreements(study, texts)
    known = {(each.key, each.field): each for each in item_labels(study)}
    still = [each for each in listed if each.decision is None]
    done = [each for each in listed if each.decision is not None]
    then = THEN | ({"texts": "yes"} if texts else {})
    other = link(translate("Only items whose labels differ"), "labels")
    more = link(translate("Also items whose texts differ"), "labels", texts="yes")
    about = [quiet(translate(ABOUT)), paragraph(items_to_decide(len(still))), links(other if texts else more)]
    cards = joined(_card(each, known, then) for each in still[:AT_ONCE])
    past = joined(_card(each, known, then) for each in done[-100:])
    decided = fold(translate("Decided ({count})", count=len(done)), past) if done else ""
    return lead_frame(study, "labels", section(translate("Disagreements"), *about) + cards + decided)


def items_to_decide(count: int) -> str:
    """How many items still differ without a decision."""
    some = translate_count("1 item waits for a decision.", "{count} items wait for a decision.", count)
    return some if count else translate("No item waits for a decision.")


def decide(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`final`: the value of each decided field."""
    decide_labels(study, caller, text(asked, "key"), answer(asked, "final"), text(asked, "note"))
    return {"message": translate("Your decision is kept.")}


def reopen(study: Study, caller: Caller, asked: Asked) -> Reply:
    reopen_labels(study, caller, text(asked, "key"))
    return {"message": translate("The decision is taken back; the item waits for one again.")}


def _card(each: Disagreement, known: Labels, then: Then) -> Markup:
    context = answer_html(tuple(part for part in each.parts if not part.name), {})
    fields = [part for part in decided_parts(each.parts) if _is_open(part, each)]
    inside = [context, _side_by_side(each, fields, known), _decided(each, then), _form(each, fields, known, then)]
    return HTML("work", each.key, joined(inside))


def _is_open(part: ItemPart, each: Disagreement) -> bool:
    """Whether there is something to decide about: a label that anybody gave, a text that several wrote in different ways."""
    if part.kind == "write":
        return part.name in each.differing or (each.decision is not None and part.name in each.decision.labels)
    return any(part.name in values for values in each.answers.values())


def _side_by_side(each: Disagreement, fields: list[ItemPart], known: Labels) -> Markup:
    heads = (translate("Field"), *each.answers, *translate_all("Majority", "Dawid-Skene", "Equal pairs"))
    return table(heads, [_row(each, part, known.get((each.key, part.name))) for part in fields])


def _row(each: Disagreement, part: ItemPart, label: ItemLabel | None) -> list[str]:
    asks = name_html(part.name, "study-remark" if part.name in each.differing else "")
    written = _written(each, part) if part.kind == "write" else {}
    cells = [
        (written.get(who) or value_html(part, values[part.name])) if part.name in values else "–"
        for who, values in each.answers.items()
    ]
    if label is None or not label.answers or part.kind == "write":
        return [asks, *cells, "–", "–", "–"]
    most = translate("tie") if label.tie else value_html(part, label.majority)
    return [asks, *cells, most, _likely(part, label.likely), percent(label.equal)]


def _likely(part: ItemPart, likely: LikelyLabel | None) -> str:
    """The estimate with its probability, which is never rounded to certainty."""
    if likely is None:
        return "–"
    rounded = percent(likely.confidence)
    return HTML("likely", value_html(part, likely.label), "> 99%" if rounded == "100%" else rounded)


def _texts(each: Disagreement, part: ItemPart) -> dict[str, str]:
    return {who: str(values[part.name]) for who, values in each.answers.items() if part.name in values}


def _written(each: Disagreement, part: ItemPart) -> dict[str, Markup]:
    """What each wrote, with the words marked that not all have."""
    return {who: HTML("words", words) for who, words in compared(_texts(each, part)).items()}


def _merging(each: Disagreement, part: ItemPart) -> Markup:
    """Buttons that put a text, or one of its sentences, into the field of the decision."""
    return HTML("merging", part.name, [(who, wrote, sentences(wrote)) for who, wrote in _texts(each, part).items()])


def _decided(each: Disagreement, then: Then) -> str:
    decision = each.decision
    if decision is None:
        return ""
    by = {part.name: part for part in each.parts}
    values = [(name, value_html(by[name], value) if name in by else value) for name, value in decision.labels.items()]
    undo = call_form("study_reopen_labels", {"key": each.key}, button(translate("Take the decision back"), type="submit"), then)
    return HTML("decided", _who(decision), values, undo)


def _who(decision: LabelDecision) -> str:
    note = f": {decision.note}" if decision.note else ""
    who = translate("Decided by {who}, {when}", who=name_html(decision.name), when=moment(decision.decided))
    return who + note


def _form(each: Disagreement, fields: list[ItemPart], known: Labels, then: Then) -> Markup:
    """With the decision in its fields, else with what workers agree on or most of them chose."""
    values = dict(each.decision.labels) if each.decision else _suggested(each, fields, known)
    form = ItemForm(tuple(fields), values, {}, f"labels-{each.key}")
    drawn = joined(draw_field(form, part) + (_merging(each, part) if part.kind == "write" else "") for part in fields)
    save = button(translate("Decide"), "primary", type="submit", data_final="")
    note = text_field(
        "note", translate("Reason for the decision (may stay empty)"), value=each.decision.note if each.decision else ""
    )
    return fold(
        translate("Decide") if each.decision is None else translate("Decide again"),
        call_form("study_decide_labels", {"key": each.key}, HTML("final", drawn, note, save), then),
    )


def _suggested(each: Disagreement, fields: list[ItemPart], known: Labels) -> dict[str, object]:
    agreed = {
        part.name: next(values[part.name] for values in each.answers.values() if part.name in values)
        for part in fields
        if part.name not in each.differing
    }
    voted = {name: label.majority for (key, name), label in known.items() if key == each.key and label.majority is not None}
    return voted | agreed
