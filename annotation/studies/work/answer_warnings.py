"""What looks wrong in an answer though it may be right: its writer is warned and may insist."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz

from annotation.studies.plan import Warnings
from annotation.studies.quality.answer_signals import Signals, text_signals
from annotation.studies.quality.rewording import (
    is_of_assistant,
    is_other_language,
    keeps_source,
    missing_names,
    only_names,
)
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.tasks.task_type import ItemPart
from annotation.words.catalogue import translate


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
    parts: Iterable[ItemPart], answer: Mapping[str, Any], rules: Warnings, earlier: Iterable[Signals] = ()
) -> tuple[AnswerWarning, ...]:
    """`earlier`: the signals of texts that this worker wrote lately. Who words the same source in the same way again is right;
    what others wrote to the item cannot be seen, so that likeness to it is no fault."""
    sources: dict[str, str] = {text["text"]: text["source"] for text in earlier}
    here: dict[str, str] = {}
    warnings: list[AnswerWarning] = []
    for part in parts:
        if part.kind == "write" and part.name in answer:
            text = str(answer[part.name])
            warnings += _of_text(part, text, rules)
            if part.source and rules.duplicate and (where := _where_before(part, text, sources, here)):
                warnings.append(AnswerWarning("duplicate", part.name, where))
            if part.source:
                here.setdefault(plain(text), part.name)
    return tuple(warnings)


def _where_before(part: ItemPart, text: str, sources: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """That the same words stand for something else, in another answer or in another part of this one; None if they do not."""
    if other := here.get(plain(text)):
        return translate("“{name}” stands in “{other}” in the same words.", name=part.name, other=other)
    signals = text_signals(text, part.source)
    known = sources.get(signals["text"])
    if known is None or known == signals["source"]:
        return None
    return translate("“{name}” stands in another answer in the same words.", name=part.name)


def plain(text: str) -> str:
    """A text as it is compared: without regard to case, blanks, and marks at its end."""
    return " ".join(text.split()).casefold().rstrip(".?! ")


def _of_text(part: ItemPart, text: str, rules: Warnings) -> Iterator[AnswerWarning]:
    if rules.empty and not any(letter.isalnum() for letter in text):
        yield AnswerWarning("empty", part.name, translate("“{name}” holds no word.", name=part.name))
    if len(text) > rules.max_length:
        message = translate(
            "“{name}” has {count:,} characters, which is more than {max_length:,}.",
            name=part.name,
            count=len(text),
            max_length=rules.max_length,
        )
        yield AnswerWarning("max_length", part.name, message)
    if rules.missing_entity:
        for name in missing_names(text, part.entities):
            yield AnswerWarning(
                "missing_entity", part.name, translate("“{name}” does not name {missing}.", name=part.name, missing=name)
            )
    if part.source and any(letter.isalnum() for letter in text):
        yield from _of_rewording(part, text, rules)


def _of_rewording(part: ItemPart, text: str, rules: Warnings) -> Iterator[AnswerWarning]:
    name, source = part.name, part.source
    if keeps_source(text, source) or fuzz.ratio(plain(text), plain(source)) >= 100 * rules.near_copy:
        yield AnswerWarning("near_copy", name, translate("“{name}” is nearly the same as what was to be reworded.", name=name))
    if rules.only_names and only_names(text, part.entities):
        yield AnswerWarning(
            "only_names", name, translate("“{name}” holds hardly more than names; write a whole sentence.", name=name)
        )
    if rules.assistant and is_of_assistant(text, source):
        yield AnswerWarning(
            "assistant", name, translate("“{name}” speaks about the task; write only the sentence itself.", name=name)
        )
    if rules.other_language and is_other_language(text, source, part.entities):
        yield AnswerWarning(
            "other_language", name, translate("“{name}” does not read like a sentence in the language asked for.", name=name)
        )
