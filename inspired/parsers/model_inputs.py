"""How a question, a correction or a step is written down for a trained model.

What a model is given and has to say (section 5):

| task        | source                                                                     | target                     |
|-------------|----------------------------------------------------------------------------|----------------------------|
| parser      | question                                                                   | logical form               |
| correction  | sub-question given as feedback, history of sub-questions and their forms   | sub-logical form           |
| subquestion | sub-logical form, its template, complex question, earlier templates        | sub-question of a person   |

Parts are separated by ` | `, which the paper leaves open.
"""

from collections.abc import Iterable, Mapping, Sequence

from inspired.parsers.placeholders import Placeholders

SEPARATOR = " | "


def question_source(question: str, placeholders: Placeholders) -> str:
    return placeholders.in_text(question) + placeholders.unmentioned()


def correction_source(
    feedback: str,
    history: Sequence[tuple[str, str]],
    ids: tuple[str, ...],
    placeholders: Placeholders,
    mentions: Mapping[str, str] | None = None,
) -> str:
    """`history` holds the sub-question and the compact form, with placeholders for `ids`, of each earlier step.

    `mentions` are the words by which `feedback` speaks of entities, by id, where those are not their names.
    """
    forms = [placeholders.in_form(form, ids) for _, form in history]
    turns = [f"{placeholders.in_text(question)} = {form}" for (question, _), form in zip(history, forms, strict=True)]
    shown = placeholders if mentions is None else Placeholders(mentions, placeholders.ids)
    return SEPARATOR.join([shown.in_text(feedback), *turns])


def subquestion_source(
    form: str, ids: tuple[str, ...], template: str, question: str, earlier: Iterable[str], placeholders: Placeholders
) -> str:
    """`form` is a compact sub-logical form with placeholders for `ids`; `template` and `earlier` are templated questions."""
    parts = [template, question, *earlier]
    return SEPARATOR.join([placeholders.in_form(form, ids), *(placeholders.in_text(each) for each in parts)])
