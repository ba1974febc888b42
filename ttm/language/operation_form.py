"""What an operation is to the language: how it is written, read, named in words and proposed as an example."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lark import Token

from ttm.tabular.data.schema import FeatureKind, Schema


class OperationNode:
    """The base of every operation's syntax tree: a frozen dataclass of its arguments."""


@dataclass(frozen=True)
class OperationRule:
    """One way to write an operation: Lark text, and what its tree is read as. `only_if`: the data sets that have it.

    `text` may use what `grammar.FRAME` defines (`feature`, `feature_or_target`, `count`, `number`, `CLASS`, `wanted`). The
    children are what the text names, in its order, without the literal words.
    """

    text: str
    read: Callable[[list[Any]], Any]
    only_if: Callable[[Schema], bool] = lambda schema: True


@dataclass(frozen=True)
class OperationForm:
    """An operation of the parse language, complete but for what it does (`ttm/operations`).

    `rules` are the ways to write it, by the name of their tree; `parts` are rules that those use; `terminals` are Lark
    terminals by their name. `surface` writes a node back. `words` names in a noun phrase what the node asks for. `shapes` are
    its forms with F for a feature and N for a number or a class, as the templates are counted. `examples` are steps to choose
    from when a parse is corrected: what each does, and its text with the data set's own names.
    """

    node: type[OperationNode]
    rules: Mapping[str, OperationRule]
    surface: Callable[[Any], str]
    words: Callable[[Any, Schema], str]
    shapes: tuple[str, ...]
    examples: Callable[["ExampleNames"], dict[str, str]] = lambda names: {}
    parts: Mapping[str, OperationRule] = field(default_factory=dict)
    terminals: Callable[[Schema], Mapping[str, str]] = lambda schema: {}


@dataclass(frozen=True)
class ExampleNames:
    """Names of a data set for examples: any feature, and the first numeric one if there is one."""

    schema: Schema
    some: str
    numeric: str | None


def example_names(schema: Schema) -> ExampleNames:
    """Choose the features that examples speak of."""
    by_kind = {feature.kind: feature.token for feature in reversed(schema.features)}
    numeric = by_kind.get(FeatureKind.NUMERIC)
    some = numeric or by_kind.get(FeatureKind.CATEGORICAL) or by_kind.get(FeatureKind.BOOLEAN)
    return ExampleNames(schema, some or schema.features[0].token, numeric)


def is_classification(schema: Schema) -> bool:
    """Tell whether the data set has classes; `class N` is written only there."""
    return schema.target.is_classification


def predicts_quantity(schema: Schema) -> bool:
    """Tell whether the model predicts a number, which can be too high or too low."""
    return not schema.target.is_classification


def word(token: Token | str) -> str:
    """Return a token without the space that ends it."""
    return str(token).strip()


def plain(node: type[OperationNode], text: str, words: str, example: str = "") -> OperationForm:
    """Describe an operation of one word, without arguments; `example` is its label among the steps to choose from."""
    return OperationForm(
        node,
        rules={text: OperationRule(f'"{text} "', lambda children: node())},
        surface=lambda step: text,
        words=lambda step, schema: words,
        shapes=(text,),
        examples=lambda names: {example: text} if example else {},
    )
