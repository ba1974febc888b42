"""The abstract syntax of the parse language and its surface: the one place to import it from.

A parse is a sequence of steps. A run of filters is one step, a `Selection`; everything else is an operation.
`operations/execution_engine.py` looks features and values up; the meaning of each step is in `operations/`.

Source: TalkToModel, Table 1 and appendix A.2; the operations that the paper lacks are marked "ours".
"""

from dataclasses import dataclass

from ttm.language.operation_form import OperationNode
from ttm.language.operations.data import CountData, DataSummary, Define, Distribution, ModelDescription, Show, Statistic
from ttm.language.operations.dialogue import AboutSystem, Capabilities, FollowUp, PreviousOperation
from ttm.language.operations.explanations import Counterfactual, Explain, Method
from ttm.language.operations.fairness import Fairness
from ttm.language.operations.groups import Compare, Correlate, Ranked, Similar
from ttm.language.operations.importance import Effect, Important, Interact
from ttm.language.operations.predictions import Label, Likelihood, Predict, Threshold
from ttm.language.operations.registry import FORMS
from ttm.language.operations.scores import METRICS, Mistake, Score
from ttm.language.selection import (
    SURFACES,
    CategoricalCondition,
    Change,
    ChangeKind,
    Comparator,
    Condition,
    Expression,
    IdCondition,
    Instance,
    Joiner,
    LabelCondition,
    MissingCondition,
    NumericCondition,
    PredictionCondition,
    PreviousFilter,
    ProbabilityCondition,
    Selection,
    number_text,
)

__all__ = [
    "METRICS", "AboutSystem", "Capabilities", "CategoricalCondition", "Change", "ChangeKind", "Comparator", "Compare",
    "Condition", "Correlate", "CountData", "Counterfactual", "DataSummary", "Define", "Distribution", "Effect", "Explain",
    "Expression", "Fairness", "FollowUp", "IdCondition", "Important", "Instance", "Interact", "Joiner", "Label",
    "LabelCondition", "Likelihood", "Method", "MissingCondition", "Mistake", "ModelDescription", "NumericCondition",
    "Operation", "Parse", "Predict", "PredictionCondition", "PreviousFilter", "PreviousOperation", "ProbabilityCondition",
    "Ranked", "Score", "Selection", "Show", "Similar", "Statistic", "Step", "Threshold", "number_text", "surface", "text_of",
]  # fmt: skip

Operation = OperationNode
Step = Selection | Instance | Operation


@dataclass(frozen=True)
class Parse:
    """A whole utterance, understood. `str()` gives its canonical surface, ending in ` [e]`."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return " ".join([*_joined(self.items()), "[e]"])

    def items(self) -> list[tuple[Joiner, str]]:
        """The filters and operations one by one, each with the word that joins it to what stands before it."""
        return [item for step in self.steps for item in _items(step)]


def text_of(items: list[tuple[Joiner, str]]) -> str:
    """The surface of a list of items as `Parse.items` gives it, perhaps edited; to be read by `grammar.read`."""
    return " ".join([*_joined(items), "[e]"])


def _joined(items: list[tuple[Joiner, str]]) -> list[str]:
    return [text if not i else f"{joiner} {text}" for i, (joiner, text) in enumerate(items)]


def _items(step: Step) -> list[tuple[Joiner, str]]:
    if not isinstance(step, Selection):
        return [(Joiner.AND, surface(step))]
    items: list[tuple[Joiner, str]] = []
    for group_number, group in enumerate(step.groups):
        for alternative_number, alternative in enumerate(group):
            for condition_number, condition in enumerate(alternative):
                if condition_number:
                    joiner = Joiner.AND
                elif alternative_number:
                    joiner = Joiner.OR
                else:
                    joiner = Joiner.VERSUS if group_number else step.joiner
                items.append((joiner, surface(condition)))
    return items


def surface(node: Condition | Instance | Operation) -> str:
    """One condition or operation in the parse language."""
    if isinstance(node, Operation) and type(node) in FORMS:
        return FORMS[type(node)].surface(node)
    return SURFACES[type(node)](node)
