"""A term in a sentence or two, with the class that the model looks for."""

from collections.abc import Callable
from typing import Any

from ttm.language.terms import terms
from ttm.operations.rendering.answer import Answer, class_name
from ttm.operations.terms.run import TermMeaning
from ttm.tabular.data.schema import Schema


def term_meaning(result: TermMeaning, schema: Schema) -> Answer:
    """The definition, and a parse that shows what the term names in this data set."""
    term = terms()[result.term]
    two = len(schema.target.classes) == 2
    yes = schema.target.positive if two else 0
    positive = class_name(yes, schema) if two else "of a class"
    further = term.next.format(yes=yes, no=1 - yes) if two or "{" not in term.next else "score confusion"
    return Answer(term.text.replace("{positive}", positive), next_parses=(further,))


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {TermMeaning: term_meaning}
