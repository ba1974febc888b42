"""The values by which answers were compared with a limit, as in "more than 40 million inhabitants": one query asks for them."""

from backend.errors import KnowledgeBaseError
from inspired.decomposition.steps import Decomposition, compose
from inspired.dialogue.intermediate_answers import LIMIT, IntermediateAnswer, words_of_node
from inspired.knowledge_base.engine import KnowledgeBase
from inspired.logical_form.arrangement import without_labels
from inspired.logical_form.forms import Filter, Literal, LogicalForm, RelationalExpression, Variable
from inspired.logical_form.sparql_writer import with_full_dates, write_sparql

SECONDS = 3.0
_ORDERED = ("<", ">", "<=", ">=")


def compared_values(decomposition: Decomposition, kb: KnowledgeBase) -> tuple[IntermediateAnswer, ...]:
    """Things with the value that a filter of the query compares; none where nothing is compared or no answer comes in time."""
    form = compose(decomposition)
    value = compared_variable(form)
    if value is None or form.returns is not None:
        return ()
    try:
        rows = kb.select(write_sparql(with_full_dates(without_labels(form)), beside=[value]), LIMIT, SECONDS).rows
    except KnowledgeBaseError:
        return ()
    pairs = [(row[0], row[1]) for row in rows if len(row) > 1]
    return tuple(
        IntermediateAnswer(thing, "", literal, words_of_node(literal, {}))
        for thing, literal in pairs
        if thing is not None and isinstance(literal, Literal)
    )


def compared_variable(form: LogicalForm) -> Variable | None:
    """What the last filter with a limit compares."""
    for each in reversed(form.patterns):
        comparison = each.condition if isinstance(each, Filter) else None
        if isinstance(comparison, RelationalExpression) and comparison.operator in _ORDERED:
            sides = (comparison.left, comparison.right)
            variable = next((side for side in sides if isinstance(side, Variable)), None)
            if variable not in (None, form.answer):
                return variable
    return None
