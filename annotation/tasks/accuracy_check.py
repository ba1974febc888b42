"""Does a rephrasing say what its source says? A random share, or a list of suspects, is looked at (INSPIRED, appendix A.5).

A worker who finds it wrong puts the right words in its place, which gives the rate of errors before and after.
"""

import random
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation.tasks.task_type import ItemPart, Items, Level, Stop, TaskResult, Values, Write, known_passed
from annotation.words.catalogue import to_translate, translate
from backend.errors import AnnotationError

CLEANED = {"temp_sub_question": "template", "sub_question": "rephrased"}
ACCURATE, WRONG = to_translate("accurate"), to_translate("wrong")


class Rephrasing(BaseModel):
    """`template` is the sub-question that stands for the logical form; `question` the one it belongs to.

    `dialogue`, `side` and `sub_id`: where it stands in a file of dialogues, so that what is mended can be put back there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    template: str = Field(min_length=1)
    rephrased: str = Field(min_length=1)
    question: str = ""
    logical_form: str = ""
    dialogue: str = Field("", exclude_if=lambda name: not name)
    side: str = Field("", exclude_if=lambda side: not side)
    sub_id: str = Field("", coerce_numbers_to_str=True, exclude_if=lambda number: not number)

    @model_validator(mode="before")
    @classmethod
    def _from_cleaning(cls, fields: Any) -> Any:
        """`python -m inspired clean` and INSPIRED records have other names for the same."""
        if not isinstance(fields, dict):
            return fields
        return {CLEANED.get(name, name): value for name, value in fields.items()}


class AccuracySettings(BaseModel):
    """Which items are looked at: those named in `flagged` if it is given, else a random `share`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    share: float = Field(0.05, gt=0, le=1)
    flagged: tuple[str, ...] = ()


class AccuracyCheck:
    title = "Check of rephrasings"
    content = Rephrasing
    settings = AccuracySettings
    level: Level = "nominal"
    files: Mapping[str, Write] = {}

    def item_row(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """A line of `python -m inspired clean` with a name of its own, since several may be about one dialogue."""
        if "dialogue" in row or not {"id", "sub_id"} <= row.keys():
            return row
        side = row.get("side") or "gold"
        return {**row, "dialogue": str(row["id"]), "side": side, "id": f"{row['id']}/{side}/{row['sub_id']}"}

    def prepare(self, items: Items, settings: AccuracySettings, seed: int) -> Items:
        """Raises AnnotationError if a flagged item is not among them."""
        if not settings.flagged:
            chosen = set(random.Random(seed).sample(range(len(items)), ceil(len(items) * settings.share)))
            return [item for number, item in enumerate(items) if number in chosen]
        known = dict(items)
        if absent := [key for key in settings.flagged if key not in known]:
            raise AnnotationError(f"settings.flagged names {absent[0]!r}, but no item has this id.")
        return [(key, known[key]) for key in dict.fromkeys(settings.flagged)]

    def order(self, items: Items, settings: AccuracySettings, index: int, seed: int) -> tuple[Stop, ...] | None:
        return None

    def parts(self, content: Rephrasing, settings: AccuracySettings, shown: Values) -> tuple[ItemPart, ...]:
        context = [ItemPart("show", content.question)] if content.question else []
        return (
            *context,
            ItemPart("show", content.template),
            ItemPart("show", content.rephrased),
            ItemPart(
                "choose",
                translate("Does the second ask for the same as the first?"),
                "accurate",
                options=(ACCURATE, WRONG),
                labels=(translate(ACCURATE), translate(WRONG)),
            ),
            ItemPart(
                "write",
                translate("How it should read"),
                "edited",
                required=False,
                when=("accurate", WRONG),
                source=content.rephrased,
            ),
        )

    def check(self, content: Rephrasing, settings: AccuracySettings, answer: Values) -> None:
        if str(answer.get("edited", "")).strip() == content.rephrased.strip():
            raise AnnotationError(translate("“edited” is what stood there before; change it, or leave it empty."))

    def attention_passed(self, answer: Values, known: Values) -> bool:
        return known_passed(answer, known)

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        return {"accurate": result.answer["accurate"]}

    def rows(self, results: Sequence[TaskResult], settings: AccuracySettings) -> list[dict[str, Any]]:
        return [
            {
                "id": result.key,
                **result.content.model_dump(),
                "accurate": result.answer["accurate"] == ACCURATE,
                "edited": result.answer.get("edited"),
                "final": result.answer.get("edited") or result.content.rephrased,
                "worker": result.worker,
            }
            for result in results
        ]
