"""Readings that could tell nothing, and what is meant in their place.

What a message calls by its id is what it is about; what takes many rows ("how many are there?", "what is the accuracy?") is not
asked of the one row of the turn before; and a counterfactual goes to the other class by itself, where there are two.
"""

from collections.abc import Sequence, Set
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ttm.language.operations.scores import METRICS
from ttm.language.parse import Counterfactual, IdCondition, Parse, Selection, surface
from ttm.language.row_state import RowState, rows_after
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import UtteranceToken
from ttm.parsers.plain_requests.plain_request import classes_by_word
from ttm.parsers.plain_requests.row_as_subject import is_about
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Schema

Array = npt.NDArray[np.float64]
# Of 82 messages of the corpus after a turn about one row that may ask for one of these, 67 may not be about that row.
OF_MANY = ("countdata", "mistake typical", "distribution", "fairness", "interact", "correlat", "threshold", "roc", "drift")
SCORES = frozenset({*METRICS, "recall", "auc", "sensitivity"}) - {"default", "cost"}


def meant_instead(
    parses: Sequence[Parse],
    probabilities: Array,
    context: DialogueContext,
    tokens: Sequence[UtteranceToken],
    mentions: Sequence[SchemaMention],
    called: Set[str],
    schema: Schema,
) -> tuple[list[Parse], Array]:
    """The readings (n,) with what each is held likely: that of a vacuous one goes to what is meant, each reading once.

    `called`: the ids by which the message calls rows.
    """
    probabilities = _about_rows(parses, called, probabilities)
    named = any(one.name.class_number is not None for one in mentions)
    named = named or bool(classes_by_word([token.text for token in tokens], schema))
    either_way = len(schema.target.classes) == 2 and not named
    scored = any(token.text in SCORES for token in tokens)
    moved: dict[str, tuple[Parse, float]] = {}
    for parse, probability in zip(parses, probabilities, strict=True):
        meant = _without_row(parse, context, called, scored) or parse
        meant = _without_class(meant) if either_way else meant
        known = moved.get(str(meant), (meant, 0.0))[1]
        moved[str(meant)] = meant, min(known + float(probability), 1.0)
    return [parse for parse, _ in moved.values()], np.array([probability for _, probability in moved.values()])


def _about_rows(parses: Sequence[Parse], called: Set[str], probabilities: Array) -> Array:
    """The probabilities, with all that is held likely given to the readings about the rows that the message calls by their ids,
    if there are any: of 1,083 such messages of the corpus, no fair reading of 22 names the rows, and of 5 some do not."""
    about = np.array([is_about(parse, called) for parse in parses], np.bool_)
    held = float(probabilities[about].sum())
    if not called or about.all() or not held:
        return probabilities
    return np.where(about, probabilities * (min(float(probabilities.sum()), 1.0) / held), 0.0)


def _without_row(parse: Parse, context: DialogueContext, called: Set[str], scored: bool) -> Parse | None:
    """What a parse asks of the one row of the turn before, of all rows; None where it is about another row or takes one."""
    rows = rows_after(parse, context.rows)
    asked = [step for step in parse.steps if not isinstance(step, Selection)]
    if rows is None or not asked or len(asked) == len(parse.steps) or not _is_one_row(rows) or called:
        return None
    of_many = (*OF_MANY, "score") if scored else OF_MANY
    return Parse(tuple(asked)) if all(surface(step).startswith(of_many) for step in asked) else None


def _is_one_row(rows: RowState) -> bool:
    only = rows.groups[0][0] if rows.is_plain and rows.groups[0] else ()
    return rows.instance is None and not rows.changes and any(isinstance(each, IdCondition) for each in only)


def _without_class(parse: Parse) -> Parse:
    """Counterfactuals without the class that nobody named."""
    steps = tuple(replace(step, class_number=None) if isinstance(step, Counterfactual) else step for step in parse.steps)
    return parse if steps == parse.steps else Parse(steps)
