"""The four cells of two classes, by their names or by a contrast: "false positives", "predicted sick but actually healthy"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ttm.language.parse import (
    Change,
    CountData,
    Instance,
    Label,
    LabelCondition,
    Mistake,
    Parse,
    Predict,
    PredictionCondition,
    ProbabilityCondition,
    Score,
    Selection,
    Show,
)
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.plain_requests.other_conditions import without_conditions
from ttm.tabular.data.schema import Schema

_CELL = re.compile(r"\b(false|true) (positive|negative)s?\b(?! rates?\b)")
_RATIO = re.compile(r"\brates?\b|\bversus\b|\bvs\b|\bthreshold\b|\bcost|\bmore important\b|\bworse?\b")
# What asks for a meaning, for a reason, about one row, or wishes for fewer of a cell, is no request for its rows.
_MEANING = re.compile(
    r"\b(?<!\bme )(?:is|are|was|what's|about|does|do|explain|describe|define|term)(?: \w+)?"
    r" an? (?:false|true) (?:positive|negative)\b"
    r"|\bmeans?\b|\bmeaning\b|\bmeant\b|\bdefin|\bdifference between\b|\bcalled\b|\bcounts? as\b|\bdo you call\b|\bwhy\b"
    r"|\b(?:explain|describe) (?:the term )?(?:false|true) (?:positive|negative)s?(?: to (?:me|us))?$"
)
_WISH = re.compile(
    r"\b(?:avoid|reduc|minimi[sz]|lower(?:ing)?\b|decreas|prevent|get rid|fewer|fewest|less(?! than)|(?<!at )least|care\b|worry"
    r"|worried|prefer|matters?\b|bad\b|worst|dangerous|hate|penali[sz]|trade|risk of|chance of|probability of|likelihood of)"
)
_PREDICTED = re.compile(
    r"\b(?:predict(?:ed|s|ion)?|flag(?:s|ged)?|classif(?:y|ies|ied)|diagnos(?:e|es|ed)"
    r"|(?:model|it) (?:says?|said|thinks?|thought))\b"
)
_BUT = re.compile(r"\b(?:but|yet|though|although|while|whereas|despite|however)\b")
_ACTUALLY = re.compile(
    r"\b(?:actually|really|truly|in (?:fact|reality|truth)|turned out|true (?:label|class|outcome)|ha(?:ve|s|d) it)\b"
)
_NOT = re.compile(r"\b(?:not|no|n't|without|never|\w+n't)\b")
_COUNTED = re.compile(r"\b(?:how many|number of|count|how often)\b")
_CLASSES = (LabelCondition, PredictionCondition, ProbabilityCondition)
_TELLING = (Label, Mistake, Predict, Score)  # would say of each row what all of a cell have in common


@dataclass(frozen=True)
class ConfusedCell:
    """Rows by predicted and true class; `words` are the tokens that say so by name, `counts` whether the rows are counted."""

    predicted: int
    true: int
    words: range
    counts: bool

    def of(self, parse: Parse, about: frozenset[str]) -> Parse:
        """A parse about the rows of this cell, without conditions on classes or on the columns `about` of its own words."""
        kept = without_conditions(parse.steps, lambda condition: _goes(condition, about))
        rows = [step for step in kept if isinstance(step, Selection | Instance | Change)]
        asked = [step for step in kept if not isinstance(step, (Selection, Instance, Change, *_TELLING))]
        cell = Selection((((PredictionCondition(self.predicted), LabelCondition(self.true)),),))
        operations = [CountData()] if self.counts else asked or [Show()]
        return Parse((*rows, cell, *operations))


def confused_cell(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> ConfusedCell | None:
    """The one cell that a message speaks of, its words joined by blanks; None where there are not two classes."""
    if len(schema.target.classes) != 2 or any(about.search(text) for about in (_RATIO, _MEANING, _WISH)):
        return None
    counts = _COUNTED.search(text) is not None
    cells = list(_CELL.finditer(text))
    if len(cells) == 1:
        right, positive = cells[0][1] == "true", cells[0][2] == "positive"
        return ConfusedCell(int(positive), int(positive == right), _tokens(text, *cells[0].span()), counts)
    return _contrasted(text, mentions, counts) if not cells else None


def _contrasted(text: str, mentions: Sequence[SchemaMention], counts: bool) -> ConfusedCell | None:
    """ "predicted to have it but actually not": the part with the prediction, and the one with the truth, must differ."""
    but = _BUT.search(text)
    if but is None:
        return None
    parts = (text[: but.start()], text[but.end() :])
    predicted = [index for index, part in enumerate(parts) if _PREDICTED.search(part)]
    if len(predicted) != 1:
        return None
    border = text[: but.start()].count(" ")
    named = [[each for each in mentions if _names_class(each) and (each.start > border) == bool(index)] for index in (0, 1)]
    true = 1 - predicted[0]
    if not (named[true] or _ACTUALLY.search(parts[true])):
        return None
    classes = [_class_of(part, inside) for part, inside in zip(parts, named, strict=True)]
    guess, truth = classes[predicted[0]], classes[true]
    guess, truth = _other(truth) if guess is None else guess, _other(guess) if truth is None else truth
    return ConfusedCell(guess, truth, range(0), counts) if guess is not None and truth == 1 - guess else None


def _names_class(mention: SchemaMention) -> bool:
    return mention.name.class_number is not None


def _class_of(part: str, classes: Sequence[SchemaMention]) -> int | None:
    """The class that a part of the message speaks of, the other one where it denies; None if it does not tell."""
    denies = _NOT.search(part) is not None
    if not classes:
        return 0 if denies else None
    number = int(classes[-1].name.class_number or 0)
    return 1 - number if denies else number


def _other(number: int | None) -> int | None:
    return None if number is None else 1 - number


def _tokens(text: str, start: int, end: int) -> range:
    return range(text[:start].count(" "), text[:end].count(" ") + 1)


def _goes(condition: object, about: frozenset[str]) -> bool:
    return isinstance(condition, _CLASSES) or getattr(condition, "feature", None) in about
