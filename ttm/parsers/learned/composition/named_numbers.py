"""Numbers that stand beside the name of a column are of that column: "2 dependents, 1 report" is no income of 1."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ttm.language.parse import Change, Instance, Parse
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import FeatureKind

_NAMED = (NameRole.FEATURE, NameRole.CATEGORY)
_WHOLE = 0.95  # share of a name that has to be said
_UNITS = frozenset("year years month months day days date".split())  # in these, numbers of any column are told
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth", re.IGNORECASE)
_BETWEEN = frozenset("of is was = : are".split())


def named_numbers(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention]) -> Mapping[float, str]:
    """The columns of the numbers that stand beside the name of one column, which has no other number beside it.

    Of 736 messages of the corpus that tell of a made-up case with such a number, 10 mean it otherwise.
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
