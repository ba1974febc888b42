"""An utterance, and boxes to say it in other words."""

from annotation.web.forms.fields import ItemForm, draw_field, shown_text


def draw(form: ItemForm) -> str:
    shown = "".join(f"<figure class=\"study-given\"><figcaption>Say this in other words</figcaption>{shown_text(part)}</figure>"
                    for part in form.shown)  # fmt: skip
    asked = "".join(f"<li>{draw_field(form, part)}</li>" for part in form.asked)
    return f'{shown}<ol class="study-rewrites">{asked}</ol>'
