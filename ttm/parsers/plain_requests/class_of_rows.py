"""A class by which a message picks rows: "those the model flags as diabetic", "truly bad risks", "predicted to have it".

Which rows are meant is what an answer rests on most, and a mean over too many of them looks as good as the right one. So what a
message says so plainly is put into each reading that has no class, whatever the readings were ranked by.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from ttm.language.operations.groups import Correlate, CorrelateAll, Regress
from ttm.language.operations.predictions import ClassLikelihood
from ttm.language.operations.scatter import Scatter
from ttm.language.parse import (
    CategoricalCondition,
    Change,
    Condition,
    CountData,
    Distribution,
    Instance,
    Label,
    LabelCondition,
    Likelihood,
    MissingCondition,
    NumericCondition,
    Parse,
    Predict,
    PredictionCondition,
    PreviousFilter,
    Selection,
    Show,
    Statistic,
    Step,
)
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import UtteranceToken
from ttm.parsers.plain_requests.other_conditions import without_conditions
from ttm.parsers.plain_requests.plain_request import NAMED, classes_by_word
from ttm.tabular.data.schema import Schema

_SYSTEM = r"(?:model|it|you|system|classifier|algorithm|computer|machine|tool|program|software|ai|network)"
_GUESSED = (
    r"(?:predicted|flagged|tagged|marked|classified|classed|categori[sz]ed|deemed|judged|rated|graded|considered|identified|"
    r"expected|believed|thought|suspected|forecast|foreseen|assumed|declared|called|seen|scored|diagnosed)"
)
_GUESSES = (
    r"(?:predict|flag|tag|mark|classif(?:y|ie)|categori[sz]e|deem|judge|rate|grade|consider|identif(?:y|ie)|expect|believe|think|"
    r"suspect|forecast|foresee|assume|declare|call|see|say|take|hold|label|diagnose|treat|trust|reject|regard|reckon|find|give)e?s?"
)
_PAST_GUESSES = r"(?:labell?ed|said|thought|took|held|saw|found|gave|trusted|rejected|treated|regarded|reckoned)"
_MODAL = r"(?:(?:would|will|does|do|did|has|have|had|still|also|nonetheless|nevertheless|wrongly|rightly|correctly|always) )"
_LINK = (
    r"(?:(?:as|to|be|is|are|was|were|being|been|have|has|having|had|get|gets|with|a|an|the|of|like|for|will|would|do|does|did|"
    r"likely|probably|truly|really|that|they|he|she|people|someone|persons?|patients?|by|your|this|model|algorithm|system|"
    r"classifier|=|in|class|not|no|non|never|without|free|from|commit(?:ting)?|develop(?:ing)?) )"
)
_PREDICTED = re.compile(
    rf"\b(?:{_SYSTEM} {_MODAL}{{0,2}}(?:{_GUESSES}|{_GUESSED}|{_PAST_GUESSES})|{_GUESSED}|model(?= CLASS)"
    rf"|labell?ed(?=.* by (?:the |your |this )?{_SYSTEM}\b)|(?:prediction|predicted class) (?:is|=|of|was))"
    rf" (?P<link>{_LINK}{{0,6}})CLASS(?P<number>\d)(?: _)*"
)
_TRULY = re.compile(
    r"\b(?:actual(?:ly)?|real(?:ly)?|tru(?:e|ly)|genuine(?:ly)?|in (?:truth|fact|reality))"
    rf" (?P<link>{_LINK}{{0,6}})CLASS(?P<number>\d)(?: _)*"
)
_DENIED = re.compile(r"\b(?:not|no|non|never|without|free)\b")
# What stands before a guess that is denied, or that is the question itself and picks no rows.
_NOT_BEFORE = re.compile(r"\b(?:not|never|without|except|excluding|besides)(?: \w+)?(?: been| being)? $")
_IS = re.compile(
    r"\b(?:is|are|was|were|be|been|being|get|gets|got|do|does|did|would|will|should|can|could|if|whether|to|why|how|what|when)"
    r" (?:not |also |still |the |your |this )*$"
)
_WHO = re.compile(r"\b(?:who|that|which|whom) (?:\w+ ){0,3}$")
# What a class is predicted from: "from which age on does it say CLASS1?"
_FROM = re.compile(r"\b(?:from|at|above|below|beyond|until|under|over|past) (?:what|which)\b")
_REASON, _IF = re.compile(r"\b(?:why|reasons?|because|makes?|leads?|causes?)\b"), re.compile(r"\b(?:if|whether)\b")
_BOUND = r"(?<=\d or)(?<!CLASS\d or) (?:more|less|older|younger|higher|lower|above|over|under|below|fewer|so)\b"  # "40 or more"
_CHOICE = re.compile(rf"\bor\b(?! (?:equal|rather)\b)(?!{_BOUND})|\bversus\b|\bvs\b")
_COUNTED = re.compile(r"^(?:\w+ ){0,3}?(?:how many|number of|count)\b")
_LISTED = re.compile(r"^(?:\w+ ){0,3}?(?:list|show|which|who)\b")
_NAMED = re.compile(r"\bCLASS\d(?! (?:data|dataset|table|file|model|study|survey|classes|class)\b)(?: _)*")
# A guess whose class is none of the known names: "flagged as criminals", "it says are fine", "predicted offenders".
_GUESS = re.compile(
    rf"\b(?:{_SYSTEM} {_MODAL}{{0,2}}(?:expects?|believes?|thinks?|considers?|deems?|calls|says|rates?|flags?)"
    rf"|flagged|tagged|deemed|classed|predicted(?! (?:class|prob|chance|likel|value|risk|outcome|score|label|result)))"
    rf" {_LINK}{{0,6}}[a-z]+"
)
# A class that describes the rows an answer is for: "for those with CLASS1", "among the CLASS0 people".
_GROUP = r"(?:those|people|persons|patients|individuals|ones|everyone|anyone|cases|rows|[a-z]{3,}(?<!s)s)"
_FOR_CLASS = re.compile(
    rf"\b(?:for|among|amongst|within|of|in|on) (?:all |the |just |only )*"
    rf"(?:{_GROUP} (?:(?:who|that|which|with|having|have|has|are|is|being|a|an) ){{1,3}}CLASS\d"
    rf"|CLASS\d(?: _)* {_GROUP}\b)(?: _)*"
)
# Conditions on a class, a row that has one, and operations that are about classes or tell them.
_HELD = re.compile(
    r"(?:label|prediction|probability|previous)filter | id | class \d| target | by prediction| by label| fairness | mistake "
    r"| explain cfe | label | contrast "
)
_ASKS_CLASS = re.compile(r"\bpredict(?:ions?)?\b|\blabels?\b|\b(?:un)?likel|\bprobab|\bchances?\b|\brisks?\b")
_OF_DATA = (Show, CountData, Statistic, Distribution, Correlate, CorrelateAll, Regress, Scatter)
_OF_CLASS = (Predict, Likelihood, ClassLikelihood, Label)
_PLAIN = (NumericCondition, CategoricalCondition, MissingCondition, PreviousFilter)


@dataclass(frozen=True)
class ClassOfRows:
    """A class that rows are picked by, and columns that its own words would name ("it rates as bad").

    `attributive`: the words describe rows ("those flagged as bad") and ask nothing ("are they flagged as bad?"); `alone`: the
    message offers no alternative to them; `counts`, `lists`: what it begins with; `tells`: predictions or labels are asked for;
    `single`: no other class is named.
    """

    condition: LabelCondition | PredictionCondition
    columns: frozenset[str]
    attributive: bool
    alone: bool
    counts: bool
    lists: bool
    tells: bool
    single: bool

    def of(self, parse: Parse) -> Parse:
        """A parse about rows of the class, where it has none; as it was where it names a row or has alternatives."""
        own = without_conditions(self._turned(parse.steps), lambda one: getattr(one, "feature", None) in self.columns)
        steps = self._asked(own)
        if not (self.alone and all(map(self._fits, steps))) or not (self.attributive or _is_of_data(steps)):
            return parse
        classed = [self._classed(step) for step in steps]
        if any(_has_class(step) for step in classed):
            return Parse(tuple(classed))
        first = next((step for step in steps if isinstance(step, Selection)), None)
        others = first.groups[0][0] if first is not None else ()
        return Parse((Selection((((self.condition, *others),),)), *(step for step in steps if step is not first)))

    def _turned(self, steps: Sequence[Step]) -> Sequence[Step]:
        """The steps without a lone class other than the one that the message names, if it names no other."""
        selections = [step for step in steps if isinstance(step, Selection)]
        classes = [one for step in selections for group in step.groups for part in group for one in part if _is_class(one)]
        lone = self.single and self.attributive and len(classes) == 1 and not self._is_own(classes[0])
        return without_conditions(steps, lambda one: one == classes[0]) if lone else steps

    def _asked(self, steps: Sequence[Step]) -> Sequence[Step]:
        """The steps without predictions that nobody asked for: "how many does it think are bad?" counts rows."""
        rows = [step for step in steps if isinstance(step, Selection)]
        operations = [step for step in steps if not isinstance(step, Selection)]
        asked = [step for step in operations if not isinstance(step, _OF_CLASS)]
        if self.tells or (not asked and not (self.counts or self.lists)):
            return steps
        return [*rows, *(asked or [CountData() if self.counts else Show()])]

    def _fits(self, step: Step) -> bool:
        if isinstance(step, Selection):
            conditions = [one for group in step.groups for part in group for one in part]
            single = len(step.groups) == 1 and len(step.groups[0]) == 1
            return single and all(isinstance(one, _PLAIN) or self._is_own(one) for one in conditions)
        return not isinstance(step, Instance)

    def _is_own(self, condition: Condition) -> bool:
        return _is_class(condition) and condition.value == self.condition.value

    def _classed(self, step: Step) -> Step:
        """A selection with the class as predicted or as true, whichever the message says."""
        if not isinstance(step, Selection):
            return step
        groups = tuple(
            tuple(tuple(dict.fromkeys(self.condition if self._is_own(one) else one for one in part)) for part in group)
            for group in step.groups
        )
        return replace(step, groups=groups)


@dataclass(frozen=True)
class _Phrase:
    """Where the folded words of a message say a class of rows: which condition, and from which letter to which."""

    condition: LabelCondition | PredictionCondition
    start: int
    end: int


def _is_class(condition: Condition) -> TypeGuard[LabelCondition | PredictionCondition]:
    return isinstance(condition, LabelCondition | PredictionCondition) and condition.comparator is None


def class_of_rows(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema) -> ClassOfRows | None:
    """The one class that a message picks rows by with a word such as "flagged" or "truly"; None where it names two."""
    text = " ".join(_folded(tokens, mentions, schema))
    phrases = list(_phrases(text, schema))
    if len({phrase.condition for phrase in phrases}) != 1:
        return None
    first = phrases[0]
    attributive = _is_attributive(text, first)
    alone = not _CHOICE.search(text) and not (attributive and (_REASON.search(text) or _IF.search(text)))
    own = range(text[: first.start].count(" "), text[: first.end].count(" ") + 1)
    columns = {one.name.feature.token for one in mentions if one.start in own and one.name.feature is not None}
    counts, lists = _COUNTED.match(text) is not None, _LISTED.match(text) is not None
    tells = _ASKS_CLASS.search(f"{text[: first.start]}{text[first.end :]}") is not None
    return ClassOfRows(
        first.condition, frozenset(columns), attributive, alone, counts, lists, tells, len(_NAMED.findall(text)) == 1
    )


def class_left(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema, parse: Parse) -> range:
    """The first tokens that name a class of rows which a parse does not hold; none where it may need none.

    A class without a mark ("bad payers") is missed only where nothing is asked but what the data are, or where the answer is to
    be for its rows ("for bad payers"): else it may be what is predicted.
    """
    if not schema.target.is_classification or _may_hold_class(parse):
        return range(0)
    text = " ".join(_folded(tokens, mentions, schema))
    of_data = _is_of_data(parse.steps)
    describes = of_data or not _REASON.search(text)  # else it may be the prediction that a reason is asked for
    spans = [(one.start, one.end) for one in _phrases(text, schema) if describes and (of_data or _is_attributive(text, one))]
    spans += [one.span() for one in _FOR_CLASS.finditer(text) if describes]
    if of_data and not spans:
        spans = [one.span() for pattern in (_NAMED, _GUESS) for one in pattern.finditer(text)]
    start, end = min(spans, default=(0, 0))
    return range(text[:start].count(" "), text[:end].count(" ") + 1) if end else range(0)


def _may_hold_class(parse: Parse) -> bool:
    return any(isinstance(step, Instance) for step in parse.steps) or _HELD.search(f" {parse} ") is not None


def _phrases(text: str, schema: Schema) -> Iterator[_Phrase]:
    two = len(schema.target.classes) == 2
    for pattern, kind in ((_PREDICTED, PredictionCondition), (_TRULY, LabelCondition)):
        for match in pattern.finditer(text):
            denied = bool(_NOT_BEFORE.search(text[: match.start()])) + len(_DENIED.findall(match["link"]))
            if two or not denied % 2:
                number = int(match["number"])
                yield _Phrase(kind(1 - number if denied % 2 else number), match.start(), match.end())


def _is_attributive(text: str, phrase: _Phrase) -> bool:
    """Whether a phrase describes rows: "those flagged as bad", "who were flagged as bad", but not "are they so?"."""
    before = text[: phrase.start]
    if _FROM.search(before):
        return False
    return _WHO.search(before) is not None or not _IS.search(before)


def _folded(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema) -> list[str]:
    """The words of a message, with `CLASS1` for what names class 1 and `_` for further words of a name."""
    words = [token.text for token in tokens]
    numbers = classes_by_word(words, schema)
    if len(schema.target.classes) == 2:
        numbers |= {at: int(word == "positive") for at, word in enumerate(words) if at and _is_verdict(words[at - 1], word)}
    folded = [f"CLASS{numbers[at]}" if at in numbers else word for at, word in enumerate(words)]
    for mention in sorted(mentions, key=lambda one: one.coverage):
        if mention.coverage >= NAMED and mention.name.feature is not None:
            folded[mention.start : mention.end] = words[mention.start : mention.end]
        elif mention.coverage >= NAMED and mention.name.class_number is not None:
            rest = ["_"] * (mention.end - mention.start - 1)
            folded[mention.start : mention.end] = [f"CLASS{mention.name.class_number}", *rest]
    return folded


def _is_verdict(before: str, word: str) -> bool:
    """Whether "positive" or "negative" is what a model says: "predicted positive", "model negative"."""
    return word in ("positive", "negative") and re.fullmatch(rf"{_GUESSED}|model|prediction|as", before) is not None


def _has_class(step: Step) -> bool:
    conditions = [one for group in step.groups for part in group for one in part] if isinstance(step, Selection) else []
    return any(isinstance(one, LabelCondition | PredictionCondition) for one in conditions)


def _is_of_data(steps: Sequence[Step]) -> bool:
    """Whether nothing is asked but what the data are: a mean, a count, the rows."""
    operations = [step for step in steps if not isinstance(step, Selection | Change)]
    return bool(operations) and all(isinstance(step, _OF_DATA) for step in operations)
