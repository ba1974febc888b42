"""What is asked of the conversation itself."""

from dataclasses import dataclass

from ttm.language.operation_form import OperationNode, plain


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


FORMS = (
    plain(Capabilities, "function", "what I can do"),
    plain(AboutSystem, "self", "what I am"),
    plain(PreviousOperation, "previousoperation", "the same question as before", "The same question as before"),
    plain(Significant, "significant", "whether that is beyond chance", "Whether that is beyond chance"),
    plain(FollowUp, "followup", "more on the last answer", "More on the last answer"),
)
