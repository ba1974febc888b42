"""Reading what a model replied: leniently in its form, strictly in its content.

Models put the three parts of section 3.4 under headings, in lists, in code fences, or begin with "Sure!". The labels count
wherever they stand, and of a label that stands twice the last one. What was not in the form that was asked for is read and
counted (`lenient`); what has no answer, or no keywords where they were asked for, is malformed and never guessed at.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from backend.models.language_models import Reply
from faithfulness.method.keywords import listed_keywords, read_keywords

_STRICT = re.compile(r"\s*Thought:\s*(.+?)[,;]?\s*Keywords:\s*(.*?)[,;]?\s*Short answer:\s*(.+?)\s*", re.IGNORECASE | re.DOTALL)
_NAMES = r"(?:thought(?: process)?|reasoning|explanation)|key[ -]?words?|(?:short |final )?answer"
_ENDS_LABEL = r"\s*[*_]*\s*[:\uff1a]\s*[*_]*"
# At the beginning of a line in any case, behind marks of lists and headings; inside a line with a capital letter only.
_LABEL = re.compile(
    rf"(?:^[ \t>#*_\-\u2022]*(?:\(?\d{{1,2}}[.)][ \t*_]*)?(?P<line>{_NAMES}){_ENDS_LABEL})"
    rf"|(?<!\w)[*_]*(?-i:(?=[A-Z]))(?P<inside>{_NAMES}){_ENDS_LABEL}",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class ReplyReading:
    """A reply as read. `malformed` says that it could not be; then `answer` is empty. `lenient` says that its form was not
    quite the one that was asked for."""

    answer: str
    keywords: tuple[str, ...] = ()
    thought: str = ""
    malformed: bool = False
    lenient: bool = False


MALFORMED = ReplyReading("", malformed=True)


class _Parts(BaseModel):
    """A guided reply of the chat protocol."""

    model_config = ConfigDict(extra="forbid", strict=True)

    thought: str
    keywords: list[str]
    short_answer: str


def read_three_parts(text: str, passage: str, answer_only: bool = False) -> ReplyReading:
    """Read thought, keywords and short answer, each after its label; with `answer_only` the answer is enough."""
    strict = _STRICT.fullmatch(text.replace("**", ""))
    if strict is not None and len(list(_LABEL.finditer(text))) == 3:
        thought, keywords, answer = strict.groups()
        return _reading(thought, read_keywords(keywords, passage), answer)
    parts = _labelled(_FENCE.sub("", text))
    if "answer" not in parts or ("keywords" not in parts and not answer_only):
        return read_json_parts(text, passage, answer_only) if "{" in text else MALFORMED
    keywords = parts.get("keywords", "").rstrip(" ,;")
    return _reading(parts.get("thought", ""), read_keywords(keywords, passage), parts["answer"], lenient=True)


def read_json_parts(text: str, passage: str = "", answer_only: bool = False) -> ReplyReading:
    """Read the three parts as one JSON object, whatever stands around it."""
    try:
        parts = _Parts.model_validate_json(text)
    except ValidationError:
        return _loose_json(text, passage, answer_only)
    return _reading(parts.thought, listed_keywords(parts.keywords, passage), parts.short_answer)


def read_continuation(text: str, passage: str) -> ReplyReading:
    """Read the answer in the first line, and the keywords behind "Keywords:" in the next one."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if len(lines) > 1 and lines[0] and not _LABEL.match(lines[0]) and lines[1].lower().startswith("keywords:"):
        return _reading("", read_keywords(lines[1][len("keywords:") :], passage), lines[0])
    parts = _labelled(f"Answer: {text.lstrip()}" if not _LABEL.match(text.lstrip()) else text)
    if "answer" not in parts or "keywords" not in parts:
        return MALFORMED
    keywords = parts["keywords"].strip().splitlines()[0] if parts["keywords"].strip() else ""
    return _reading("", read_keywords(keywords, passage), parts["answer"], lenient=True)


def read_answer(text: str) -> ReplyReading:
    """Read a reply that is asked to be the answer alone."""
    return _reading("", (), text)


def answer_probability(reply: Reply, reading: ReplyReading) -> float | None:
    """Return how probable the model found the answer that was read, after what it wrote before it; None where not known.

    It is the product over the tokens of the answer: where the reply begins with it, there, else where it stands last. Where
    nothing else was written, the probability of the whole reply will do.
    """
    if reading.malformed or reply.log_probability is None:
        return None
    whole = "".join(token for token, _ in reply.tokens)
    begins = whole.lstrip().startswith(reading.answer)
    start = whole.find(reading.answer) if begins else whole.rfind(reading.answer)
    if start < 0 or not whole:
        return math.exp(min(0.0, reply.log_probability)) if reply.text.strip() == reading.answer else None
    total, at = 0.0, 0
    for token, number in reply.tokens:
        if at < start + len(reading.answer) and at + len(token) > start:
            total += number
        at += len(token)
    return math.exp(min(0.0, total))


def _labelled(text: str) -> dict[str, str]:
    """What stands behind each kind of label up to the next one; the last that has any text wins."""
    labels = list(_LABEL.finditer(text))
    parts: dict[str, str] = {}
    ends = [*(label.start() for label in labels[1:]), len(text)]
    for label, end in zip(labels, ends, strict=False):
        value = text[label.end() : end]
        kind = _kind(label["line"] or label["inside"])
        if value.strip() or kind not in parts:
            parts[kind] = value
    return parts


def _kind(label: str) -> str:
    label = label.lower()
    return "answer" if label.endswith("answer") else "keywords" if label.startswith("key") else "thought"


def _loose_json(text: str, passage: str, answer_only: bool) -> ReplyReading:
    start, end = text.find("{"), text.rfind("}")
    try:
        parts = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except ValueError:
        return MALFORMED
    if not isinstance(parts, Mapping):
        return MALFORMED
    named = {_kind(str(name).replace("_", " ")): value for name, value in parts.items()}
    keywords, answer = named.get("keywords"), named.get("answer")
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = str(answer)
    if not isinstance(answer, str) or (keywords is None and not answer_only):
        return MALFORMED
    return _reading(str(named.get("thought", "")), _json_keywords(keywords, passage), answer, lenient=True)


def _json_keywords(keywords: Any, passage: str) -> tuple[str, ...]:
    listed = keywords if isinstance(keywords, list) else None
    return listed_keywords([str(each) for each in listed], passage) if listed else read_keywords(str(keywords or ""), passage)


def _reading(thought: str, keywords: tuple[str, ...], answer: str, lenient: bool = False) -> ReplyReading:
    """`answer` is its first line with a letter or digit in it; without one the reply is malformed."""
    lines = [_FENCE.sub("", line).strip().strip("*`").strip() for line in answer.splitlines()]
    first = next((line for line in lines if any(map(str.isalnum, line))), "")
    return ReplyReading(first, keywords, thought.strip(), lenient=lenient) if first else MALFORMED
