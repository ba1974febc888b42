"""A row that is named by its bare number, as what a question about one row is about: "how does 5 differ from all others?".

A number is read as an id where it stands as a person would: between an auxiliary and a verb. Elsewhere it counts or measures
something ("at most 5 changes", "above 40"), and nothing is read from it here.
"""

import re
from collections.abc import Sequence

from ttm.language.parse import Counterfactual, IdCondition, Parse, Predict, Selection, Step
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.understanding import ParseCandidate

SURE = 0.8  # probability of a counterfactual of the row, where the message limits what may change
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
