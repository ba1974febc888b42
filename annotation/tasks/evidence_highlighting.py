"""Mark the words of a passage that an answer rests on, to compare with the keywords a model finds necessary.

Words are cut at blanks; where a script writes none (Chinese, Japanese), each character is a word.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from annotation.tasks.task_type import ItemPart, Items, Level, Stop, TaskResult, Values, Write
from faithfulness.method.keywords import occurrences

_WITHOUT_BLANKS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_WITHOUT_BLANKS}]|[^\s{_WITHOUT_BLANKS}]+")
ENOUGH = 0.5  # F1 of marked words at which an item with known evidence counts as done with attention


class Passage(BaseModel):
    """`keywords`: those that a model needs for its answer, if they are known; the worker does not see them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    context: str = Field(min_length=1)
    answer: str = ""
    keywords: tuple[str, ...] = ()


class EvidenceSettings(BaseModel):
    """`may_be_empty`: whether an answer may say that nothing in the passage is evidence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    may_be_empty: bool = False


class EvidenceHighlighting:
    title = "Marking of evidence"
    content = Passage
    settings = EvidenceSettings
    level: Level = "nominal"
    files: Mapping[str, Write] = {}

    def prepare(self, items: Items, settings: EvidenceSettings, seed: int) -> Items:
        return items

    def order(self, items: Items, settings: EvidenceSettings, index: int, seed: int) -> tuple[Stop, ...] | None:
        return None

    def parts(self, content: Passage, settings: EvidenceSettings, shown: Values) -> tuple[ItemPart, ...]:
        answer = [ItemPart("show", content.answer)] if content.answer else []
        words = tuple(content.context[start:end] for start, end in word_spans(content.context))
        marked = ItemPart("mark", content.context, "evidence", tokens=words, required=not settings.may_be_empty)
        return (ItemPart("show", content.question), *answer, marked)

    def check(self, content: Passage, settings: EvidenceSettings, answer: Values) -> None:
        pass

    def attention_passed(self, answer: Values, known: Values) -> bool:
        marked, expected = _numbers(answer.get("evidence", [])), _numbers(known["evidence"])
        return 2 * len(marked & expected) >= ENOUGH * (len(marked) + len(expected))

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        """Each word of the passage, marked or not."""
        marked = _numbers(result.answer.get("evidence", []))
        return {str(number): int(number in marked) for number in range(len(word_spans(result.content.context)))}

    def rows(self, results: Sequence[TaskResult], settings: EvidenceSettings) -> list[dict[str, Any]]:
        return [_row(result) for result in results]


def word_spans(context: str) -> list[tuple[int, int]]:
    """Where each word begins and ends, in characters."""
    return [match.span() for match in _WORD.finditer(context)]


def _numbers(spans: Sequence[Sequence[int]]) -> set[int]:
    return {number for first, behind in spans for number in range(first, behind)}


def _row(result: TaskResult) -> dict[str, Any]:
    content, words = result.content, word_spans(result.content.context)
    spans = [(words[first][0], words[behind - 1][1]) for first, behind in result.answer.get("evidence", [])]
    matches = {keyword: occurrences(keyword, content.context) for keyword in content.keywords}
    inside = [key for key, places in matches.items() if any(_inside(each.start, each.end, spans) for each in places)]
    overlapping = [
        span for span in spans if any(_meets(span, each.start, each.end) for places in matches.values() for each in places)
    ]
    return {
        "id": result.key,
        "question": content.question,
        "answer": content.answer,
        "evidence": [content.context[start:end] for start, end in spans],
        "characters": [list(span) for span in spans],
        "keywords": list(content.keywords),
        "keywords_marked": inside,
        "keyword_recall": len(inside) / len(matches) if matches else None,
        "span_precision": len(overlapping) / len(spans) if matches and spans else None,
        "worker": result.worker,
    }


def _inside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= start and end <= last for first, last in spans)


def _meets(span: tuple[int, int], start: int, end: int) -> bool:
    return span[0] < end and start < span[1]
