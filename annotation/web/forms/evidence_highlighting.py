"""A question, its answer, and the passage in which words are marked."""

from annotation.web.forms.fields import ItemForm, draw_field, shown_text
from annotation.words.catalogue import to_translate, translate

NAMES = (to_translate("Question"), to_translate("Answer"))


def draw(form: ItemForm) -> str:
    parts = "".join(
        f'<figure class="study-given"><figcaption>{translate(name)}</figcaption>{shown_text(part)}</figure>'
        for name, part in zip(NAMES, form.shown, strict=False)
    )
    head = f"<h4>{translate('Mark the words that show it')}</h4>"
    return f"{parts}{head}{''.join(draw_field(form, part) for part in form.asked)}"
