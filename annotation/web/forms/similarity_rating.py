"""Two utterances side by side, and a scale for how alike they are in meaning."""

from annotation.web.forms.fields import ItemForm, draw_field, shown_text
from annotation.words.catalogue import to_translate, translate

NAMES = (to_translate("First"), to_translate("Second"))


def draw(form: ItemForm) -> str:
    pair = "".join(
        f'<figure class="study-given"><figcaption>{translate(name)}</figcaption>{shown_text(part)}</figure>'
        for name, part in zip(NAMES, form.shown, strict=True)
    )
    return f'<div class="study-pair">{pair}</div>{"".join(draw_field(form, part) for part in form.asked)}'
