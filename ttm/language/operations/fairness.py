"""How groups are treated."""

from dataclasses import dataclass

from backend.text.words import listed
from ttm.language.describe_group import feature_words
from ttm.language.operation_form import ExampleNames, OperationForm, OperationNode, OperationRule, is_classification, word
from ttm.language.selection import number_text
from ttm.tabular.data.schema import Schema


@dataclass(frozen=True)
class Fairness(OperationNode):
    """`fairness woman`, `fairness woman class 0` (ours): rates of right and wrong predictions of a class by group.

    The class is the last of two where it is None; of several it has to be named.
    """

    feature: str
    class_number: int | None = None


@dataclass(frozen=True)
class ThresholdByGroup(OperationNode):
    """`A versus B and threshold 0.3 0.6` (ours): a decision threshold for each of the groups side by side, in their order.

    The positive class of two is predicted from it on in the rest of this turn. Alone it is a what-if: the rates then and now.
    """

    values: tuple[float, ...]


def _words(step: Fairness, schema: Schema) -> str:
    of = "" if step.class_number is None else f' with "{schema.target.classes[step.class_number]}"'
    return f"how fairly groups by {feature_words(step.feature, schema)} are treated{of}"


def _examples(names: ExampleNames) -> dict[str, str]:
    target = names.schema.target
    of = " class 1" if len(target.classes) > 2 else ""
    return {"Model: fairness by group": f"fairness {names.some}{of}"} if target.is_classification else {}


def _thresholds_words(step: ThresholdByGroup, schema: Schema) -> str:
    return f"what decision thresholds of {listed([f'{value:g}' for value in step.values])} do"


FORMS = (
    OperationForm(
        Fairness,
        rules={
            "fairness": OperationRule('"fairness " feature', lambda children: Fairness(children[0])),
            "fairness_of_class": OperationRule(
                '"fairness " feature "class " CLASS',
                lambda children: Fairness(children[0], int(word(children[1]))),
                is_classification,
            ),
        },
        surface=lambda step: f"fairness {step.feature}" + ("" if step.class_number is None else f" class {step.class_number}"),
        words=_words,
        shapes=("fairness F", "fairness F class N"),
        examples=_examples,
    ),
    OperationForm(
        ThresholdByGroup,
        rules={
            "threshold_by_group": OperationRule(
                '"threshold " number number+', lambda children: ThresholdByGroup(tuple(children))
            )
        },
        surface=lambda step: f"threshold {' '.join(number_text(value) for value in step.values)}",
        words=_thresholds_words,
        shapes=(),  # no templates: it is reached by groups with a number each, which plain_requests hears by their structure
    ),
)
