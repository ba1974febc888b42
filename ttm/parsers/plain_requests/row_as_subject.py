"""A row that is named by its bare number, as what a question about one row is about: "how does 5 differ from all others?".

A number is read as an id where it stands as a person would: between an auxiliary and a verb. Elsewhere it counts or measures
something ("at most 5 changes", "above 40"), and nothing is read from it here.
"""

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from ttm.language.parse import (
    Change,
    ChangeKind,
    Counterfactual,
    IdCondition,
    Instance,
    Parse,
    Predict,
    Selection,
    Similar,
    Step,
)
from ttm.parsers.linker.words.tokens import OWNER, TokenKind, UtteranceToken
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.data.schema import FeatureKind, Schema

SURE = 0.8  # probability of a counterfactual of the row, where the message limits what may change
SIMILAR = 5  # rows where a message names no number but that of the row
POSSIBLE = 0.01  # of a reading that is there for a request about one row alone
FLIPPED = re.compile(
    r"\b(?:another|other|different|opposite|better|new) (?:\w+ )?(?:predict\w*|outcome|result|class|decision|answer)\b"
    r"|\bflip\w*|\bpredicted (?:otherwise|differently)|\b(?:switch|swap|change|turn) \w* ?(?:predict\w*|outcome|class|result)\b"
    r"|\bcounterfactual"
)
_AHEAD = frozenset(
    "could can would will does did do should must might may has had have is was if for makes make made that suppose".split()
)
_BEHIND = frozenset(
    "get gets be become flip flipped switch change turn receive obtain have had has not did does was were need differ deviate "
    "compare stand reach escape avoid pass move to otherwise different differently unusual special unique unlike apart".split()
)
_PREDICTED = frozenset("predict predicting classify diagnose rate score judge".split())
_OUTCOMES = frozenset("prediction predictions outcome result forecast probability likelihood chance risk".split())
_SUPPOSED = frozenset("with if given having were had but".split())
_OF = ("for", "of", "on")
_LIKE = re.compile(
    r"(?:like|resembl\w*|(?:similar|closest|nearest|close|comparable|neighbou?rs?|twins?) (?:to|of)) (?:id |number )?$"
)
_JUDGED = re.compile(
    r"\b(?:(?:model|classifier|algorithm|it|you) (?:predict|judg|classif|assess|diagnos)\w*|weigh\w* up|in (?:the )?case of)"
    r" (\d+)(?= ?(?:$|[?,.;:]))"
)


def row_as_subject(tokens: Sequence[UtteranceToken]) -> str | None:
    """The id of the only row that a message is about by its bare number, or None."""
    subjects = {
        token.text
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if token.kind is TokenKind.NUMBER and token.text.isdigit() and not token.form
        if before.text in _AHEAD and after.text in _BEHIND
    }
    return subjects.pop() if len(subjects) == 1 else None


def about_subject(
    candidates: Sequence[ParseCandidate], tokens: Sequence[UtteranceToken], limited: bool
) -> Sequence[ParseCandidate]:
    """The readings with one about the row that a message names by its bare number.

    Where the message is `limited`, it says what may change for another prediction, and that is what is asked of the row.
    """
    row = row_as_subject(tokens)
    if row is None:
        return candidates
    asked: Step = Counterfactual() if limited else Predict()
    own = Parse((Selection((((IdCondition(row),),),)), asked))
    return [ParseCandidate(own, SURE), *candidates] if limited else [*candidates, ParseCandidate(own, POSSIBLE)]


def row_supposed(tokens: Sequence[UtteranceToken]) -> str | None:
    """The id of the row that a message asks about by its bare number with other values: "predict 5 with a bmi of 30"."""
    for at in range(1, len(tokens) - 1):
        token, before, after = tokens[at], tokens[at - 1].text, tokens[at + 1].text
        if token.kind is not TokenKind.NUMBER or not token.text.isdigit() or token.form or after not in _SUPPOSED:
            continue
        if before in _PREDICTED or (before in _OF and tokens[at - 2].text in _OUTCOMES):
            return token.text
    return None


def row_resembled(tokens: Sequence[UtteranceToken]) -> str | None:
    """The id of the row that a message asks for others like it by its bare number: "which are most like 20?"."""
    words = ""
    for token in tokens:
        if token.kind is TokenKind.NUMBER and token.text.isdigit() and not token.form and _LIKE.search(words):
            return token.text
        words += f"{token.text} "
    return None


