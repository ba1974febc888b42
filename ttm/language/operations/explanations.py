"""Why the model predicts what it does, for a row or a group, and what would have to change (TalkToModel, 2.2)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lark import Token

from ttm.language.describe_group import COMPARATORS, feature_words
from ttm.language.operation_form import ExampleNames, OperationForm, OperationNode, OperationRule, word
from ttm.language.selection import Comparator, number_text
from ttm.tabular.data.schema import Schema


class Method(StrEnum):
    """How features are weighed: `features` takes the most faithful method, `compare` shows all of them (ours).

    `paper` (ours) takes the most faithful one by equation 1 of the paper, with stability to break ties.
    """

    FEATURES = "features"
    LIME = "lime"
    SHAP = "shap"
    COMPARE = "compare"
    PAPER = "paper"


@dataclass(frozen=True)
class Explain(OperationNode):
    method: Method = Method.FEATURES


@dataclass(frozen=True)
class Counterfactual(OperationNode):
    """`explain cfe`; ours: a count, a wanted class (`class 1`) or, for regression, a wanted range (`greater than 20`).

    Then, also ours, what may change: `keep age` leaves a feature as it is, `only bmi` changes no others, `within glucose
    greater than 100` keeps a number on one side of a value, each as often as one likes; `most 2` changes at most two; and
    `dice` asks DiCE as well.
    """

    count: int | None = None
    class_number: int | None = None
    comparator: Comparator | None = None
    value: float | None = None
    keep: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    within: tuple["ChangeBound", ...] = ()
    most: int | None = None
    dice: bool = False


@dataclass(frozen=True)
class ChangeBound:
    """What a number has to be after a change: `within glucose greater equal than 100`."""

    feature: str
    comparator: Comparator
    value: float


METHODS = {
    Method.FEATURES: "why the model predicts what it does",
    Method.LIME: "why the model predicts what it does, by LIME",
    Method.SHAP: "why the model predicts what it does, by SHAP",
    Method.COMPARE: "why the model predicts what it does, by all methods side by side",
    Method.PAPER: "why the model predicts what it does, by the method that equation 1 of the paper chooses",
}


def _read(children: list[Any]) -> Counterfactual:
    count = next((child for child in children if isinstance(child, int)), None)
    number, comparator, value = next((child[1] for child in children if _is(child, "wanted")), (None, None, None))
    return Counterfactual(
        count,
        number,
        comparator,
        value,
        keep=tuple(dict.fromkeys(child[1] for child in children if _is(child, "keep"))),
        only=tuple(dict.fromkeys(child[1] for child in children if _is(child, "only"))),
        within=tuple(dict.fromkeys(child for child in children if isinstance(child, ChangeBound))),
        most=next((child[1] for child in children if _is(child, "most")), None),
        dice=any(isinstance(child, Token) for child in children),
    )


def _bound(children: list[Any]) -> ChangeBound:
    feature, comparator, value = children
    return ChangeBound(feature, Comparator(word(comparator)), float(value))


def _is(child: Any, kind: str) -> bool:
    return isinstance(child, tuple) and child[0] == kind


def _surface(step: Counterfactual) -> str:
    words = ["explain cfe"]
    if step.count is not None:
        words.append(str(step.count))
    if step.class_number is not None:
        words.append(f"class {step.class_number}")
    if step.comparator is not None and step.value is not None:
        words.append(f"{step.comparator} {number_text(step.value)}")
    words += [f"keep {name}" for name in step.keep] + [f"only {name}" for name in step.only]
    words += [f"within {one.feature} {one.comparator} {number_text(one.value)}" for one in step.within]
    words += [f"most {step.most}"] * (step.most is not None) + ["dice"] * step.dice
    return " ".join(words)


def _words(step: Counterfactual, schema: Schema) -> str:
    if step.class_number is not None:
        goal = f'be "{schema.target.classes[step.class_number]}"'
    elif step.comparator is not None and step.value is not None:
        goal = f"be {COMPARATORS[step.comparator]} {number_text(step.value)}"
    else:
        goal = "be different"
    if step.count is None:
        text = f"what would have to change for the prediction to {goal}"
    else:
        text = f"{step.count} {'way' if step.count == 1 else 'ways'} for the prediction to {goal}"
    return text + _limits_words(step, schema)


def _limits_words(step: Counterfactual, schema: Schema) -> str:
    """What may change, and that DiCE is asked."""
    kept, only = (" and ".join(feature_words(name, schema) for name in names) for names in (step.keep, step.only))
    text = f", by {only} only" if only else ""
    text += f", without changing {kept}" if kept else ""
    bounds = [
        f"{feature_words(one.feature, schema)} {COMPARATORS[one.comparator]} {number_text(one.value)}" for one in step.within
    ]
    text += f", with {' and '.join(bounds)}" if bounds else ""
    if step.most is not None:
        text += f", by at most {step.most} {'change' if step.most == 1 else 'changes'}"
    return text + (", asking DiCE too" if step.dice else "")


def _explain_examples(names: ExampleNames) -> dict[str, str]:
    return {
        "Model: why (the most faithful method)": "explain features",
        "Model: why, by LIME": "explain lime",
        "Model: why, by SHAP": "explain shap",
        "Model: why, methods compared": "explain compare",
        "Model: why, chosen as in the paper": "explain paper",
    }


def _counterfactual_examples(names: ExampleNames) -> dict[str, str]:
    return {
        "Model: what would have to change": "explain cfe",
        "Model: the same without changing a feature": f"explain cfe keep {names.some}",
    }


FORMS = (
    OperationForm(
        Explain,
        rules={"explain": OperationRule('"explain " METHOD', lambda children: Explain(Method(word(children[0]))))},
        terminals=lambda schema: {"METHOD": " | ".join(f'"{method} "' for method in Method)},
        surface=lambda step: f"explain {step.method}",
        words=lambda step, schema: METHODS[step.method],
        shapes=tuple(f"explain {method}" for method in Method),
        examples=_explain_examples,
    ),
    OperationForm(
        Counterfactual,
        rules={"counterfactual": OperationRule('"explain cfe " count? wanted? (keep | only | bound)* most? DICE?', _read)},
        parts={
            "keep": OperationRule('"keep " feature', lambda children: ("keep", children[0])),
            "only": OperationRule('"only " feature', lambda children: ("only", children[0])),
            "bound": OperationRule('"within " feature COMPARATOR number', _bound),
            "most": OperationRule('"most " count', lambda children: ("most", children[0])),
        },
        terminals=lambda schema: {"DICE": '"dice "'},
        surface=_surface,
        words=_words,
        shapes=(
            "explain cfe",
            "explain cfe N",
            "explain cfe class N",
            "explain cfe CMP N",
            "explain cfe keep F",
            "explain cfe only F",
            "explain cfe within F CMP N",
            "explain cfe most N",
            "explain cfe dice",
        ),
        examples=_counterfactual_examples,
    ),
)
