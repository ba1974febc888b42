"""A question to be answered with one of two interfaces, statements to agree with, and comparisons at the end.

The time is taken on the server, from when the question is given until it is handed in.
"""

from markupsafe import Markup

from annotation.tasks.task_type import ItemPart
from annotation.web.forms.fields import ItemForm, draw_fields
from annotation.web.prose import joined, page_macros
from annotation.words.catalogue import to_translate, translate

HTML = page_macros(__file__)
TIMED = to_translate("The time from now until you hand in is noted. Take as long as you need, without breaks.")
MACROS = {"show": "text", "link": "link"}


def draw(form: ItemForm) -> Markup:
    return HTML("form", joined(map(_shown, form.shown)), translate(TIMED), draw_fields(form))


def _shown(part: ItemPart) -> Markup:
    """A text, or the interface itself; its address was checked with the study file (`is_web_address`)."""
    return HTML(MACROS.get(part.kind, "frame"), part)
