"""How the items of each task type look, with fields for what is asked."""

from collections.abc import Callable

from annotation.web.forms import (
    accuracy_check,
    custom,
    evidence_highlighting,
    inspired_dialogue,
    similarity_rating,
    user_study,
    utterance_rewriting,
)
from annotation.web.forms.fields import ItemForm

FORMS: dict[str, Callable[[ItemForm], str]] = {
    "accuracy_check": accuracy_check.draw,
    "custom": custom.draw,
    "evidence_highlighting": evidence_highlighting.draw,
    "inspired_dialogue": inspired_dialogue.draw,
    "similarity_rating": similarity_rating.draw,
    "user_study": user_study.draw,
    "utterance_rewriting": utterance_rewriting.draw,
}
