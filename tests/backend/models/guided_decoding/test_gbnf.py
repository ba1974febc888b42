"""GBNF says the same as the Lark text it is made from; a reader of GBNF that shares nothing with the writer judges."""

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark
from lark.exceptions import UnexpectedInput

from backend.errors import LanguageModelError
from backend.models.guided_decoding import gbnf
from backend.models.language_models import GRAMMAR_WAYS, Guide, grammar_guide
from ttm.language.grammar import grammar_text
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target

VALUES = ("new", "new car", "car and bike", 'quo"te', "back\\slash", "a|b", "(a)", "a.*", "[x]", "ünï", "женат", "5", "a-b")
SCHEMA = Schema(
    "t", "o",
    (Feature("age", "age", FeatureKind.NUMERIC, low=0, high=99), Feature("agent", "agent", FeatureKind.NUMERIC, low=0, high=9),
     Feature("purpose", "purpose", FeatureKind.CATEGORICAL, VALUES), Feature("felony", "felony", FeatureKind.BOOLEAN, (0, 1)),
     Feature("since", "since", FeatureKind.DATE)),
    Target("price", low=0.0, high=9.0),
)  # fmt: skip
TEXT = grammar_text(SCHEMA)
LARK = Lark(TEXT, parser="lalr", lexer="contextual", maybe_placeholders=False)
SETTINGS = settings(max_examples=40, suppress_health_check=list(HealthCheck))
PIECE = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*)"|(?P<set>\[(?:[^\]\\]|\\.)*\])|(?P<name>[A-Za-z][\w-]*)|(?P<mark>[|()?*+]|\{[^}]*\})|\s+'
)
ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}


def as_regex(text):
    """The language of GBNF rules that do not call themselves, as one regular expression."""
    rules = dict(line.split(" ::= ", 1) for line in text.splitlines())

    def expanded(name):
        parts = []
        for match in PIECE.finditer(rules[name]):
            if match["string"] is not None:
                parts.append("(?:" + re.escape(re.sub(r"\\.", lambda found: ESCAPES[found[0]], match["string"])) + ")")
            elif match["name"]:
                parts.append(f"(?:{expanded(match['name'])})")
            else:
                parts.append(match["set"] or (match["mark"] or "").replace("(", "(?:"))
        assert sum(len(match[0]) for match in PIECE.finditer(rules[name])) == len(rules[name])  # nothing was passed over
        return "".join(parts)

    return re.compile(expanded("root"))


READER = as_regex(gbnf(TEXT))


def reads(text):
    try:
        LARK.parse(text)
    except UnexpectedInput:
        return False
    return True


def sentences():
    return from_lark(LARK, start="start", alphabet=st.characters(codec="utf-8", categories=["L", "N", "P"])).filter(reads)


@SETTINGS
@given(sentence=sentences(), seed=st.integers(0, 99))
def test_both_say_the_same_of_a_sentence_and_of_its_neighbours(sentence, seed):
    assert READER.fullmatch(sentence)
    draw, words = random.Random(seed), sentence.split(" ")
    for _ in range(5):
        other = list(words)
        place = draw.randrange(len(other))
        other[place : place + draw.choice((0, 1))] = [draw.choice((*words, "age", "and", "new", "30", "bike", ""))]
        text = " ".join(other)
        assert bool(READER.fullmatch(text)) == reads(text), text


def test_white_space_that_the_language_would_lose_is_in_neither():
    for text in ("filter id a\tb [e]", "filter id a\nb [e]", "filter  id a [e]", "filter id a [e]\n"):
        assert not READER.fullmatch(text)
        assert not reads(text)


def test_each_way_gets_its_own_dialect():
    for way in GRAMMAR_WAYS:
        guide = grammar_guide(TEXT, way)
        assert guide == Guide(way, TEXT if way == "lark" else gbnf(TEXT))
    with pytest.raises(LanguageModelError, match="takes no grammar; valid are lark, grammar"):
        grammar_guide(TEXT, "json_schema")
    with pytest.raises(LanguageModelError, match='A server takes no guide = "lark"'):
        assert Guide("lark", TEXT).fields


@pytest.mark.parametrize("regex", [r"/\bword/", "/^a/", "/a.b/"])
def test_a_regular_expression_that_gbnf_lacks_is_refused(regex):
    with pytest.raises(LanguageModelError, match="cannot be written as GBNF"):
        gbnf(f"start: {regex}\n")
