"""A question to be answered with one of two interfaces, statements to agree with, and comparisons at the end.

The time is taken on the server, from when the question is given until it is handed in.
"""

from annotation.tasks.task_type import ItemPart
from annotation.web.forms.fields import ItemForm, draw_field
from annotation.web.prose import prose
from annotation.words.catalogue import to_translate, translate
from backend.text.markup import escape_html

# What is inside the page may do its work, but not lead the page itself elsewhere.
FRAME_MAY = "allow-scripts allow-forms allow-same-origin allow-popups allow-downloads allow-modals"
TIMED = to_translate("The time from now until you hand in is noted. Take as long as you need, without breaks.")


def draw(form: ItemForm) -> str:
    shown = "".join(_shown(part) for part in form.shown)
    asked = "".join(draw_field(form, part) for part in form.asked)
    clock = f'<p class="study-quiet">{translate(TIMED)} <span data-elapsed role="timer"></span></p>'
    return f'{shown}{clock}<div class="study-likert">{asked}</div>'


def _shown(part: ItemPart) -> str:
    """A text, or the interface itself; its address was checked with the study file (`is_web_address`)."""
    name, address = escape_html(part.text), escape_html(part.source)
    if part.kind == "show":
        return f'<div class="study-given">{prose(part.text)}</div>'
    opens = f'target="_blank" rel="noopener noreferrer" href="{address}"'
    if part.kind == "link":
        return f'<p><a class="study-button secondary" {opens}>{translate("Open {name} in a new tab", name=name)}</a></p>'
    frame = f'<iframe class="study-frame" src="{address}" title="{name}" sandbox="{FRAME_MAY}" referrerpolicy="no-referrer">'
    own_tab = translate("Open it in a tab of its own")
    return f'{frame}</iframe><p class="study-quiet"><a class="study-link" {opens}>{own_tab}</a></p>'
