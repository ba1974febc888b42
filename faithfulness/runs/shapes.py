"""The shapes in which question answering data come: SQuAD, HotpotQA, TriviaQA, Natural Questions, RAGAS and their like.

A record becomes a `ShapedRow`, whatever its columns are called and however deep its passages and answers lie in them.
"""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.errors import FaithfulnessError

# What is read -> the columns that hold it, the first that is there and not empty. In RAGAS rows `answer` is a reply to be
# judged, and the accepted one stands under `ground_truth` or `reference`.
COLUMNS: dict[str, tuple[str, ...]] = {
    "question": ("question", "query", "user_input", "prompt", "q"),
    "context": (
        "context", "contexts", "ctxs", "passage", "passages", "paragraphs", "retrieved_contexts", "documents", "document",
        "entity_pages", "search_results", "text",
    ),
    "answers": (
        "ground_truth", "ground_truths", "reference", "answers", "answer", "accepted_answers", "short_answers", "short_answer",
        "gold", "golds", "target",
    ),
    "id": ("id", "_id", "qid", "question_id", "example_id"),
    "title": ("title",),
}  # fmt: skip
_TEXTS = (
    "text", "content", "page_content", "passage_text", "paragraph_text", "wiki_context", "search_context", "sentences",
    "context", "passage",
)  # fmt: skip
_GOLD = ("isgold", "is_gold", "is_supporting", "is_selected")
_HOLDS_ANSWER = ("hasanswer", "has_answer")


@dataclass(frozen=True)
class ShapedPassage:
    text: str
    title: str = ""
    gold: bool = False
    has_answer: bool = False


@dataclass(frozen=True)
class ShapedRow:
    """`answers` is None where the data have none: the model's own full answer is then the reference."""

    question: str
    passages: tuple[ShapedPassage, ...]
    answers: tuple[str, ...] | None
    id: str = ""


def parse_columns(text: str) -> dict[str, str]:
    """Read `question=NAME,context=NAME,answers=NAME`. Raises FaithfulnessError for anything else."""
    named: dict[str, str] = {}
    for part in text.split(","):
        kind, equals, name = part.partition("=")
        if kind.strip() not in COLUMNS or not equals or not name.strip():
            raise FaithfulnessError(
                f"--columns takes {', '.join(f'{each}=NAME' for each in COLUMNS)}, with commas between; not {part.strip()!r}."
            )
        named[kind.strip()] = name.strip()
    return named


def nested_rows(record: Any) -> Iterator[Any]:
    """The questions of an article of SQuAD as its files nest them; any other record as it is."""
    paragraphs = record.get("paragraphs") if isinstance(record, Mapping) else None
    if not isinstance(paragraphs, list) or not all(isinstance(each, Mapping) and "qas" in each for each in paragraphs):
        yield record
        return
    for paragraph in paragraphs:
        for asked in paragraph["qas"]:
            yield {**asked, "context": paragraph.get("context"), "title": record.get("title", "")}


def shaped(record: Any, columns: Mapping[str, str] | None = None) -> ShapedRow:
    """Read a record; `columns` names those that are called otherwise. Raises FaithfulnessError saying what is missing."""
    if not isinstance(record, Mapping):
        raise FaithfulnessError("it is no record of columns and values.")
    values = {kind: _value(record, kind, columns or {}) for kind in COLUMNS}
    question = values["question"]
    if not isinstance(question, str):
        raise _missing("question", record)
    title = values["title"] if isinstance(values["title"], str) else ""
    passages = _kept(list(_passages(values["context"], title)))
    if not passages:
        raise _missing("context", record)
    id_ = values["id"]
    return ShapedRow(question, passages, _answers(values["answers"], record), "" if id_ is None else str(id_))


def _value(record: Mapping[Any, Any], kind: str, columns: Mapping[str, str]) -> Any:
    there = {_plain(name): value for name, value in record.items() if isinstance(name, str)}
    if kind in columns:
        if _plain(columns[kind]) not in there:
            raise FaithfulnessError(f"there is no column {columns[kind]!r}; {_listed_columns(record)}.")
        return there[_plain(columns[kind])]
    values = [there[name] for name in COLUMNS[kind] if name in there]
    return next((value for value in values if not _blank(value)), next((v for v in values if v is not None), None))


