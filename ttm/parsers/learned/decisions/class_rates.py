"""Rates and costs of the class that a message names: those of the language are of the last of two classes."""

import re
from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from typing import TypeGuard

from ttm.language.operations.predictions import ThresholdCost
from ttm.language.parse import Parse, Step, number_text
from ttm.parsers.plain_requests.plain_request import class_words
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Schema

# What a rate of the first of two classes is as a rate of the last.
DUALS = {
    "recall": "specificity", "sensitivity": "specificity", "specificity": "recall", "precision": "npv", "ppv": "npv",
    "npv": "precision", "fpr": "fnr", "fnr": "fpr",
}  # fmt: skip
# "When you say no, how often is it really a no?": a class whose name denies elsewhere.
_SAYS = (
    r"\b(?:sa(?:y|ys|id|ying)|predict(?:s|ed|ing)?|answer(?:s|ed|ing)?|guess(?:es|ed|ing)?|tells?)"
    r"(?: it(?: is|'s)?)?(?: an?)? {0}\b(?! (?!how|when|what|is|are|and|or|that|then|do|does|did)[a-z])"
    r"|\b(?:really|truly|actually) an? {0}\b"
)
_DENIES = re.compile(r"\b(?:not|no|non|never|without)\b|n't\b")
_OF_CLASS = re.compile(rf"\bscore ({'|'.join(DUALS)})\b")
_AT = re.compile(r"\bthreshold (0?\.\d+) and\b")


@dataclass(frozen=True, eq=False)
class ClassRates:
    """What the words of one message, `text`, which names these `classes`, make of rates; `read` gives the parse that a text is,
    None where it is none."""

    text: str
    classes: Set[int]
    context: DialogueContext
    schema: Schema
    read: Callable[[str], Parse | None]

    def of_class(self, parse: Parse) -> Parse:
        """Rates of the first of two classes, where it alone is named, as rates of the last, which the language has: recall is
        then the specificity, and a threshold what its probability leaves of 1. The class is no condition: "recall on the bads".
        """
        text = str(parse)
        if not self.classes and (again := self._same_error_costs_more(parse)) is not None:
            return again
        spoken_of, rest = _denying_classes(self.text, self.schema)
        if self.classes | spoken_of != {0} or len(self.schema.target.classes) != 2 or _DENIES.search(rest):
            return parse
        dual = _OF_CLASS.sub(lambda match: f"score {DUALS[match[1]]}", text)
        if dual == text:
            return parse
        dual = _AT.sub(lambda match: f"threshold {number_text(round(1 - float(match[1]), 6))} and", dual)
        return self.read(dual.replace("labelfilter 0 and ", "").replace("predictionfilter 0 and ", "")) or parse

    def _same_error_costs_more(self, parse: Parse) -> Parse | None:
        """A threshold by another cost of the error that cost more in the turn before: "and at 10 to 1?"."""
        before = self.context.parse.steps if self.context.parse is not None else ()
        alarms_cost = any(isinstance(step, ThresholdCost) and step.ratio < 1 for step in before)
        turned = [replace(one, ratio=1 / one.ratio) if _misses_cost(one) else one for one in parse.steps]
        return Parse(tuple(turned)) if alarms_cost and turned != list(parse.steps) else None


def _denying_classes(text: str, schema: Schema) -> tuple[frozenset[int], str]:
    """The classes with names such as "no" that a message says are predicted or true, and the message without them."""
    classes = {word: number for word, number in class_words(schema).items() if _DENIES.fullmatch(word)}
    named = {number for word, number in classes.items() if re.search(_SAYS.format(word), text)}
    for word, number in classes.items():
        text = re.sub(_SAYS.format(word), "", text) if number in named else text
    return frozenset(named), text


def _misses_cost(step: Step) -> TypeGuard[ThresholdCost]:
    return isinstance(step, ThresholdCost) and step.ratio > 1
