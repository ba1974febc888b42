"""A question, its answer, and the passage in which words are marked."""

from annotation.web.forms.fields import ItemForm, draw_field, shown_text

NAMES = ("Question", "Answer")


def draw(form: ItemForm) -> str:
    parts = "".join(
        f'<figure class="study-given"><figcaption>{name}</figcaption>{shown_text(part)}</figure>'
        for name, part in zip(NAMES, form.shown, strict=False)
    )
    head = "<h4>Mark the words that show it</h4>"
    return f"{parts}{head}{''.join(draw_field(form, part) for part in form.asked)}"
