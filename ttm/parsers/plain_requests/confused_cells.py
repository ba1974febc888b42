"""The four cells of two classes, by their names or by a contrast: "false positives", "predicted sick but actually healthy"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttm.language.operations.data import DefineTerm
from ttm.language.parse import (
    Change,
    CountData,
    Instance,
    Label,
    LabelCondition,
    Mistake,
    ModelDescription,
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
from ttm.parsers.plain_requests.plain_request import classes_by_word
from ttm.tabular.data.schema import Schema

_CELL = re.compile(r"\b(?:(false|true) (positive|negative)s?|([ft])([pn])s?)\b(?! rates?\b)")
_ALARM = re.compile(r"\b(?:false(?:ly)?|wrong) alarm(?:s|ed)?\b(?! rates?\b)")
_SAYER = "(?:model|classifier|algorithm|it)"
_MISSED = re.compile(
    r"\b(?:missed|overlooked) (?:case|one|person|people|patient|positive|diagnos[ei]|instance)s?\b"
    r"|\b(?:is|are|was|were|been|got|gets?) (?:missed|overlooked)\b(?! by\b(?! (?:the|this|your) (?:model|classifier)))"
    rf"|\b{_SAYER} (?:miss(?:es|ed)?|overlook(?:s|ed)?)\b|\b(?:slip(?:s|ped)?|slipping) through\b"
)
# Of 5 messages of the corpus that speak so, the three that ask for no share count what was missed.
_NOT_SEEN = re.compile(r"\bfail(?:s|ed)? to (?:identify|detect|catch|flag|recogni[sz]e|spot|find|notice|see|pick up)\b")
_SHARE = re.compile(r"\b(?:share|percent\w*|proportion|fraction)\b")
_RATIO = re.compile(r"\brates?\b|\bversus\b|\bvs\b|\bthreshold\b|\bcost|\bmore important\b|\bworse?\b")
# What asks for a meaning, for a reason, about one row, or wishes for fewer of a cell, is no request for its rows.
_MEANING = re.compile(
    r"\b(?<!\bme )(?:is|are|was|what's|about|does|do|explain|describe|define|term)(?: \w+)?"
    r" an? (?:false|true) (?:positive|negative)\b"
    r"|(?<!\bi )(?<!\bwhere positive )(?<!\bwith positive )(?<!\bwhere a positive )(?<!\bwith a positive )\bmeans?\b"
    r"|\bmeaning\b(?! (?:people|persons|patients|individuals|rows|cases|those|that|they|it|the (?:ones|people|rows)"
    r"|their|his|her|in (?:fact|truth|reality))\b)"
    r"|\bmeant\b|\bdefin|\bdifference between\b|(?<!\bmodel )\bcalled\b|\bcounts? as\b"
    r"|\bdo you call\b|\bwhy\b"
    r"|\b(?:explain|describe) (?:the term )?(?:false|true) (?:positive|negative)s?(?: to (?:me|us))?$"
)
_WISH = re.compile(
    r"\b(?:avoid|reduc|minimi[sz]|lower(?:ing)?\b|decreas|prevent|get rid|fewer|fewest|less(?! than)|(?<!at )least|care\b|worry"
    r"|worried|prefer|matters?\b|bad\b|worst|dangerous|hate|penali[sz]|trade|risk of|chance of|probability of|likelihood of)"
)
_GUESSING = (
    r"pred(?:ict(?:ed|s|ion|ing)?)?|assign(?:s|ed)?|(?:puts?|mark(?:s|ed)?|written|sets?) (?:(?:them|him|her|it) )?down as"
    r"|mark(?:s|ed)?(?= (?:\w+ ){0,3}as\b)"
    r"|mis(?:classified|label(?:l?ed|s)|judge[sd]?|diagnose[sd]?|identified|predicted)(?= (?:\w+ ){0,3}as\b)"
    r"|label(?:l?ed|s)|label(?= (?:\w+ ){0,2}as\b)|class(?:ed|es)(?= (?:\w+ ){0,2}as\b)|identif(?:y|ies|ied)|flag(?:s|ged)?"
    r"|classif(?:y|ies|ied)|diagnos(?:e|es|ed)|believ(?:e|es|ed)|declar(?:e|es|ed)|consider(?:s|ed)|judg(?:es|ed)"
    r"|mistak(?:es?|en)(?= (?:\w+ ){0,3}(?:for|as)\b)|took|clear(?:s|ed)|calls?|deem(?:s|ed)|expect(?:s|ed)"
    r"|(?:is|are|was|were|been|being|gets?|got) (?:said|thought|told|supposed|held|rated|seen|called)"
)
_SAYING = r"says?|said|(?:is |was )?saying|called|thinks?|thought|judge|consider|rates?|rated|sees|saw|takes|holds|held"
# Whatever a model does that something is so: "the model announces that diabetes is likely".
_CLAIMS = (
    r"(?:model|classifier|algorithm) (?:\w+ly )?"
    r"(?!(?:is|was|for|on|in|with|of|about|so|to|at|by|from|and|or|after|before|than|does|did|has|had|not)\b)\w+ that"
)
_PREDICTED = re.compile(rf"\b(?:{_GUESSING}|{_SAYER} (?:\w+ly )?(?:{_SAYING}|say)|by saying|{_CLAIMS})\b")
_WRONGLY = re.compile(
    rf"\b(?:wrongly|incorrectly|falsely|mistakenly|erroneously|by mistake)"
    rf" (?:{_GUESSING}|says?|said|told|thinks?|thought|(?P<denies>rul(?:e|es|ed) out))\b"
    rf"|\b(?:{_GUESSING}) (?:wrongly|incorrectly|falsely|mistakenly|erroneously|by mistake)\b"
)
# "They are not", of a class that was named before.
_DENIED_AGAIN = r"\b(?:they|he|she|who) (?:do|does|did|will|would|is|are|was|were|have|has|had) not(?= ?[?.!,;]|$)"
_BUT = re.compile(
    r"\b(?:but|(?<!not )yet|though|although|while|whereas|despite|however)\b"
    r"|\band(?= (?:\w+ ){0,4}(?:anyway|regardless|nonetheless|in (?:fact|truth|reality)|turn(?:s|ed)? out)\b)"
    r"|\b(?:when|that|who|which)(?= (?:\w+ ){0,4}(?:actually|really|truly|truth|reality|fact|true|actual)\b)"
    rf"|\bwhen(?= {_DENIED_AGAIN})"
)
_ACTUALLY = re.compile(
    r"\b(?:actual(?:ly)?|really|truly|in (?:fact|reality|truth)|(?:the )?truth|turned out|the data (?:say|show)s?)\b"
    r"|\b(?:true|actual|real|correct) (?:label|class|outcome|answer|status)\b|\bthe true (?:one )?is\b"
    r"|\blabel (?:=|is|was|says|shows)"
    rf"|\bshould (?:\w+ ){{0,3}}be(?:en)?(?: (?:{_GUESSING}))?(?: as\b)?"
    r"|\bwho (?:are|is|were|was|do|does|did|have|has|had)\b|^ ?(?:it|they|he|she) (?:is|are|was|were) (?:not )?likely\b"
    r"|\bha(?:ve|s|d) (?:got |had )?it\b"
    rf"|{_DENIED_AGAIN}"
)
_POLARITY = re.compile(
    r"\b(positive|negative) (?:prediction|verdict|call)s?\b"
    r"|\b(?:predict|classifi|flagg|diagnos)\w* (?:as )?(positive|negative)\b"
)
# A class by its sign, where it is not a word of its own: "the actual label negative", "predicting the negative class".
_SIGN = re.compile(
    r"\b(?:label|outcome|class|truth|status|result|actually|really|prediction|predict(?:s|ed|ing)?|verdict)"
    r" (?:(?:is|was|are|were|to be|as|it|them|the|being) ){0,2}(positive|negative)\b"
)
# Both classes by their signs: "a positive prediction and a negative ground truth".
_GUESS_SIGN = re.compile(
    r"\b(pos|neg)(?:itive|ative)? (?:prediction|verdict|call|forecast)\b"
    r"|\b(?:prediction|verdict|forecast|predict(?:s|ed)) (?:is |was |comes out |came out |as )?(pos|neg)(?:itive|ative)?\b"
)
_TRUE_SIGN = re.compile(
    r"\b(pos|neg)(?:itive|ative)? (?:ground truth|(?:true|actual|real) (?:label|outcome|class|status|result))\b"
    r"|\b(?:truth|reality|(?:true|actual|real) (?:label|outcome|class|status|result)) (?:is |was |being )?"
    r"(pos|neg)(?:itive|ative)?\b"
)
_UNTRUE = re.compile(
    r"\b(?:and|but|though|when|while|where|which)(?: (?:it|that|this|they|which))?(?: \w+ly| just)?"
    r" (?:is|was|turns out|are|were)(?: \w+ly)?"
    r" (?:not (?:true|so|right|correct|the case)|untrue|false|wrong|mistaken|incorrect)\b"
)
_TELLS = re.compile(r"\btells?\b|\bget\w* told\b")
_IT = re.compile(r"\b(?:have|has|had|having|get|gets|got|getting|develop\w*|with|without) (it)\b")
# A class that was named, once more: "but in truth they do not".
_SO = re.compile(r"\b(?:they|he|she|it) (?:\w+ly )?(?:do|does|did|are|is|were|was|have|has|had)(?: not)?(?= ?[?.!]?$)")
_NOT_JUST_BEFORE = re.compile(r"\b(?:not|never|no|n't) $")
UNLIKELY = 3  # words before a class in which it may be called unlikely: "unlikely to be diabetic"
REACH = 5  # words before a class in which it may be denied
_NOT = re.compile(
    r"\b(?:clear of|free (?:of|from)|not|no|non|n't|without|never|\w+n't|dont|doesnt|didnt|isnt|arent|wasnt|werent)\b"
)
_COUNTED = re.compile(
    r"\b(?:how many|(?:number|quantity|tally) of|tally up|head ?count|add up (?:all|everyone)"
    r"|what number (?:of|did|does|do|have|has|are|were|is|was)"
    r"|total (?:of|number|people|persons|patients|individuals|cases|instances|rows)"
    r"|size of (?:the |that |this )?(?:\w+ )?(?:subset|group|set|population)"
    r"|total (?:missed|false|wrong|true|correct)\b|number (?:who|whose|that|where)|count|how often|figure for)\b"
)
NAMED = 0.9  # share of a column's name from which its word is no cell
_CLASSES = (LabelCondition, PredictionCondition, ProbabilityCondition)
_IN_COMMON = re.compile(r"\b(?:common\w*|typical\w*|pattern|cause[sd]?|share)\b")
# Would say of each row what all of a cell have in common, or nothing of rows.
_TELLING = (DefineTerm, Label, Mistake, ModelDescription, Predict, Score)


@dataclass(frozen=True)
class ConfusedCell:
    """Rows by predicted and true class; `words` are the tokens that say so by name, `counts` whether the rows are counted,
    `compares` whether it is asked what they have in common."""

    predicted: int
    true: int
    words: range
    counts: bool
    compares: bool = False

    def of(self, parse: Parse, about: frozenset[str]) -> Parse:
        """A parse about the rows of this cell, without conditions on classes or on the columns `about` of its own words."""
        kept = without_conditions(parse.steps, lambda condition: _goes(condition, about))
        rows = [step for step in kept if isinstance(step, Selection | Instance | Change)]
        telling = tuple(one for one in _TELLING if not (self.compares and one is Mistake))
        asked = [step for step in kept if not isinstance(step, (Selection, Instance, Change, CountData, *telling))]
        cell = Selection((((PredictionCondition(self.predicted), LabelCondition(self.true)),),))
        if self.compares and not any(isinstance(step, Mistake) for step in asked):
            asked = [Mistake("typical")]
        operations = [CountData()] if self.counts else asked or [Show()]
        return Parse((*rows, cell, *operations))


def confused_cell(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> ConfusedCell | None:
    """The one cell that a message speaks of, its words joined by blanks; None where there are not two classes."""
    other_words = _without_classes(text, mentions, schema)
    if len(schema.target.classes) != 2 or any(about.search(other_words) for about in (_RATIO, _MEANING, _WISH)):
        return None
    counts = _COUNTED.search(text) is not None
    cells = list(_named_cells(text, mentions, schema))
    if len(cells) == 1:
        predicted, true, words = cells[0]
        return ConfusedCell(predicted, true, words, counts, _IN_COMMON.search(text) is not None)
    if cells:
        return None
    named = _classes_named(text, mentions, schema)
    signs = {(one.start(1), int(one[1] == "positive")) for one in _SIGN.finditer(text)}
    signed = sorted({*named, *signs})
    one_sign = len({number for _, number in signs}) < 2
    return (
        _by_signs(text, counts) or _untrue(text, mentions, counts)
        or _misjudged(text, mentions, counts) or (_by_polarity(text, named, counts) if one_sign else None)
        or _marked(text, signed, counts)
        or _contrasted(text, mentions, counts) or (_marked(text, signed, counts, early=True) if counts else None)
    )  # fmt: skip


def _by_signs(text: str, counts: bool) -> ConfusedCell | None:
    """ "a positive prediction and a negative ground truth": prediction and truth, each by its sign."""
    signs = [{one[1] or one[2] for one in pattern.finditer(text)} for pattern in (_GUESS_SIGN, _TRUE_SIGN)]
    if any(len(each) != 1 for each in signs) or signs[0] == signs[1]:
        return None
    guess = int("pos" in signs[0])
    return ConfusedCell(guess, 1 - guess, range(0), counts)


def _untrue(text: str, mentions: Sequence[SchemaMention], counts: bool) -> ConfusedCell | None:
    """ "they are told that they have it, and that is wrong": the class that is predicted, and the other one."""
    untrue = _UNTRUE.search(text)
    before = text[: untrue.start()] if untrue else ""
    named = [one for one in mentions if _names_class(one) and one.end <= before.count(" ") + 1]
    if not (_PREDICTED.search(before) or _TELLS.search(before)) or len({one.name.class_number for one in named}) != 1:
        return None
    guess = _class_of(before, named, text.split(" "))
    return None if guess is None else ConfusedCell(guess, 1 - guess, range(0), counts)


def _marked(text: str, named: Sequence[tuple[int, int]], counts: bool, early: bool = False) -> ConfusedCell | None:
    """ "predicted ill, really healthy": one class behind a word of predicting, the other behind one that says what is true.

    With `early`, a class before all such words is the true one: "people without it that the model thinks have it".
    """
    marks = _marks(text)
    classes: dict[int, set[int]] = {0: set(), 1: set()}
    for start, number in named if "or" not in text.split(" ") else ():
        before = [mark for mark in marks if mark[0] <= start]
        if not before and early:
            classes[1].add(abs(number - _is_denied(text, start)))
        elif before:
            end, begin, kind = before[-1]
            denied = _NOT.search(text[end:start]) is not None or _NOT_JUST_BEFORE.search(text[:begin]) is not None
            classes[kind].add(abs(number - denied))
    (guess, *others), (truth, *more) = (sorted(classes[kind]) or [-1] for kind in (0, 1))
    fits = not others and not more and guess >= 0 and truth == 1 - guess
    return ConfusedCell(guess, truth, range(0), counts) if fits else None


def _marks(text: str) -> list[tuple[int, int, int]]:
    """End, start and kind of the words of predicting (0) and of those that say what is true (1), of which "should have been
    predicted" is one."""
    kinds = enumerate((_PREDICTED, _ACTUALLY))
    marks = {(one.end(), one.start(), kind) for kind, words in kinds for one in words.finditer(text)}
    true = [(end, start) for end, start, kind in marks if kind]
    return sorted(one for one in marks if one[2] or not any(start < one[1] and one[0] <= end for end, start in true))


