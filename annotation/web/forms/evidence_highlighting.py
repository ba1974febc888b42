"""A question, its answer, and the passage in which words are marked."""

from markupsafe import Markup

from annotation.web.forms.fields import HTML, ItemForm, draw_fields, figures
from annotation.words.catalogue import to_translate, translate

NAMES = (to_translate("Question"), to_translate("Answer"))


def draw(form: ItemForm) -> Markup:
    return figures(form.shown, NAMES) + HTML("heading", translate("Mark the words that show it")) + draw_fields(form)
