"""From which value on the model decides otherwise."""

from dataclasses import dataclass

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import OperationForm, OperationNode, OperationRule


@dataclass(frozen=True)
class Crossing(OperationNode):
    """`crossing glucose` (ours): the values of a feature at which the predicted class changes, all else as it is."""

    feature: str


FORMS = (
    OperationForm(
        Crossing,
        rules={"crossing": OperationRule('"crossing " feature', lambda children: Crossing(children[0]))},
        surface=lambda step: f"crossing {step.feature}",
        words=lambda step, schema: f"from which {feature_words(step.feature, schema)} on the prediction changes",
        shapes=("crossing F",),
        examples=lambda names: (
            {"Data: where a number tips the prediction": f"crossing {names.numeric}"} if names.numeric else {}
        ),
    ),
)