def _by_polarity(text: str, named: Sequence[tuple[int, int]], counts: bool) -> ConfusedCell | None:
    """ "of those without it, how many got a positive prediction": the only class that is named is the true one."""
    verdicts = list(_POLARITY.finditer(text))
    if not counts or len(verdicts) != 1 or len(named) != 1 or "or" in text.split(" "):
        return None
    start, number = named[0]
    guess = "positive" in verdicts[0][0]
    denied = _is_denied(text, verdicts[0].start(), reach=3)
    return ConfusedCell(abs(int(guess) - denied), abs(number - _is_denied(text, start)), range(0), counts)


def _is_denied(text: str, start: int, reach: int = REACH) -> bool:
    """Whether the class that begins at a letter is denied by one of so many words before it."""
    return _NOT.search(" ".join(text[:start].split(" ")[-reach:])) is not None


def _classes_named(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> list[tuple[int, int]]:
    """Where a message names a class, and which: by its name, by a word that no other has, or by "it" after it was named."""
    words = text.split(" ")
    starts = [len(" ".join(words[:at])) + bool(at) for at in range(len(words))]
    named = {starts[one.start]: int(one.name.class_number or 0) for one in mentions if _names_class(one)}
    inside = {at for one in mentions for at in range(one.start, one.end)}
    named |= {starts[at]: number for at, number in classes_by_word(words, schema).items() if at not in inside}
    if len(set(named.values())) == 1:
        number = next(iter(named.values()))
        named |= {one.start(1): number for one in _IT.finditer(text)} | {one.end(): number for one in _SO.finditer(text)}
    return sorted(named.items())


def _misjudged(text: str, mentions: Sequence[SchemaMention], counts: bool) -> ConfusedCell | None:
    """ "wrongly predicted (not) to have it": the class that stands behind, or the other, where the message names no more."""
    wrongly = list(_WRONGLY.finditer(text))
    classes = {each.name.class_number for each in mentions if _names_class(each) and wrongly}
    if len(wrongly) != 1 or len(classes) != 1 or _BUT.search(text):
        return None
    first = next(each for each in mentions if _names_class(each))
    words, judged = text.split(" "), text[: wrongly[0].end()].count(" ") + 1
    between, after = (" ".join(part) for part in (words[judged : first.start], words[max(judged, first.start) :]))
    verdict = [word for index, word in enumerate(words[judged:], judged) if not first.start <= index < first.end]
    if _NOT.search(after) or {"likely", "unlikely"} <= set(verdict):
        return None
    denied = (_NOT.search(between) is not None or "unlikely" in verdict) != (wrongly[0]["denies"] is not None)
    guess = abs(int(classes.pop() or 0) - denied)
    return ConfusedCell(guess, 1 - guess, range(0), counts)


def _named_cells(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> Iterator[tuple[int, int, range]]:
    """Predicted and true class of each cell that is called by a name, with the tokens of it.

    "False alarms" and "missed cases" are such names too, unless a message weighs one against the other, or names a column
    with the word: "missed payments". Positive is the last class, or the only one that is named.
    """
    classes = _classes_spoken_of(text, mentions, schema)
    of_first = classes == {0} and not _NOT.search(text)  # "false negatives for bad", which is the first of two
    for predicted, true, words in _cells_by_name(text, mentions):
        yield (1 - predicted, 1 - true, words) if of_first else (predicted, true, words)
    alarms, missed = list(_ALARM.finditer(text)), list(_MISSED.finditer(text))
    if _COUNTED.search(text) and not _SHARE.search(text):
        missed += _NOT_SEEN.finditer(text)
    if alarms and missed:
        return
    for match in (*alarms, *missed):
        words = _tokens(text, *match.span())
        if not _is_named(words, mentions):
            about = classes.pop() if len(classes) == 1 and not _NOT.search(text) else 1
            yield (about, 1 - about, words) if alarms else (1 - about, about, words)


def _classes_spoken_of(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> set[int]:
    """The classes by words that no other has, and by full names; else by any part of a name."""
    own = set(classes_by_word(text.split(" "), schema).values())
    named = [one for one in mentions if _names_class(one)]
    own |= {int(one.name.class_number or 0) for one in named if own and one.coverage >= NAMED}
    return own or {int(one.name.class_number or 0) for one in named}


def _cells_by_name(text: str, mentions: Sequence[SchemaMention]) -> Iterator[tuple[int, int, range]]:
    for match in _CELL.finditer(text):
        at = text[: match.start()].count(" ")
        if match[3] and _is_named(_tokens(text, *match.span()), mentions):
            continue  # TN is Tennessee too
        if match[3] and any(one.name.feature is not None and one.end == at for one in mentions):
            continue  # "pedigree fn" is a function
        right, positive = "true" in match.groups() or match[3] == "t", "positive" in match.groups() or match[4] == "p"
        yield int(positive), int(positive == right), _tokens(text, *match.span())


def _is_named(words: range, mentions: Sequence[SchemaMention]) -> bool:
    return any(mention.coverage >= NAMED and set(words) & {*range(mention.start, mention.end)} for mention in mentions)


def _without_classes(text: str, mentions: Sequence[SchemaMention], schema: Schema) -> str:
    """The words of a message without those of its classes: "a bad credit risk" is no wish."""
    inside = {at for each in mentions if _names_class(each) for at in range(each.start, each.end)}
    inside |= classes_by_word(text.split(" "), schema).keys()
    return " ".join("class" if at in inside else word for at, word in enumerate(text.split(" ")))


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
    words = text.split(" ")
    classes = [_class_of(part, inside, words) for part, inside in zip(parts, named, strict=True)]
    guess, truth = classes[predicted[0]], classes[true]
    guess, truth = _other(truth) if guess is None else guess, _other(guess) if truth is None else truth
    return ConfusedCell(guess, truth, range(0), counts) if guess is not None and truth == 1 - guess else None


def _names_class(mention: SchemaMention) -> bool:
    return mention.name.class_number is not None


def _class_of(part: str, classes: Sequence[SchemaMention], words: Sequence[str]) -> int | None:
    """The class that a part of the message speaks of, the other one where it denies; None if it does not tell."""
    denies = _NOT.search(part) is not None
    if not classes:
        return 0 if denies else None
    last = classes[-1]
    number = int(last.name.class_number or 0)
    return 1 - number if denies or "unlikely" in words[max(last.start - UNLIKELY, 0) : last.start] else number


def _other(number: int | None) -> int | None:
    return None if number is None else 1 - number


def _tokens(text: str, start: int, end: int) -> range:
    return range(text[:start].count(" "), text[:end].count(" ") + 1)


def _goes(condition: object, about: frozenset[str]) -> bool:
    return isinstance(condition, _CLASSES) or getattr(condition, "feature", None) in about
