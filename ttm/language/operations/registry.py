"""Every operation of the language by its syntax tree: the grammar, words, corrections and templates are read from here."""

from importlib import import_module

from ttm.language.operation_form import OperationForm, OperationNode

# The files beside this one, by name, so that a new one is one line. Each has FORMS.
FAMILIES = (
    "predictions",
    "explanations",
    "importance",
    "crossing",
    "scores",
    "fairness",
    "breakdowns",
    "data",
    "groups",
    "scatter",
    "dialogue",
)


def _forms(family: str) -> tuple[OperationForm, ...]:
    forms: tuple[OperationForm, ...] = import_module(f"ttm.language.operations.{family}").FORMS
    return forms


FORMS: dict[type[OperationNode], OperationForm] = {form.node: form for family in FAMILIES for form in _forms(family)}
