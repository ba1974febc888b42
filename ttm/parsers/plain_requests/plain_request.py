"""Which operation a message names plainly, for those that the default parser's corpus has no lines for.

Phrases are matched over the words of the message with its columns, values, classes and numbers folded to tags, in the pattern
language of the cues (`parsers/linker/words/patterns.py`). The one that rests on most words counts.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import pairwise

from backend.errors import ParseError
from ttm.language.grammar import grammar_of
from ttm.language.parse import Step
from ttm.parsers.linker.requests.operation_cues import cue_book
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.words.patterns import Pattern, PatternSet, compile_pattern
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema

SHARES = frozenset({"percent", "%", "per cent"})
FEWEST_VALUES = 3  # from which a value has several others
JUST_AFTER = 3  # words: `for the fare` is about one column, `for people with a fare above 9` is not
SHORTEST = 3  # letters of a word that alone stands for a class
NAMED = 0.6  # share of a name that has to be said
ASIDE = frozenset(
    "a an the please pls now ok okay and then so show give plot me i us want see get what is that this it ? . ! , :".split()
)
HOW = frozenset("as so how too more less very".split())
DENYING = frozenset("not never without none".split())
CLASSED = frozenset("predicted classified labelled labeled flagged judged rated called truly actually really be being".split())
COLUMNS = (NameRole.FEATURE, NameRole.PROPERTY, NameRole.CATEGORY)
RATES = {
    "fpr": r"\bfprs?\b|\bfalse positive rates?\b|\bfalse alarm rates?\b|\bfall out\b",
    "fnr": r"\bfnrs?\b|\bfalse negative rates?\b|\bmiss rates?\b",
    "selection": r"\bselection rates?\b|\bacceptance rates?\b|\bpositive prediction rates?\b",
    "baserate": r"\bbase ?rates?\b|\bprevalence\b",
    "ppv": r"\bppvs?\b|\bpositive predictive (?:values?|power)\b",
    "npv": r"\bnpvs?\b|\bnegative predictive (?:values?|power)\b",
    "calibration": r"\b(?:well|badly|poorly) ?-?calibrated\b|\bcalibrated (?:for|on|among|in|across|with)\b|\bcalibration\b",
}

FAIR = (
    r"\b(?:un)?fair(?:ly|ness)?\b(?! (?:enough|to (?:say|assume|conclude|think)))"
    r"|\bbias(?:ed|es)?\b|\bdiscriminat\w*|\bdemographic parity\b"
    r"|\bequal(?:ized|ised)? (?:odds|opportunity)\b|\bdisparate impact\b"
)
CROSS_TABLE = r"\bcross ?-? ?tab\w*|\btabulat\w*|\bcontingency table"
THRESHOLD, ERROR_COST = r"\bthresholds?\b|\bcut ?-?(?:offs?|points?)\b", r"\bcost(?:s|ed|ing|ly)?\b"
CELL_VERB = r"\boverlook(?:s|ed)?\b|\bslip(?:s|ped)? through\b"
CELL_NAME = r"\b(?:false|true) (?:positive|negative)s?\b"
# Of what matters: "does glucose carry more weight than age?"
CARRIED_WEIGHT = (
    r"\bcarr(?:y|ies|ied) (?:\w+ )?weight\b|\b(?:what|how much) weight (?:do|does|did|has|have)\b|\bgiv\w+ (?:\w+ )?weight to\b"
)


@dataclass(frozen=True)
class RequestPhrases:
    """One entry of phrases.toml without its phrases; see there."""

    gives: str
    contrary: bool = False
    other_than_last: bool = False
    no_share: bool = False
    one_row: bool = False
    many_values: bool = False
    quantity: bool = False
    no_column: bool = False
    no_number: bool = False
    two_columns: bool = False
    doubtful_rows: bool = False
    side_by_side: bool = False
    names_class: bool = False
    classes: int = 0
    default: float = 0.0

    @property
    def takes_class(self) -> bool:
        """Whether a class in the message is an argument, which no rows are picked by."""
        return self.names_class or "{c}" in self.gives


@dataclass(frozen=True)
class PlainRequest:
    """The operations that a message names, with the columns, the class and the numbers that are their arguments. `whole`: the
    message says nothing else."""

    steps: tuple[Step, ...]
    columns: frozenset[str]
    takes_class: bool
    numbers: tuple[float, ...]
    one_row: bool = False
    doubtful_rows: bool = False
    side_by_side: bool = False
    whole: bool = False


@dataclass(frozen=True)
class _Word:
    """A word of the message as patterns see it, with what it stands for."""

    tag: str
    column: str = ""
    number: float = 0.0
    class_number: int | None = None


@lru_cache(maxsize=1)
def _phrases() -> PatternSet[RequestPhrases]:
    content = tomllib.loads(resources.files(__package__).joinpath("phrases.toml").read_text("utf-8"))
    pairs: list[tuple[Pattern, RequestPhrases]] = []
    for entry in content["request"]:
        phrases = entry.pop("phrases")
        request = RequestPhrases(**entry)
        pairs += [(compile_pattern(_with_words(phrase, content["words"])), request) for phrase in phrases]
    return PatternSet(pairs)


def _with_words(phrase: str, words: dict[str, str]) -> str:
    return re.sub(r"@(\w+)", lambda match: words.get(match[1], match[0]), phrase)


def plain_request(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema) -> PlainRequest | None:
    """The operations that a message names plainly, or None."""
    words = _folded(tokens, mentions, class_words(schema))
    matches = sorted(
        _phrases().find([word.tag for word in words]),
        key=lambda match: (-match[2].weight, -_arguments(match[3], words[match[0] : match[1]]), match[1] - match[0]),
    )
    for start, end, _, phrases in matches:
        if phrases.no_column and any(word.column for word in words[start : end + JUST_AFTER]):
            continue
        beside = [words[index] for index in (start - 1, end) if 0 <= index < len(words)]
        request = _request(phrases, words[start:end], beside, tokens, schema)
        if request is not None:
            others = {word.tag for word in (*words[:start], *words[end:])}
            return replace(request, whole=others <= ASIDE)
    return None


def _arguments(phrases: RequestPhrases, words: Sequence[_Word]) -> int:
    """How many arguments a phrase takes, and whether a number of these words is one."""
    return phrases.gives.count("{") + ("{n}" in phrases.gives and any(word.tag == "<n>" for word in words))


def class_words(schema: Schema) -> dict[str, int]:
    """Words that only one class has in its name, with its number: "bad" of a bad and a good credit risk."""
    words = [set(re.findall(r"[a-z]+", str(name).lower())) for name in schema.target.classes]
    return {word: at for at, own in enumerate(words) for word in own if sum(word in other for other in words) == 1}


def _folded(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], classes: Mapping[str, int]) -> list[_Word]:
    """The words of a message, each mention as one of them; the words of a rate's name mention no column.

    Behind a word such as "predicted" one word is enough of the name of a class.
    """
    named = technical_words(tokens)
    starts = {
        m.start: m
        for m in sorted(mentions, key=lambda m: m.end - m.start)
        if m.coverage >= NAMED and not named & set(range(m.start, m.end))
    }
    words, at = list[_Word](), 0
    while at < len(tokens):
        mention = starts.get(at)
        if mention is not None:
            words.append(_mentioned(mention))
            at = max(mention.end, at + 1)
            continue
        token = tokens[at]
        if at and token.text in classes and tokens[at - 1].text in CLASSED:
            words.append(_Word("<c>", class_number=classes[token.text]))
            at += 1
            continue
        is_number = token.kind is TokenKind.NUMBER and token.form != "ordinal"
        words.append(_Word("<n>", number=token.value) if is_number else _Word(token.raw or token.text))
        at += 1
    return words


def _mentioned(mention: SchemaMention) -> _Word:
    name = mention.name
    if name.feature is not None:
        return _Word("<f>" if name.role in COLUMNS else "<v>", name.feature.token)
    return _Word("<t>" if name.class_number is None else "<c>", class_number=name.class_number)


def _request(
    phrases: RequestPhrases, words: Sequence[_Word], beside: Sequence[_Word], tokens: Sequence[UtteranceToken], schema: Schema
) -> PlainRequest | None:
    """What the words of a phrase ask for, or None where it does not suit the data set; a number may stand `beside` it."""
    columns = list(dict.fromkeys(word.column for word in words if word.column))
    numbers = _numbers((*beside, *words))
    if numbers == [1] and any(token.kind is TokenKind.NUMBER and token.value > 1 for token in tokens):
        return None  # `one` of `missing one` is no number of its own
    if not _suits(phrases, columns, tokens, schema) or set(_models_counted(words)) - {2}:
        return None
    classes, asked = len(schema.target.classes), _class_asked(phrases, words, len(schema.target.classes))
    if phrases.other_than_last and classes == 2 and asked == classes - 1:
        return None
    number = _of_last_class((numbers or [phrases.default])[0], phrases, tokens, schema)
    values = {
        "{f}": "".join(columns[:1]), "{g}": "".join(columns[1:2]), "{c}": str(asked),
        "{n}": f"{number:g}", "{1/n}": f"{1 / number:g}" if number else "", "{m}": _metric(tokens, schema),
        "{n?}": "".join(f" {value:g}{' percent' if _is_share(tokens) else ''}" for value in numbers),
    }  # fmt: skip
    text = re.sub(r"\{[^}]+\}", lambda match: values[match[0]], phrases.gives)
    try:
        steps = grammar_of(schema).read(text).steps
    except ParseError:  # an operation that this data set does not have, or an argument that is missing
        return None
    used = [name for name in columns if f" {name} " in f" {text} "]
    takes_number = re.search(r"n\??\}", phrases.gives) is not None
    arguments = tuple(numbers if takes_number else _models_counted(words))
    return PlainRequest(
        steps, frozenset(used), phrases.takes_class, arguments, phrases.one_row, phrases.doubtful_rows, phrases.side_by_side
    )


def classes_by_word(words: Sequence[str], schema: Schema) -> dict[int, int]:
    """Where words stand that one class alone has in its name, and which: "good" of good and bad risks, not "as bad as"."""
    own = {word: number for word, number in class_words(schema).items() if len(word) >= SHORTEST and word not in DENYING}
    own |= {f"{word}s": number for word, number in own.items()}
    return {at: own[word] for at, word in enumerate(words) if word in own and not (at and words[at - 1] in HOW)}


def _of_last_class(number: float, phrases: RequestPhrases, tokens: Sequence[UtteranceToken], schema: Schema) -> float:
    """What a miss of the last class costs: to miss the first of two, where that is named, is an alarm of the last.

    Where both are named, what is missed is the one behind that word: "a missed bad costs 5 times a declined good".
    """
    words = [token.text for token in tokens]
    named = classes_by_word(words, schema)
    missed = {named[at] for at in named if any(word.startswith("miss") for word in words[max(at - 2, 0) : at])}
    about = missed if len(missed) == 1 else set(named.values())
    return 1 / number if phrases.gives.startswith("threshold cost") and number and about == {0} else number


def _numbers(words: Sequence[_Word]) -> list[float]:
    """The number that words give, if any: `one miss is as bad as 5 false alarms` gives 5."""
    spoken = [word.number for word in words if word.tag == "<n>"]
    return ([number for number in spoken if number != 1] or spoken)[-1:]


def _class_asked(phrases: RequestPhrases, words: Sequence[_Word], classes: int) -> int | None:
    """The class that words name; the other of two, where the phrase says the contrary."""
    named = [word.class_number for word in words if word.class_number is not None]
    if not named:
        return None
    return 1 - named[-1] if phrases.contrary and classes == 2 else named[-1]


def _models_counted(words: Sequence[_Word]) -> list[float]:
    """How many models a phrase speaks of: "the 2 models" names no row 2, and "the 2008 models" are cars."""
    return [one.number for one, after in pairwise(words) if one.tag == "<n>" and after.tag in ("models", "classifiers")]


def _suits(phrases: RequestPhrases, columns: Sequence[str], tokens: Sequence[UtteranceToken], schema: Schema) -> bool:
    """Whether the data set and the rest of the message are such that a phrase can mean what it gives."""
    classes = len(schema.target.classes)
    if classes < phrases.classes or ("{g}" in phrases.gives and len(columns) < 2) or (phrases.quantity and classes):
        return False
    if phrases.two_columns and len(columns) != 2:
        return False  # "is age more important for women than for men" is about one column and two groups
    if phrases.no_number and sum(token.kind is TokenKind.NUMBER for token in tokens) > 1:
        return False
    if phrases.no_share and (_is_share(tokens) or any(0 < token.value < 1 for token in tokens)):
        return False
    return not phrases.many_values or len(schema.by_token[columns[0]].values) >= FEWEST_VALUES


def technical_words(tokens: Sequence[UtteranceToken]) -> set[int]:
    """Where names of rates, cells, fairness and cross-tables stand: the `rate` of "base rate" is none of the columns."""
    text = " ".join(token.text for token in tokens)
    of_errors = (ERROR_COST,) if re.search(THRESHOLD, text) else ()
    matches = [
        match
        for pattern in (*RATES.values(), FAIR, CROSS_TABLE, CELL_NAME, CELL_VERB, CARRIED_WEIGHT, *of_errors)
        for match in re.finditer(pattern, text)
    ]
    return {at for match in matches for at in range(text[: match.start()].count(" "), text[: match.end()].count(" ") + 1)}


def _is_share(tokens: Sequence[UtteranceToken]) -> bool:
    return any(token.form == "percent" or token.text in SHARES for token in tokens)


def _metric(tokens: Sequence[UtteranceToken], schema: Schema) -> str:
    """The score that a message names, else how often the model is right, or by how much it is off."""
    return named_metric(tokens, schema) or ("accuracy" if schema.target.is_classification else "mae")


def named_rates(text: str, schema: Schema) -> list[str]:
    """The rates of a classifier that a message names in full."""
    if not schema.target.is_classification:
        return []
    return [metric for metric, pattern in RATES.items() if re.search(pattern, text)]


def named_metric(tokens: Sequence[UtteranceToken], schema: Schema) -> str | None:
    """The score that a message names."""
    words = [token.text for token in tokens]
    rates = named_rates(" ".join(words), schema)
    if rates:
        return rates[0]
    matches = [
        (-pattern.weight, cue.gives) for _, _, pattern, cue in cue_book().cues.find(words) if cue.gives.startswith("score ")
    ]
    metric = min(matches)[1].removeprefix("score ") if matches else "default"
    return None if metric in ("default", "confusion") else metric
