"""What looks wrong in an answer though it may be right: its writer is warned and may insist."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz

from annotation.studies.plan import Warnings
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.tasks.task_type import ItemPart


@dataclass(frozen=True)
class AnswerWarning:
    """`rule` is the field of `[warnings]` that raised it, `name` the part of the answer that it is about."""

    rule: str
    name: str
    message: str


class Warned(CallRefusedError):
    """The answer was not taken yet; submit it again with `insist=True` if it is meant."""

    def __init__(self, warnings: tuple[AnswerWarning, ...]) -> None:
        super().__init__(Reason.WARNINGS, " ".join(each.message for each in warnings))
        self.warnings = warnings


def warnings_for(
    parts: Iterable[ItemPart], answer: Mapping[str, Any], rules: Warnings, elsewhere: Iterable[str] = ()
) -> tuple[AnswerWarning, ...]:
    """`elsewhere`: texts that this worker wrote lately, and that others wrote for the same item."""
    known = {plain(text): "in another answer" for text in elsewhere}
    warnings: list[AnswerWarning] = []
    for part in parts:
        if part.kind == "write" and part.name in answer:
            text = str(answer[part.name])
            warnings += _of_text(part, text, rules)
            if part.source and rules.duplicate and (key := known.get(plain(text))):
                warnings.append(AnswerWarning("duplicate", part.name, f"“{part.name}” stands {key} in the same words."))
            if part.source:
                known.setdefault(plain(text), f"in “{part.name}”")
    return tuple(warnings)


def plain(text: str) -> str:
    """A text as it is compared: without regard to case, blanks, and marks at its end."""
    return " ".join(text.split()).casefold().rstrip(".?! ")


def _of_text(part: ItemPart, text: str, rules: Warnings) -> Iterator[AnswerWarning]:
    if rules.empty and not any(letter.isalnum() for letter in text):
        yield AnswerWarning("empty", part.name, f"“{part.name}” holds no word.")
    if len(text) > rules.max_length:
        message = f"“{part.name}” has {len(text):,} characters, which is more than {rules.max_length:,}."
        yield AnswerWarning("max_length", part.name, message)
    if part.source and _likeness(text, part.source, rules.near_copy) >= rules.near_copy:
        yield AnswerWarning("near_copy", part.name, f"“{part.name}” is nearly the same as what was to be reworded.")
    if rules.missing_entity:
        for name in part.entities:
            if plain(name) not in plain(text):
                yield AnswerWarning("missing_entity", part.name, f"“{part.name}” does not name {name}.")


def _likeness(text: str, source: str, enough: float) -> float:
    # With the cut-off, texts of very different length are discarded at once.
    return fuzz.ratio(plain(text), plain(source), score_cutoff=100 * enough) / 100
