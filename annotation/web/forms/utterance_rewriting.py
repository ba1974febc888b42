"""An utterance, and boxes to say it in other words."""

from markupsafe import Markup

from annotation.web.forms.fields import HTML, ItemForm, draw_field, figures
from annotation.words.catalogue import to_translate

CAPTION = to_translate("Say this in other words")


def draw(form: ItemForm) -> Markup:
    fields = [draw_field(form, part) for part in form.asked]
    return figures(form.shown, [CAPTION] * len(form.shown)) + HTML("rewrites", fields)
