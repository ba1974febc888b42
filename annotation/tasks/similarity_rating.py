"""How alike are an utterance and its rewrite in meaning, from 1 to 4? What scores 3.0 and more on average is kept.

TalkToModel, section 3: five ratings for each rewrite; the kept pairs are the gold suite.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from annotation.parses.gold_suite import one_line, suite_text
from annotation.tasks.task_type import ItemPart, Items, Level, Stop, TaskResult, Values
from annotation.words.catalogue import to_translate, translate

SCALE = (1, 4)
STEPS = (
    to_translate("1: another meaning"),
    to_translate("2: partly the same"),
    to_translate("3: nearly the same"),
    to_translate("4: the same meaning"),
)
TOLERANCE = 1  # how far from the known rating an attentive one may be


class RewrittenPair(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    original: str = Field(min_length=1)
    rewrite: str = Field(min_length=1)
    parse: str = ""
    dataset: str = ""


class RatingSettings(BaseModel):
    """`ratings`: a pair with fewer is not kept, however good they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keep: float = Field(3.0, ge=1, le=4)
    ratings: int = Field(5, ge=1)


class SimilarityRating:
    title = "Rating of rewrites"
    content = RewrittenPair
    settings = RatingSettings
    level: Level = "ordinal"

    @property
    def files(self) -> dict[str, Any]:
        return {"gold_suite.txt": gold_suite}

    def prepare(self, items: Items, settings: RatingSettings, seed: int) -> Items:
        return items

    def order(self, items: Items, settings: RatingSettings, index: int, seed: int) -> tuple[Stop, ...] | None:
        return None

    def parts(self, content: RewrittenPair, settings: RatingSettings, shown: Values) -> tuple[ItemPart, ...]:
        return (
            ItemPart("show", content.original),
            ItemPart("show", content.rewrite),
            ItemPart("rate", translate("Do both mean the same?"), "rating", options=tuple(map(translate, STEPS)), scale=SCALE),
        )

    def check(self, content: RewrittenPair, settings: RatingSettings, answer: Values) -> None:
        pass

    def attention_passed(self, answer: Values, known: Values) -> bool:
        return abs(int(answer["rating"]) - int(known["rating"])) <= TOLERANCE

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        return {"rating": result.answer["rating"]}

    def rows(self, results: Sequence[TaskResult], settings: RatingSettings) -> list[dict[str, Any]]:
        """One row a pair, with its mean rating and whether it is kept."""
        by_pair: dict[str, list[TaskResult]] = defaultdict(list)
        for result in results:
            by_pair[result.key].append(result)
        return [_row(key, ratings, settings) for key, ratings in by_pair.items()]


def _row(key: str, results: list[TaskResult], settings: RatingSettings) -> dict[str, Any]:
    ratings = [int(result.answer["rating"]) for result in results]
    mean = fmean(ratings)
    kept = len(ratings) >= settings.ratings and mean >= settings.keep
    return {"id": key, **results[0].content.model_dump(), "ratings": ratings, "mean": mean, "kept": kept}


def gold_suite(results: Sequence[TaskResult], settings: RatingSettings) -> str:
    """The kept rewrites with the parses of their originals; an utterance that is kept twice stands there once."""
    kept = [row for row in SimilarityRating().rows(results, settings) if row["kept"] and row["parse"]]
    pairs = {one_line(row["rewrite"]): row["parse"] for row in kept}
    return suite_text(pairs.items())
