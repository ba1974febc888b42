"""An utterance, and boxes to say it in other words."""

from annotation.web.forms.fields import ItemForm, draw_field, shown_text
from annotation.words.catalogue import translate


def draw(form: ItemForm) -> str:
    caption = f"<figcaption>{translate('Say this in other words')}</figcaption>"
    shown = "".join(f'<figure class="study-given">{caption}{shown_text(part)}</figure>' for part in form.shown)
    asked = "".join(f"<li>{draw_field(form, part)}</li>" for part in form.asked)
    return f'{shown}<ol class="study-rewrites">{asked}</ol>'
