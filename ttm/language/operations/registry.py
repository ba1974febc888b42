"""Every operation of the language by its syntax tree: the grammar, words, corrections and templates are read from here."""

from ttm.language.operation_form import OperationForm, OperationNode
from ttm.language.operations.breakdowns import FORMS as BREAKDOWNS
from ttm.language.operations.crossing import FORMS as CROSSING
from ttm.language.operations.data import FORMS as DATA
from ttm.language.operations.dialogue import FORMS as DIALOGUE
from ttm.language.operations.explanations import FORMS as EXPLANATIONS
from ttm.language.operations.fairness import FORMS as FAIRNESS
from ttm.language.operations.groups import FORMS as GROUPS
from ttm.language.operations.importance import FORMS as IMPORTANCE
from ttm.language.operations.predictions import FORMS as PREDICTIONS
from ttm.language.operations.scatter import FORMS as SCATTER
from ttm.language.operations.scores import FORMS as SCORES

FORMS: dict[type[OperationNode], OperationForm] = {
    form.node: form
    for form in (
        *PREDICTIONS,
        *EXPLANATIONS,
        *IMPORTANCE,
        *CROSSING,
        *SCORES,
        *FAIRNESS,
        *BREAKDOWNS,
        *DATA,
        *GROUPS,
        *SCATTER,
        *DIALOGUE,
    )
}
