"""A dialogue of three voices: an automated user, a director who says what to do, and the worker as the agent."""

from annotation.tasks.inspired_dialogue import AGENT, DIRECTOR, USER
from annotation.tasks.task_type import ItemPart
from annotation.web.forms.answers_read import value_html
from annotation.web.forms.fields import ItemForm, draw_field, shown_text

VOICES = {USER: "User (automated)", DIRECTOR: "Director", AGENT: "Agent (you)"}
SPEECH_LABELS = {USER: "", DIRECTOR: "a step, in stiff words", AGENT: "the answer"}
ASKED = {"write": "your words", "choose": "your choice"}


def draw(form: ItemForm) -> str:
    return f'<div class="study-dialogue">{"".join(_turn(form, part) for part in form.parts)}</div>'


def _turn(form: ItemForm, part: ItemPart) -> str:
    """What is only shown belongs to its speaker; what is asked, the worker answers as the agent."""
    if not part.name:
        return _bubble(part.speaker or DIRECTOR, shown_text(part), SPEECH_LABELS[part.speaker or DIRECTOR])
    stands = part.name in form.handed_in
    inside = value_html(part, form.handed_in[part.name]) if stands else draw_field(form, part)
    return _bubble(AGENT, inside, ASKED.get(part.kind, "your answer"))


def _bubble(speaker: str, inside: str, note: str = "") -> str:
    who = f"{VOICES[speaker]}: {note}" if note else VOICES[speaker]
    return f'<div class="study-turn {speaker}"><div class="study-who">{who}</div>{inside}</div>'
