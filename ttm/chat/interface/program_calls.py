"""What programs and agents call about models of tables: each call stands alone, and a conversation goes on by its name.

The docstrings are read by programs and language models: the first lines say what a call does, and each line under `Args:` what
a parameter means; such an entry must stay in one line. What comes back is one JSON object, described by its class.
"""

import secrets
import threading
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from backend.errors import ExecutionError
from backend.network.shares.fairly_kept import first_to_forget
from backend.network.shares.spending import SPENDING
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.interface.chat import ModelChat
from ttm.chat.interface.chat_answer import ChatAnswer
from ttm.operations.comparison.run import Comparison
from ttm.operations.counterfactuals.run import Alternatives
from ttm.operations.explanations.run import Reasons
from ttm.operations.fairness.run import FairnessByGroup
from ttm.operations.mistakes.run import TypicalMistakes
from ttm.operations.result_schema import any_result, one_of_results
from ttm.operations.results import Result
from ttm.tabular.data.schema import Feature

CONVERSATIONS_KEPT = 500
Json = dict[str, Any]


class FeatureFacts(BaseModel):
    """One column that the model reads."""

    name: str
    kind: Literal["numeric", "categorical", "boolean", "date"]
    definition: str
    unit: str
    values: list[Any] = Field(description="the values of a categorical or boolean column")
    low: float | None = Field(description="the smallest observed value; dates as ordinal days")
    high: float | None
    can_change: bool = Field(description="whether advice may propose to change it")


class CallFacts(BaseModel):
    """What a data set and its model are."""

    dataset: str
    datasets: list[str] = Field(description="the names of all data sets that this Parley offers")
    title: str
    objective: str = Field(description='completes "The model predicts ..."')
    rows: int
    entity: str = Field(description="what the rows are, in the plural")
    target: str
    classes: list[str] = Field(description="names of the classes; empty where a quantity is predicted")
    model: str
    features: list[FeatureFacts]
    first_ids: list[str] = Field(description="ids of the first rows")


class CallReading(BaseModel):
    """One way in which a question could be meant."""

    parse: str
    words: str
    confidence: float = Field(ge=0, le=1)


class CallAnswer(BaseModel):
    """The answer to a question, or a question back."""

    text: str = Field(description="the answer in words, or the question back")
    parse: str | None = Field(description="how it was understood, in the parse language; null if Parley asks back")
    words: str | None = Field(description="the same in English")
    confidence: float | None = Field(description="0 to 1, the probability that this was meant")
    unused: list[str] = Field(description="words that the answer does not rest on")
    readings: list[CallReading] = Field(description="all readings, best first")
    results: list[Json] = Field(
        description="an object with unrounded numbers for each operation, told apart by its type",
        json_schema_extra={"items": any_result()},
    )
    conversation: str = Field(description="give it to the next call, so that 'they' and 'it' refer to this one")


def _shape(*kinds: type[Result]) -> ConfigDict:
    """The schema of a result of one of these types, made from its class."""
    return ConfigDict(json_schema_extra=lambda schema: _replace(schema, one_of_results(*kinds)))


def _replace(schema: Json, by: Json) -> None:
    title = schema["title"]
    schema.clear()
    schema.update({"title": title} | by)


class ExplanationJson(RootModel[Json]):
    """Why the model predicts what it does for a row."""

    model_config = _shape(Reasons, Alternatives)


class ErrorsJson(RootModel[Json]):
    """Where the model is wrong: by rules, by the groups of a column, or for a quantity."""

    model_config = _shape(TypicalMistakes, FairnessByGroup, Comparison)


class CounterfactualsJson(RootModel[Json]):
    """What would have to be different."""

    model_config = _shape(Alternatives)


