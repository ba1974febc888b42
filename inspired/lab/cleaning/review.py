"""The list that a person reviews, and the labels that come back from it."""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TypedDict

from pydantic import BaseModel, ConfigDict

from backend.errors import InspiredError
from inspired.lab.cleaning.pairs import Place, QuestionPair
from inspired.lab.cleaning.ranking import LIKELIHOOD, Drawn
from inspired.lab.json_lines import read_lines
from inspired.lab.metrics.dialogues import Side

# Of the sub-questions that the authors labelled, 4.4 % were wrong; they reviewed that share of all (section 4.2).
USUAL_SHARE = 0.044


class ReviewLine(TypedDict):
    """One line. `error` is for the reviewer to fill in: true, false or null for neither.

    `read_as` is what the model makes of the question, with names in place of placeholders. `likelihood_difference` is
    in nats (null if without bound), `edit_distance` in characters.
    """

    rank: int
    id: str
    side: Side
    sub_id: str
    sub_question: str
    temp_sub_question: str
    read_as: str
    likelihood_difference: float | None
    likelihood_rank: int
    edit_distance: int
    edit_distance_rank: int
    reason: str
    error: bool | None


class _Label(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str
    side: Side = "gold"
    sub_id: str
    error: bool | None


def usual_top(pairs: int) -> int:
    """How many pairs to review by default: the share of errors that the paper found, but at least one."""
    return max(1, round(USUAL_SHARE * pairs))


def review_lines(drawn: Sequence[Drawn]) -> list[ReviewLine]:
    """The pairs in the order in which to look at them."""
    return [_line(rank, each) for rank, each in enumerate(drawn, 1)]


def _line(rank: int, drawn: Drawn) -> ReviewLine:
    scored, pair = drawn.scored, drawn.scored.pair
    dialogue, side, sub_id = pair.places[0]
    return ReviewLine(
        rank=rank,
        id=dialogue,
        side=side,
        sub_id=sub_id,
        sub_question=pair.question,
        temp_sub_question=pair.template,
        read_as=pair.in_names(scored.reading.template),
        likelihood_difference=round(scored.difference, 3) if isfinite(scored.difference) else None,
        likelihood_rank=drawn.likelihood_rank,
        edit_distance=scored.edits,
        edit_distance_rank=drawn.edits_rank,
        reason=_reason(drawn),
        error=None,
    )


def _reason(drawn: Drawn) -> str:
    if drawn.by == LIKELIHOOD:
        return (
            f"Number {drawn.likelihood_rank} by likelihood: the template and the one read from the question differ by "
            f"{drawn.scored.difference:.1f} nats."
        )
    return (
        f"Number {drawn.edits_rank} by edit distance: the template and the one read from the question differ by "
        f"{drawn.scored.edits} characters."
    )


def read_labels(path: Path, pairs: Sequence[QuestionPair]) -> dict[QuestionPair, bool]:
    """Which pairs are errors, from lines with `id`, `side` (gold if left out), `sub_id` and `error`.

    A review list with `error` filled in is such a file; lines with null do not count. Raises InspiredError for a place
    that holds no pair, for one that is labelled both ways, and where no error is among the labels.
    """
    known: Mapping[Place, QuestionPair] = {key: pair for pair in pairs for key in pair.places}
    judged: dict[QuestionPair, bool] = {}
    for each in read_lines(path, _Label, "Needed are id, sub_id and error (true, false or null)."):
        if each.error is None:
            continue
        pair = known.get((each.id, each.side, each.sub_id))
        if pair is None:
            raise InspiredError(f"{path}: {each.id!r} has no {each.side} sub-question {each.sub_id!r} with a template.")
        if judged.setdefault(pair, each.error) != each.error:
            raise InspiredError(f"{path}: {each.side} sub-question {each.sub_id!r} of {each.id!r} is labelled both ways.")
    if not any(judged.values()):
        raise InspiredError(f"{path} labels no sub-question as an error, so there is nothing to recover.")
    return judged
