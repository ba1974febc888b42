"""Rewrite an utterance several times without changing what it means (TalkToModel, section 3: gold parse collection).

The worker never sees the parse; every rewrite keeps the parse of its original.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation.tasks.task_type import ItemPart, Items, Level, Stop, TaskResult, Values, Write, known_passed
from annotation.words.catalogue import translate
from backend.errors import AnnotationError


class Utterance(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    utterance: str = Field(min_length=1)
    parse: str = ""
    dataset: str = ""
    entities: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_reviewed_pairs(cls, fields: Any) -> Any:
        """An export of reviewed parses calls the accepted one `gold`, and the one before the review `proposed`."""
        if not isinstance(fields, dict) or "parse" in fields or not {"gold", "proposed"} & fields.keys():
            return fields
        row = {name: value for name, value in fields.items() if name not in ("gold", "proposed")}
        return row | {"parse": fields.get("gold") or fields.get("proposed") or ""}


class RewritingSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    rewrites: int = Field(8, ge=1, le=50)


class UtteranceRewriting:
    title = "Rewriting of utterances"
    content = Utterance
    settings = RewritingSettings
    level: Level = "nominal"
    files: Mapping[str, Write] = {}

    def prepare(self, items: Items, settings: RewritingSettings, seed: int) -> Items:
        return items

    def order(self, items: Items, settings: RewritingSettings, index: int, seed: int) -> tuple[Stop, ...] | None:
        return None

    def parts(self, content: Utterance, settings: RewritingSettings, shown: Values) -> tuple[ItemPart, ...]:
        asked = [
            ItemPart(
                "write",
                translate("In other words, {number}", number=number),
                f"rewrite_{number}",
                source=content.utterance,
                entities=content.entities,
            )
            for number in range(1, settings.rewrites + 1)
        ]
        return (ItemPart("show", content.utterance), *asked)

    def check(self, content: Utterance, settings: RewritingSettings, answer: Values) -> None:
        written: dict[str, str] = {}
        for name, text in answer.items():
            plain = " ".join(str(text).split()).casefold()
            if plain in written:
                raise AnnotationError(
                    translate(
                        "“{name}” says the same as “{other}”; write each in words of its own.", name=name, other=written[plain]
                    )
                )
            written[plain] = name

    def attention_passed(self, answer: Values, known: Values) -> bool:
        return known_passed(answer, known)

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        return {}

    def rows(self, results: Sequence[TaskResult], settings: RewritingSettings) -> list[dict[str, Any]]:
        """One row a rewrite: what `similarity_rating` takes as its items."""
        return [
            {
                "id": f"{result.key}/{result.worker}/{number}",
                "original": result.content.utterance,
                "rewrite": text,
                "parse": result.content.parse,
                "dataset": result.content.dataset,
            }
            for result in results
            for number, text in enumerate(result.answer.values(), 1)
        ]