class ProgramCalls:
    """The calls, over the data sets of one process. Safe to use from several threads."""

    def __init__(self, subjects: SubjectCatalogue) -> None:
        self._subjects = subjects
        self._kept: dict[str, ModelChat] = {}  # the one used last at the end
        self._callers: dict[str, str] = {}  # by conversation, in the same order
        self._lock = threading.Lock()

    @property
    def calls(self) -> tuple[Callable[..., BaseModel], ...]:
        """All of them, by the names under which they are offered."""
        return (self.ttm_describe, self.ttm_ask, self.ttm_explain, self.ttm_errors, self.ttm_counterfactuals)

    def ttm_describe(self, dataset: str = "") -> CallFacts:
        """Say which data sets there are, and what one of them and its predictive model hold: columns, classes, ids.

        Args:
            dataset: The name of a data set that this Parley offers; empty for the default one.

        Returns:
            an object with title, objective, target, classes, features, first_ids, and the names of all data sets
        """
        chat = self._chat(dataset)
        schema, subject = chat.schema, chat.session.loaded.subject
        return CallFacts(
            dataset=dataset or self._subjects.default, datasets=list(self._subjects.names), title=schema.title,
            objective=schema.objective, rows=len(subject.dataset.frame), entity=schema.entity, target=schema.target.name,
            classes=list(schema.target.classes), model=subject.model.description,
            features=[_facts(feature) for feature in schema.features],
            first_ids=[str(one) for one in subject.dataset.frame.index[:10]],
        )  # fmt: skip

    def ttm_ask(self, message: str, dataset: str = "", conversation: str = "") -> CallAnswer:
        """Answer a question about a predictive model and its table, in plain language.

        It can be about rows, predictions, the reasons for them, what would change them, mistakes, scores, groups and columns.

        Args:
            message: The question, such as "why is the prediction for id 5 what it is?" or "how accurate is the model?".
            dataset: The name of a data set that this Parley offers; empty for the default one, or that of the conversation.
            conversation: What an earlier answer gave as its conversation, to go on from it; empty begins a new one.

        Returns:
            an object with text, parse, confidence, unused words, readings, results, and the conversation to go on with
        """
        name, chat = self.conversation(dataset, conversation)
        return _answered(chat.ask(message), name)

    def ttm_explain(
        self, id: str, method: Literal["features", "lime", "shap", "compare", "paper", "cfe"] = "features", dataset: str = ""
    ) -> ExplanationJson:
        """Explain why the model predicts what it does for one row of its table.

        Args:
            id: The id of the row, as the first column of the table has it.
            method: features (the most faithful), lime, shap, compare (all), paper (by equation 1), or cfe (counterfactuals).
            dataset: The name of a data set that this Parley offers; empty for the default one.

        Returns:
            the explanation as a JSON object
        """
        methods = ("features", "lime", "shap", "compare", "paper", "cfe")
        if method not in methods:
            raise ExecutionError(f"There is no method {method!r}; there are {', '.join(methods)}.")
        chat = self._chat(dataset)
        return ExplanationJson(
            _result(chat.counterfactuals(id.strip()) if method == "cfe" else chat.explain(id.strip(), method))
        )

    def ttm_errors(self, by: str = "", dataset: str = "") -> ErrorsJson:
        """Say where the model is wrong: rules for typical mistakes, or the error rates of the groups that a column makes.

        Args:
            by: The name of a column whose groups are compared, such as "age"; empty for rules over all columns.
            dataset: The name of a data set that this Parley offers; empty for the default one.

        Returns:
            the result as a JSON object with estimates, intervals and numbers of rows
        """
        return ErrorsJson(_result(self._chat(dataset).errors(by or None)))

    def ttm_counterfactuals(
        self, id: str, keep: list[str] | None = None, wanted: str = "", count: int = 3, dataset: str = ""
    ) -> CounterfactualsJson:
        """Find what would have to be different in one row for another prediction, cheapest first.

        Args:
            id: The id of the row, as the first column of the table has it.
            keep: The names of columns that have to stay as they are; may be empty.
            wanted: The class that is wanted, by its name; empty for any other prediction.
            count: How many ways to find, from 1 to 10.
            dataset: The name of a data set that this Parley offers; empty for the default one.

        Returns:
            the ways as a JSON object, each with its changes, cost and how many of slightly different rows it holds for
        """
        chat = self._chat(dataset)
        answer = chat.counterfactuals(id.strip(), keep or (), wanted=wanted or None, count=int(count))
        return CounterfactualsJson(_result(answer))

    def _chat(self, dataset: str) -> ModelChat:
        return ModelChat(self._subjects.load(dataset))

    def conversation(self, dataset: str, name: str) -> tuple[str, ModelChat]:
        """The chat of that name, or a new one. Raises ExecutionError for a name that is not, or no more, known."""
        with self._lock:
            kept = self._keep(name, self._kept.get(name))
        if name and kept is None:
            raise ExecutionError("This conversation is over or was never begun; leave conversation empty to begin one.")
        if kept is not None and not dataset:
            return name, kept
        chat = kept if kept is not None and kept.session.loaded is self._subjects.load(dataset) else self._chat(dataset)
        name = name or secrets.token_urlsafe(12)
        with self._lock:
            self._keep(name, chat)
        return name, chat

    def _keep(self, name: str, chat: ModelChat | None) -> ModelChat | None:
        """Put a conversation behind all others; of too many, who has most loses their oldest."""
        if chat is not None:
            self._kept.pop(name, None)
            caller = self._callers.pop(name, SPENDING.working_for())
            self._kept[name], self._callers[name] = chat, caller
            if len(self._kept) > CONVERSATIONS_KEPT:
                gone = first_to_forget(self._callers)
                del self._kept[gone], self._callers[gone]
        return chat


def _facts(feature: Feature) -> FeatureFacts:
    return FeatureFacts(
        name=feature.name, kind=feature.kind.value, definition=feature.definition, unit=feature.unit,
        values=list(feature.values), low=feature.low, high=feature.high, can_change=feature.mutable,
    )  # fmt: skip


def _answered(answer: ChatAnswer, conversation: str) -> CallAnswer:
    return CallAnswer(
        text=answer.text, parse=answer.parse, words=answer.words, confidence=answer.confidence, unused=list(answer.unused),
        readings=[CallReading(**vars(one)) for one in answer.readings], results=list(answer.results), conversation=conversation,
    )  # fmt: skip


def _result(answer: ChatAnswer) -> Json:
    """The result of the last operation. Raises ExecutionError with the reason if there is none."""
    result = answer.results[-1]
    if result["type"] in ("Refused", "Empty"):
        raise ExecutionError(result["reason"])
    return result
