"""A templated sub-question and its rephrasing, whether they ask for the same, and how it should read if not."""

from annotation.web.forms.fields import ItemForm, draw_field, shown_text
from annotation.words.catalogue import to_translate, translate

NAMES = (
    to_translate("Belongs to the question"),
    to_translate("First: made by a machine"),
    to_translate("Second: written by a person"),
)


def draw(form: ItemForm) -> str:
    shown = form.shown
    names = NAMES[-len(shown) :]  # the question may be missing
    parts = "".join(
        f'<figure class="study-given"><figcaption>{translate(name)}</figcaption>{shown_text(part)}</figure>'
        for name, part in zip(names, shown, strict=True)
    )
    return parts + "".join(draw_field(form, part) for part in form.asked)
