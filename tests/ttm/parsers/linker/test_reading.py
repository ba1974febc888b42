"""The parts of the default parser one by one: numbers, typing errors, links, the pattern language."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.parsers import LinkingParser
from ttm.parsers.linker.requests.operation_cues import cue_book
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.lexicon import kin, stem
from ttm.parsers.linker.words.patterns import compile_pattern, match
from ttm.parsers.linker.words.tokens import TokenKind, tokenise


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("twenty-one", 21),
        ("2,000", 2000),
        ("21.", 21),
        ("the thirty-second row", 32),
        ("two hundred and five", 205),
        ("0.8", 0.8),
        (".5", 0.5),
        ("zero point eight", 0.8),
        ("forty", 40),
        ("$1,500.50", 1500.5),
        ("$\x1f7", 7),  # a control character that counts as a space
        ("10k", 10000),
        ("under 150 000 euros", 150_000),
        ("1\u202f250\u202f000", 1_250_000),
        ("5 thousand", 5000),
        ("a dozen", 12),
        ("33rd", 33),
        ("-4", -4),
        ("one hundred", 100),
        ("ninety nine", 99),
    ],
)
def test_numbers_are_read_however_they_are_written(text: str, value: float) -> None:
    numbers = [token for token in tokenise(text) if token.kind is TokenKind.NUMBER]
    assert [token.value for token in numbers] == [value]
    assert " " not in numbers[0].text, "words are counted by blanks"


def test_numbers_side_by_side_are_not_one() -> None:
    assert [token.value for token in tokenise("rows 12 300") if token.kind is TokenKind.NUMBER] == [12, 300]


def test_one_is_not_always_a_number() -> None:
    assert not [token for token in tokenise("this one of those, which one?") if token.kind is TokenKind.NUMBER]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pregnancies", "pregnant"),
        ("months", "month"),
        ("diabetic", "diabetes"),
        ("unemployment", "unemployed"),
        ("jail", "prison"),
        ("owning", "owns"),
        ("loans", "loan"),
    ],
)
def test_forms_of_a_word_are_kin(one: str, other: str) -> None:
    assert kin(stem(one), stem(other)) >= 0.85


@pytest.mark.parametrize(("one", "other"), [("general", "generate"), ("order", "older"), ("house", "horse")])
def test_strangers_are_not_kin(one: str, other: str) -> None:
    assert kin(stem(one), stem(other)) == 0


@pytest.mark.parametrize(
    ("utterance", "column"),
    [
        ("people with prior crimes", "number_of_prior_crimes"),
        ("their prison terms", "months_in_jail"),
        ("misdemeanours", "misdemeanor"),
        ("their age", "age"),
        ("NumberOfPriorCrimes", "number_of_prior_crimes"),
        ("number_of_prior_crimes", "number_of_prior_crimes"),
    ],
)
def test_columns_are_recognised_in_other_words(utterance: str, column: str) -> None:
    names = [
        mention.name.feature.name
        for mention in Linker(SCHEMAS["recidivism"]).mentions(tokenise(utterance))
        if mention.name.feature
    ]
    assert names == [column]


@pytest.mark.parametrize(
    ("utterance", "wanted"),
    [
        ("how many people have a misdemeaner", "filter misdemeanor true and countdata"),
        ("waht is the avrage age", "statistic age"),
        ("how acurate are you", "score accuracy"),
        ("shwo me peple oldr than 30", "filter age greater than 30 and show"),
    ],
)
def test_typing_errors_are_forgiven(utterance: str, wanted: str) -> None:
    best = LinkingParser(SCHEMAS["recidivism"]).understand(utterance).best
    assert best is not None
    assert str(best.parse) == f"{wanted} [e]"


@pytest.mark.parametrize(
    ("comparison", "comparator"),
    [
        ("over 30", "greater than"),
        ("at least 30", "greater equal than"),
        ("30 or more", "greater equal than"),
        ("no more than 30", "less equal than"),
        ("30 or younger", "less equal than"),
        ("under 30", "less than"),
        ("exactly 30", "equal to"),
        ("not over 30", "less equal than"),
        ("greater than or equal to 30", "greater equal than"),
        ("at most 30", "less equal than"),
        ("other than 30", "not equal to"),
        (">= 30", "greater equal than"),
        ("< 30", "less than"),
        ("no less than 30", "greater equal than"),
        ("up to 30", "less equal than"),
    ],
)
def test_comparisons(comparison: str, comparator: str) -> None:
    best = LinkingParser(SCHEMAS["recidivism"]).understand(f"how many people have an age of {comparison}").best
    assert best is not None
    assert str(best.parse) == f"filter age {comparator} 30 and countdata [e]"


@pytest.mark.parametrize(
    ("pattern", "words", "matches"),
    [
        ("how likely", "how likely is it", True),
        ("how ... likely", "how on earth likely", True),
        ("^ why", "and why", False),
        ("mistake*", "mistakes were made", True),
        ("top <n> @feature?", "top <n> things", True),
        ("why $", "why not", False),
        ("how ... likely", "how a b c d e f likely", False),
        ("a? b", "b", True),
    ],
)
def test_patterns(pattern: str, words: str, matches: bool) -> None:
    assert (match(compile_pattern(pattern), words.split(), 0) is not None) == matches


def test_the_cue_file_can_be_read_whole() -> None:
    book = cue_book()
    assert len(list(book.cues.find("how likely is it".split()))) >= 1
    assert {"mistake", "predict", "explain", "how"} <= set(book.silences)
