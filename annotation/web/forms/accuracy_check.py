"""A templated sub-question and its rephrasing, whether they ask for the same, and how it should read if not."""

from annotation.web.forms.fields import ItemForm, draw_field, shown_text

NAMES = ("Belongs to the question", "First: made by a machine", "Second: written by a person")


def draw(form: ItemForm) -> str:
    shown = form.shown
    names = NAMES[-len(shown) :]  # the question may be missing
    parts = "".join(
        f'<figure class="study-given"><figcaption>{name}</figcaption>{shown_text(part)}</figure>'
        for name, part in zip(names, shown, strict=True)
    )
    return parts + "".join(draw_field(form, part) for part in form.asked)
