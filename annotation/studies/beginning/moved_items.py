"""Trial and attention items of a study that is made in the browser: taken from its items, the first of which is in sight there.

An item that goes to the trial is graded by hand. One that goes to the attention items takes along the answer that was put in
beside it, which is then the known one.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from annotation.studies.beginning.study_drafts import StudyDraft, rows_of_text
from annotation.words.catalogue import translate
from backend.errors import AnnotationError


def to_trial(draft: StudyDraft) -> StudyDraft:
    """The draft with its first item moved to the trial. Raises AnnotationError if it is the only one, or cannot be read."""
    first, rest = _first_and_rest(draft)
    return replace(draft, items=_lines(rest), ending=".jsonl", trial=_lines([*rows_of_text(draft.trial), first]))


def to_attention(draft: StudyDraft, known: Mapping[str, Any]) -> StudyDraft:
    """The draft with its first item moved to the attention items, with its `known` answer. Raises as `to_trial`."""
    first, rest = _first_and_rest(draft)
    answered = {name: value for name, value in known.items() if value not in ("", [], None)}
    attention = [*rows_of_text(draft.attention), {**first, "known": answered}]
    return replace(draft, items=_lines(rest), ending=".jsonl", attention=_lines(attention))


def _first_and_rest(draft: StudyDraft) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """Each with an id, so that none is called otherwise because one before it has gone."""
    rows = rows_of_text(draft.items, draft.ending)
    if len(rows) < 2:
        raise AnnotationError(
            translate("This is the only item left; a study needs one that is neither for the trial nor for attention.")
        )
    others = [*rows_of_text(draft.trial), *rows_of_text(draft.attention)]
    taken = {str(row.get("id") or row.get("ID") or "") for row in [*rows, *others]}
    names = (name for number in range(1, len(rows) + len(taken) + 2) if (name := f"item-{number}") not in taken)
    first, *rest = [row if row.get("id") or row.get("ID") else {"id": next(names), **row} for row in rows]
    return first, rest


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
