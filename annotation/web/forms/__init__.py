"""How the items of each task type look, with fields for what is asked."""

from collections.abc import Callable

from markupsafe import Markup

from annotation.tasks.task_type import ItemPart
from annotation.web.forms import (
    accuracy_check,
    custom,
    evidence_highlighting,
    inspired_dialogue,
    similarity_rating,
    user_study,
    utterance_rewriting,
)
from annotation.web.forms.answers_read import value_html
from annotation.web.forms.fields import ItemForm, draw_field, figure
from annotation.web.prose import joined


def form_of(task: str) -> Callable[[ItemForm], Markup]:
    """How the items of a task type look; of one that was added, its parts one below the other."""
    return FORMS.get(task, _one_below_the_other)


def _one_below_the_other(form: ItemForm) -> Markup:
    return joined(figure(part) for part in form.shown) + joined(_asked(form, part) for part in form.asked)


def _asked(form: ItemForm, part: ItemPart) -> Markup:
    return value_html(part, form.handed_in[part.name]) if part.name in form.handed_in else draw_field(form, part)


FORMS: dict[str, Callable[[ItemForm], Markup]] = {
    "accuracy_check": accuracy_check.draw,
    "custom": custom.draw,
    "evidence_highlighting": evidence_highlighting.draw,
    "inspired_dialogue": inspired_dialogue.draw,
    "similarity_rating": similarity_rating.draw,
    "user_study": user_study.draw,
    "utterance_rewriting": utterance_rewriting.draw,
}
