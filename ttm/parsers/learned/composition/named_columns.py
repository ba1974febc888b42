"""Columns that a message leaves no doubt about: by a number beside their names ("2 dependents, 1 report" is no income of 1),
and by the name of one of their values ("those in Tulare")."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ttm.language.parse import Change, Instance, Parse
from ttm.parsers.learned.decisions.general_words import is_general
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import FeatureKind

_NAMED = (NameRole.FEATURE, NameRole.CATEGORY)
_WHOLE = 0.95  # share of a name that has to be said
_UNITS = frozenset("year years month months day days date".split())  # in these, numbers of any column are told
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth", re.IGNORECASE)
_ID = re.compile(r"\bid \S+")
_BETWEEN = frozenset("of is was = : are".split())


def named_numbers(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention]) -> Mapping[float, str]:
    """The columns of the numbers that stand beside the name of one column, which has no other number beside it.

    Of 736 messages of the corpus that tell of a made-up case with such a number, 10 have it in another column or ask nothing of
    that column.
    """
    whole = [*_columns_named(mentions)]
    numbers = [(at, token.value) for at, token in enumerate(tokens) if _is_measured(token)]
    often, at_numbers = Counter(value for _, value in numbers), {at for at, _ in numbers}
    result: dict[float, str] = {}
    for at, value in numbers:
        last = at - (at > 0 and tokens[at - 1].text in _BETWEEN)
        behind = [token for one, token in whole if one.start == at + 1 and one.end not in at_numbers]
        ahead = [token for one, token in whole if one.end == last and one.start - 1 not in at_numbers]
        if len({*behind, *ahead}) == 1 and often[value] == 1:
            result[value] = (behind or ahead)[0]
    return result


def named_values(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention]) -> Mapping[str, str]:
    """The values that are named by words of no other use, in those words, with their columns."""
    whole = [one for one in mentions if one.name.role is NameRole.VALUE and one.coverage >= _WHOLE and len(one.names) == 1]
    spoken = [(one.name.feature, [token.text for token in tokens[one.start : one.end]]) for one in whole]
    return {" ".join(words): column.token for column, words in spoken if column and not any(map(is_general, words))}


def leaves_out(parse: Parse, values: Mapping[str, str]) -> bool:
    """Whether a parse holds neither a value that is named nor anything of its column, nor another name with its words in it.

    Of 2,032 such names in the corpus, 26 are in no fair reading in any of these ways, 10 of them beside the id of a row.
    """
    text = _ID.sub("", str(parse))
    return any(
        f" {column} " not in text and not all(word in text for word in words.split()) for words, column in values.items()
    )


def _columns_named(mentions: Sequence[SchemaMention]) -> Iterator[tuple[SchemaMention, str]]:
    """The mentions that say all of the name of a column of numbers, with it."""
    for one in mentions:
        column = one.name.feature if one.coverage >= _WHOLE and one.name.role in _NAMED else None
        if column is not None and column.kind is FeatureKind.NUMERIC and column.token not in _UNITS:
            yield one, column.token


def _is_measured(token: UtteranceToken) -> bool:
    return token.kind is TokenKind.NUMBER and not _ORDINAL.fullmatch(token.raw or token.text)


def misplaces(parse: Parse, numbers: Mapping[float, str]) -> bool:
    """Whether a made-up case has such a number in another column, or nothing of its own column."""
    cases = [pair for step in parse.steps if isinstance(step, Instance) for pair in step.values]
    held = {*cases, *((step.feature, step.value) for step in parse.steps if isinstance(step, Change))}
    words = {*str(parse).split()}
    return bool(cases) and any(
        (column, value) not in held and (column not in words or any(other == value for _, other in cases))
        for value, column in numbers.items()
    )
