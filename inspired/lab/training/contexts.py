"""Which context a model is given: the ablations of Tables 10, 12 and 13 (sections 5.1 and 5.2).

In the paper's letters: p is the sub-logical form, q^t its templated question, q_c the complex question; h_q, h_lf and
h_qt are the sub-questions, sub-logical forms and templated questions of the turns before.
"""

from collections.abc import Mapping, Sequence

from backend.errors import InspiredError
from inspired.parsers.model_inputs import SEPARATOR, correction_source, subquestion_source
from inspired.parsers.placeholders import Placeholders

# Name -> the parts of a source beside what it always has: the feedback (correction), the sub-logical form (subquestion).
CORRECTION: dict[str, tuple[str, ...]] = {
    "none": (),
    "h_q": ("h_q",),
    "h_lf": ("h_lf",),
    "h_q+h_lf": ("h_q", "h_lf"),
}
SUBQUESTION: dict[str, tuple[str, ...]] = {
    "p": (),
    "none": ("q_t",),
    "h_qt": ("q_t", "h_qt"),
    "q_c": ("q_t", "q_c"),
    "q_c+h_qt": ("q_t", "q_c", "h_qt"),
    "q_c+h_qt+h_lf": ("q_t", "q_c", "h_qt", "h_lf"),
}
CONTEXTS: dict[str, dict[str, tuple[str, ...]]] = {"parser": {}, "correction": CORRECTION, "subquestion": SUBQUESTION}
# What worked best in the paper, and what is given when a question is asked.
USUAL = {"parser": "", "correction": "h_q+h_lf", "subquestion": "q_c+h_qt"}


def checked_context(task: str, context: str | None) -> str:
    """`context`, or the usual one of `task` for None; "" for a task without. Raises InspiredError for any other."""
    if context is None:
        return USUAL[task]
    if not CONTEXTS[task]:
        raise InspiredError(f"--context {context}: a parser is given the question alone; --context is for other tasks.")
    if context not in CONTEXTS[task]:
        raise InspiredError(f"--context {context} is none of {task}; valid are {', '.join(CONTEXTS[task])}.")
    return context


def trained_for(task: str, context: str) -> str:
    """What a model was trained for, as its folder says; only one with the usual context is a `task` without more ado.

    So a model of an ablation is refused where questions are asked, as they come with the usual context there.
    """
    return task if context == USUAL[task] else f"{task} with the context {context}"


def correction_input(
    feedback: str,
    history: Sequence[tuple[str, str]],
    ids: tuple[str, ...],
    placeholders: Placeholders,
    context: str,
    mentions: Mapping[str, str] | None = None,
) -> str:
    """The source of a correction with the parts of the history that `context` names; the rest as `correction_source`."""
    parts = CORRECTION[context]
    if len(parts) != 1:
        return correction_source(feedback, history if parts else (), ids, placeholders, mentions)
    if parts == ("h_q",):
        turns = [placeholders.in_text(question) for question, _ in history]
    else:
        turns = [placeholders.in_form(form, ids) for _, form in history]
    shown = placeholders if mentions is None else Placeholders(mentions, placeholders.ids)
    return SEPARATOR.join([shown.in_text(feedback), *turns])


def subquestion_input(
    turn: tuple[str, str],
    question: str,
    earlier: Sequence[tuple[str, str]],
    ids: tuple[str, ...],
    placeholders: Placeholders,
    context: str,
) -> str:
    """The source of a sub-question; `turn` and each of `earlier` are a templated question and a compact form.

    With the usual context, that of `subquestion_source`.
    """
    parts, (template, form) = SUBQUESTION[context], turn
    if context == USUAL["subquestion"]:
        return subquestion_source(form, ids, template, question, [each for each, _ in earlier], placeholders)
    texts = [template] if "q_t" in parts else []
    texts += [question] if "q_c" in parts else []
    texts += [each for each, _ in earlier] if "h_qt" in parts else []
    written = [placeholders.in_form(form, ids), *map(placeholders.in_text, texts)]
    written += [placeholders.in_form(each, ids) for _, each in earlier] if "h_lf" in parts else []
    return SEPARATOR.join(written)
