"""A templated sub-question and its rephrasing, whether they ask for the same, and how it should read if not."""

from markupsafe import Markup

from annotation.web.forms.fields import ItemForm, draw_fields, figures
from annotation.words.catalogue import to_translate

NAMES = (
    to_translate("Belongs to the question"),
    to_translate("First: made by a machine"),
    to_translate("Second: written by a person"),
)


def draw(form: ItemForm) -> Markup:
    return figures(form.shown, NAMES[-len(form.shown) :]) + draw_fields(form)  # the question may be missing
