"""What is asked of the conversation itself."""

from dataclasses import dataclass

from ttm.language.operation_form import OperationForm, OperationNode, OperationRule, plain, word


@dataclass(frozen=True)
class Capabilities(OperationNode):
    """`function`: what can be asked."""


@dataclass(frozen=True)
class AboutSystem(OperationNode):
    """`self`: what answers here."""


@dataclass(frozen=True)
class PreviousOperation(OperationNode):
    pass


@dataclass(frozen=True)
class FollowUp(OperationNode):
    pass


@dataclass(frozen=True)
class Significant(OperationNode):
    """`significant` (ours): whether the differences or connections in the last answer are beyond chance."""


@dataclass(frozen=True)
class NameRows(OperationNode):
    """`name "older women"` (ours): the rows that were selected get a name, by which later questions can speak of them."""

    name: str


FORMS = (
    plain(Capabilities, "function", "what I can do"),
    plain(AboutSystem, "self", "what I am"),
    plain(PreviousOperation, "previousoperation", "the same question as before", "The same question as before"),
    plain(Significant, "significant", "whether that is beyond chance", "Whether that is beyond chance"),
    plain(FollowUp, "followup", "more on the last answer", "More on the last answer"),
    OperationForm(
        NameRows,
        rules={"name_rows": OperationRule('"name " IDENTIFIER', lambda children: NameRows(word(children[0]).strip('"')))},
        surface=lambda step: f'name "{step.name}"',
        words=lambda step, schema: f"the name “{step.name}”",
        shapes=(),  # no templates: a name is free text, which `ttm/chat/remembered/named_groups.py` reads
        examples=lambda names: {"Give these rows a name": 'name "a name"'},
    ),
)
