"""Which features the model uses: importance, features together, and how the prediction moves with one."""

from dataclasses import dataclass

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import ExampleNames, OperationForm, OperationNode, OperationRule, word
from ttm.tabular.data.schema import Schema


@dataclass(frozen=True)
class Important(OperationNode):
    """`important age`, `important all`, `important topk 3`; `important bottomk 3` is ours. Both None means all."""

    feature: str | None = None
    count: int | None = None
    least: bool = False


@dataclass(frozen=True)
class Interact(OperationNode):
    """`interact`; two named features (`interact age bmi`) are ours."""

    features: tuple[str, str] | None = None


@dataclass(frozen=True)
class Effect(OperationNode):
    """`effect age` (ours): how the prediction moves with one feature (partial dependence)."""

    feature: str


@dataclass(frozen=True)
class SingleEffects(OperationNode):
    """`ice age` (ours): how the prediction of each single row moves with one feature."""

    feature: str


@dataclass(frozen=True)
class Dependence(OperationNode):
    """`dependence age` (ours): the SHAP values of one feature by its value."""

    feature: str


@dataclass(frozen=True)
class Otherwise(OperationNode):
    """`otherwise class` (ours): the predictions for every other value of a feature, all else as it is."""

    feature: str


def _important_surface(step: Important) -> str:
    if step.feature is not None:
        return f"important {step.feature}"
    if step.count is None:
        return "important all"
    return f"important {'bottomk' if step.least else 'topk'} {step.count}"


def _important_words(step: Important, schema: Schema) -> str:
    if step.feature is not None:
        return f"how important {feature_words(step.feature, schema)} is"
    if step.count is None:
        return "how important each feature is"
    return f"the {step.count} {'least' if step.least else 'most'} important features"


def _interact_words(step: Interact, schema: Schema) -> str:
    pair = " and ".join(feature_words(feature, schema) for feature in step.features or ())
    return f"how {pair} work together" if pair else "how features work together"


def _important_examples(names: ExampleNames) -> dict[str, str]:
    return {
        "Model: most important features": "important topk 3",
        "Model: importance of a feature": f"important {names.some}",
    }


FORMS = (
    OperationForm(
        Important,
        rules={
            "important_feature": OperationRule('"important " feature', lambda children: Important(feature=children[0])),
            "important_all": OperationRule('"important all "', lambda children: Important()),
            "important_ranked": OperationRule(
                '"important " END_OF_RANKING count',
                lambda children: Important(count=children[1], least=word(children[0]) == "bottomk"),
            ),
        },
        terminals=lambda schema: {"END_OF_RANKING": '"topk " | "bottomk "'},
        surface=_important_surface,
        words=_important_words,
        shapes=("important F", "important all", "important topk N", "important bottomk N"),
        examples=_important_examples,
    ),
    OperationForm(
        Interact,
        rules={
            "interact": OperationRule(
                '"interact " (feature feature)?',
                lambda children: Interact((children[0], children[1]) if children else None),
            )
        },
        surface=lambda step: " ".join(["interact", *(step.features or ())]),
        words=_interact_words,
        shapes=("interact", "interact F F"),
        examples=lambda names: {"Model: features together": "interact"},
    ),
    OperationForm(
        Effect,
        rules={"effect": OperationRule('"effect " feature', lambda children: Effect(children[0]))},
        surface=lambda step: f"effect {step.feature}",
        words=lambda step, schema: f"how the prediction moves with {feature_words(step.feature, schema)}",
        shapes=("effect F",),
        examples=lambda names: {"Data: effect of a number": f"effect {names.numeric}"} if names.numeric else {},
    ),
    OperationForm(
        SingleEffects,
        rules={"ice": OperationRule('"ice " feature', lambda children: SingleEffects(children[0]))},
        surface=lambda step: f"ice {step.feature}",
        words=lambda step, schema: f"how the prediction of each row moves with {feature_words(step.feature, schema)}",
        shapes=("ice F",),
        examples=lambda names: {"Data: effect on single rows": f"ice {names.numeric}"} if names.numeric else {},
    ),
    OperationForm(
        Dependence,
        rules={"dependence": OperationRule('"dependence " feature', lambda children: Dependence(children[0]))},
        surface=lambda step: f"dependence {step.feature}",
        words=lambda step, schema: f"the SHAP values of {feature_words(step.feature, schema)} by its value",
        shapes=("dependence F",),
        examples=lambda names: {"Model: SHAP values of a feature": f"dependence {names.some}"},
    ),
    OperationForm(
        Otherwise,
        rules={"otherwise": OperationRule('"otherwise " feature', lambda children: Otherwise(children[0]))},
        surface=lambda step: f"otherwise {step.feature}",
        words=lambda step, schema: f"the predictions for every other {feature_words(step.feature, schema)}",
        shapes=("otherwise F",),
        examples=lambda names: {"Change: every other value": f"otherwise {names.some}"},
    ),
)