def with_resembled(candidates: Sequence[ParseCandidate], row: str) -> list[ParseCandidate]:
    """The readings, of which those that ask for similar rows are about the row, and count no rows by its id."""
    return [ParseCandidate(_resembling(one.parse, row), one.confidence) for one in candidates]


def _resembling(parse: Parse, row: str) -> Parse:
    asked = [step for step in parse.steps if isinstance(step, Similar)]
    if len(asked) != 1 or any(isinstance(step, Selection | Instance | Change) for step in parse.steps):
        return parse
    similar = Similar(SIMILAR) if str(asked[0].count) == row else asked[0]
    return Parse((Selection((((IdCondition(row),),),)), *(similar if one is asked[0] else one for one in parse.steps)))


def with_changes(candidates: Sequence[ParseCandidate], row: str, schema: Schema) -> list[ParseCandidate]:
    """The readings with the values of a made-up case, which the row is none of, as changes of the row."""
    return [ParseCandidate(_changed(one.parse, row, schema), one.confidence) for one in candidates]


def _changed(parse: Parse, row: str, schema: Schema) -> Parse:
    cases = [step for step in parse.steps if isinstance(step, Instance)]
    if len(cases) != 1 or any(isinstance(step, Selection) for step in parse.steps):
        return parse
    rest = [step for step in parse.steps if step is not cases[0]]
    changes = [Change(name, _kind(name, schema), value) for name, value in cases[0].values]
    return Parse((Selection((((IdCondition(row),),),)), *changes, *rest))


def _kind(name: str, schema: Schema) -> ChangeKind | None:
    return ChangeKind.SET if schema.by_token[name].kind in (FeatureKind.NUMERIC, FeatureKind.DATE) else None


def row_of_owner(tokens: Sequence[UtteranceToken]) -> str | None:
    """The id of the only row whose number has an apostrophe, or that is what a model judges: "what if 57's glucose goes up",
    "when the model weighs up 55"."""
    text = " ".join(token.text for token in tokens)
    owners = {token.text for token in tokens if token.kind is TokenKind.NUMBER and token.text.isdigit() and token.raw == OWNER}
    owners |= {match[1] for match in _JUDGED.finditer(text)}
    return owners.pop() if len(owners) == 1 else None


def uses_row_otherwise(parse: Parse, row: str) -> bool:
    """Whether a parse has the number of a row as anything but its id, and no rows by that."""
    words = str(parse).split()
    return row in words and not any(pair == ("id", row) for pair in pairwise(words))


def rows_called(tokens: Sequence[UtteranceToken], announced: Set[str]) -> frozenset[str]:
    """Those of the ids that a message announces that stand behind no "no": "only 4 years, no 3" is about no row 3."""
    denied = {number.text for word, number in pairwise(tokens) if word.text == "no"}
    return frozenset(announced - denied)


def is_about(parse: Parse, rows: Set[str]) -> bool:
    """Whether a parse has all of these rows by their ids."""
    named = {row for word, row in pairwise(str(parse).split()) if word == "id"}
    return rows <= named


def of_row(parse: Parse, row: str | None) -> Parse:
    """The parse about a row, where it names no rows itself."""
    names_rows = any(isinstance(step, Selection | Instance) for step in parse.steps)
    return parse if row is None or names_rows else Parse((Selection((((IdCondition(row),),),)), *parse.steps))


def with_announced_row(candidates: Sequence[ParseCandidate], tokens: Sequence[UtteranceToken]) -> Sequence[ParseCandidate]:
    """The readings, led by the one about a row where the first differs from it only in leaving the row's number out."""
    if not candidates:
        return candidates
    first = candidates[0]
    numbers = {token.text for token in tokens if token.kind is TokenKind.NUMBER}
    for at, other in enumerate(candidates[1:], start=1):
        row = _row_before(other.parse, first.parse)
        if row in numbers and f" {row} " not in f" {first.parse} ":
            both = ParseCandidate(other.parse, min(first.confidence + other.confidence, 1.0))
            return [both, *candidates[1:at], *candidates[at + 1 :]]
    return candidates


def _row_before(parse: Parse, rest: Parse) -> str | None:
    """The id of the row that a parse has before all steps of another one, or None."""
    match parse.steps:
        case (Selection(groups=(((IdCondition(id=row),),),)), *others) if tuple(others) == rest.steps:
            return row
    return None
