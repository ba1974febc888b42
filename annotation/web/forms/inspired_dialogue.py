"""A dialogue of three voices: an automated user, a director who says what to do, and the worker as the agent."""

from markupsafe import Markup

from annotation.tasks.inspired_dialogue import AGENT, DIRECTOR, USER
from annotation.tasks.task_type import ItemPart
from annotation.web.forms.answers_read import value_html
from annotation.web.forms.fields import HTML, ItemForm, draw_field, shown_text
from annotation.web.prose import joined
from annotation.words.catalogue import to_translate, translate

VOICES = {USER: to_translate("User (automated)"), DIRECTOR: to_translate("Director"), AGENT: to_translate("Agent (you)")}
SPEECH_LABELS = {USER: "", DIRECTOR: to_translate("a step, in stiff words"), AGENT: to_translate("the answer")}
ASKED = {"write": to_translate("your words"), "choose": to_translate("your choice")}
OTHERWISE = to_translate("your answer")


def draw(form: ItemForm) -> Markup:
    return HTML("dialogue", joined(_turn(form, part) for part in form.parts))


def _turn(form: ItemForm, part: ItemPart) -> Markup:
    """What is only shown belongs to its speaker; what is asked, the worker answers as the agent."""
    if not part.name:
        return _bubble(part.speaker or DIRECTOR, shown_text(part), SPEECH_LABELS[part.speaker or DIRECTOR])
    stands = part.name in form.handed_in
    inside = value_html(part, form.handed_in[part.name]) if stands else draw_field(form, part)
    return _bubble(AGENT, inside, ASKED.get(part.kind, OTHERWISE))


def _bubble(speaker: str, inside: str, note: str = "") -> Markup:
    who = translate(VOICES[speaker])
    return HTML("bubble", speaker, f"{who}: {translate(note)}" if note else who, inside)
