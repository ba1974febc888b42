"""Two utterances side by side, and a scale for how alike they are in meaning."""

from markupsafe import Markup

from annotation.web.forms.fields import HTML, ItemForm, draw_fields, figures
from annotation.words.catalogue import to_translate

NAMES = (to_translate("First"), to_translate("Second"))


def draw(form: ItemForm) -> Markup:
    return HTML("pair", figures(form.shown, NAMES)) + draw_fields(form)