def _plain(name: str) -> str:
    return "_".join(name.casefold().replace("-", " ").split())


def _blank(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_blank(each) for each in value.values())
    return value is None or value in ("", [], ()) or (isinstance(value, str) and not value.strip())


def _missing(kind: str, record: Mapping[Any, Any]) -> FaithfulnessError:
    return FaithfulnessError(
        f"no {kind} is in it; {_listed_columns(record)}. Name what it is called, as --columns {kind}=NAME."
    )


def _listed_columns(record: Mapping[Any, Any]) -> str:
    return f"its columns are {', '.join(str(name) for name in record if name is not None)}" if record else "it has no column"


def _passages(value: Any, title: str = "") -> Iterator[ShapedPassage]:
    """Every passage with a text in a value: a text, a list of texts, records or (title, sentences), or columns of lists."""
    if isinstance(value, str):
        listed = listed_cell(value)
        if listed is not None:
            yield from _passages(listed, title)
        elif value.strip():
            yield ShapedPassage(value, title)
    elif isinstance(value, Mapping):
        yield from _of_mapping(value, title)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], list):  # HotpotQA: title, sentences
            yield from _passages(_joined(value[1]), value[0])
        else:
            for each in value:
                yield from _passages(each, title)


def _of_mapping(value: Mapping[Any, Any], title: str) -> Iterator[ShapedPassage]:
    texts = next((value[name] for name in _TEXTS if not _blank(value.get(name))), None)
    titles = value.get("title", title)
    if isinstance(texts, str):
        flags = [any(bool(value.get(name)) for name in names) for names in (_GOLD, _HOLDS_ANSWER)]
        yield ShapedPassage(texts, titles if isinstance(titles, str) else title, *flags)
    elif isinstance(texts, list):
        chosen: list[Any] = next((value[name] for name in _GOLD if isinstance(value.get(name), list)), [])
        for index, text in enumerate(texts):
            of_text = titles[index] if isinstance(titles, list) and index < len(titles) else title
            joined = _joined(text) if isinstance(text, list) else text
            if isinstance(joined, str) and joined.strip():
                yield ShapedPassage(joined, str(of_text), gold=bool(chosen[index]) if index < len(chosen) else False)


def _joined(sentences: Sequence[Any]) -> str:
    return " ".join(each.strip() for each in sentences if isinstance(each, str))


def _kept(passages: list[ShapedPassage]) -> tuple[ShapedPassage, ...]:
    """The gold passages where some are marked so, else the first marked to hold the answer, else all."""
    gold = [each for each in passages if each.gold]
    return tuple(gold or [each for each in passages if each.has_answer][:1] or passages)


def _answers(value: Any, record: Mapping[Any, Any]) -> tuple[str, ...] | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    answers = tuple(dict.fromkeys(answer for answer in _texts(value) if answer.strip()))
    if not answers:
        raise FaithfulnessError("its answers are empty: a question without an answer in its context cannot be explained.")
    return answers


def _texts(value: Any) -> Iterator[str]:
    """Every answer in a value: a text, a list, SQuAD's `text`, or TriviaQA's `value` with `aliases`."""
    if isinstance(value, str):
        listed = listed_cell(value)
        yield from _texts(listed) if listed is not None else iter([value])
    elif isinstance(value, bool | int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        for name in ("text", "value", "aliases", "answer"):
            yield from _texts(value.get(name))
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for each in value:
            yield from _texts(each)


def listed_cell(text: str) -> list[Any] | None:
    """The list that a cell of a table may hold, as `["a", "b"]` or, as pandas writes it, `['a', 'b']`."""
    if not (text.lstrip().startswith("[") and text.rstrip().endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            row = read(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return row if isinstance(row, list) else None
    return None
