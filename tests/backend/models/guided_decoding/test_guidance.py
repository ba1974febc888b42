"""Masks and grammar agree: every sentence can be decoded by every kind of vocabulary, and all that is decoded is one."""

import random
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark
from lark.exceptions import UnexpectedInput

from backend.errors import LanguageModelError
from backend.models.guided_decoding import GuidedVocabulary, TokenTexts, allowed_by, of_tokenizer
from tests.backend.models.guided_decoding import vocabularies
from ttm.language.grammar import Grammar, grammar_text
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target, feature_tokens

KINDS = ("byte-level", "unigram", "byte fallback", "word pieces", "ours")
# Names that begin alike; values with spaces, marks, words of the language, other scripts and letters with accents.
VALUES = ("new", "new car", "car", "car and bike", "or b", 'quo"te', "back\\slash", "5", "-3.5", "a|b", "(a)", "a.*", "missing",
          "not", "женат", "已婚", "ünï", "ß", "true", "percent", "$", "'", "#x", "x versus filter", "{x}", "{x} y")  # fmt: skip
SCHEMA = Schema(
    "t", "o",
    (Feature("age", "age", FeatureKind.NUMERIC, low=0, high=99), Feature("agent", "agent", FeatureKind.NUMERIC, low=0, high=9),
     Feature("purpose", "purpose", FeatureKind.CATEGORICAL, VALUES), Feature("felony", "felony", FeatureKind.BOOLEAN, (0, 1)),
     Feature("wohnt größer", "wohntgrößer", FeatureKind.BOOLEAN, (0, 1)), Feature("since", "since", FeatureKind.DATE)),
    Target("y", ("bad", "good"), (0, 1)),
)  # fmt: skip
TEXT = grammar_text(SCHEMA)
LARK = Lark(TEXT, parser="lalr", lexer="contextual", maybe_placeholders=False)
SETTINGS = settings(max_examples=15, suppress_health_check=list(HealthCheck))


def reads(text):
    try:
        LARK.parse(text)
    except UnexpectedInput:
        return False
    return True


def bare(text):
    """Without capitals and accents, as word pieces keep it."""
    return "".join(sign for sign in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(sign))


def sentences():
    return from_lark(LARK, start="start", alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"])).filter(reads)


@SETTINGS
@given(sentence=sentences())
@pytest.mark.slow
def test_every_sentence_can_be_decoded(sentence):
    for kind in KINDS:
        vocabulary, encode = vocabularies.vocabularies()[kind]
        guidance, tokens = vocabulary.guidance(TEXT), encode(sentence)
        for place, token in enumerate(tokens or ()):
            assert guidance.mask(tuple(tokens[:place]))[token], (kind, place)
        if tokens is not None:
            assert guidance.mask(tuple(tokens))[list(vocabulary.texts.ends)].all(), kind
            written = guidance.text(tokens).replace(" ", "")  # word pieces tell no space at marks, and no capitals in ids
            wanted = sentence.replace(" ", "")
            assert written == wanted or (kind == "word pieces" and bare(written) == bare(wanted))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@SETTINGS
@given(seed=st.integers(0, 2**32))
def test_whatever_is_decoded_is_a_sentence(kind, seed):
    vocabulary, _ = vocabularies.vocabularies()[kind]
    guidance = vocabulary.guidance(grammar_text(SCHEMA, numbers=("30", "0.5"), identifiers=("33", '"p 3"')))
    tokens = walk(guidance, vocabulary, random.Random(seed))
    text = guidance.text(tokens)
    assert reads(text), text
    assert str(Grammar(SCHEMA).read(text)) is not None
    assert set(re.findall(r"(?<=n )[\d.]+ ", text)) <= {"30 ", "0.5 "}  # dates are not numbers


def walk(guidance, vocabulary, draw, most=2000):
    """Tokens drawn among those allowed, one of those with `[e]` where there is one, so that it comes to an end."""
    tokens = ()
    while len(tokens) < most:
        allowed = guidance.allowed(tokens)
        assert len(allowed), vocabulary.texts.glued[tokens[-1]]
        if set(allowed) & set(vocabulary.texts.ends):
            return tokens
        closing = [token for token in allowed if b"[" in vocabulary.texts.glued[token]]
        tokens = (*tokens, int(draw.choice(closing if closing and draw.random() < 0.4 else allowed)))
    raise AssertionError("no end")


def test_a_word_that_the_vocabulary_cannot_spell_is_a_dead_end_and_no_failure():
    vocabulary, encode = vocabularies.vocabularies()["ours"]
    guidance = vocabulary.guidance('start: "age 30" | "agent \u0436\u0416"\n')
    assert list(guidance.allowed(tuple(encode("age 30")))) == list(vocabulary.texts.ends)
    assert encode("\u0416") is None
    assert not len(guidance.allowed(tuple(encode("agent \u0436"))))


def test_a_word_in_an_accent_that_is_lost_is_found_again():
    vocabulary, encode = vocabularies.vocabularies()["word pieces"]
    guidance = vocabulary.guidance('start: "ünï " | "plain "\n')
    assert guidance.text(encode("ÜNÏ")) is None  # the sentence ends in a space
    assert vocabulary.guidance('start: "ünï" | "été"\n').text(encode("ETE")) == "été"
    assert vocabulary.guidance('start: "été" | "ete"\n').text(encode("ete")) == "ete"


def test_each_output_has_its_own_grammar():
    vocabulary, encode = vocabularies.vocabularies()["byte-level"]
    allowed = allowed_by([vocabulary.guidance('start: "age"\n'), vocabulary.guidance('start: "car"\n')])
    for number, word in enumerate(("age", "car")):
        assert encode(word)[0] in allowed(number, ())
        assert encode(word)[0] not in allowed(1 - number, ())


def test_states_are_forgotten_without_a_difference(monkeypatch):
    from backend.models.guided_decoding import guidance as module

    vocabulary, encode = vocabularies.vocabularies()["unigram"]
    tokens = tuple(encode("filter age greater than 30 and predict [e]"))
    kept = [vocabulary.guidance(TEXT).mask(tokens[:place]) for place in range(len(tokens) + 1)]
    monkeypatch.setattr(module, "_MOST_STATES", 3)
    few = module.Guidance(vocabulary, TEXT)
    for place in (*range(len(tokens) + 1), *reversed(range(len(tokens) + 1))):
        assert np.array_equal(few.mask(tokens[:place]), kept[place])
    assert len(few._readings) <= 4


def test_what_cannot_guide_is_told():
    vocabulary, _ = vocabularies.vocabularies()["ours"]
    for text, words in (("start: nothing\n", "cannot guide"), ('%import common.WS\nstart: "a"\n', "Line 1 of the Lark")):
        with pytest.raises(LanguageModelError, match=words):
            vocabulary.guidance(text)
    with pytest.raises(LanguageModelError, match="no fast tokenizer"):
        of_tokenizer(object())


def test_a_word_that_was_added_stands_alone():
    vocabulary, encode = vocabularies.vocabularies()["unigram"]
    guidance = vocabulary.guidance('start: ("{x} " | "a " | "{x}b ")+ "[e]"\n')
    tokenizer = vocabularies.unigram()
    (added,) = (token for token in encode("{x}") if tokenizer.convert_ids_to_tokens(token) == "{x}")
    assert guidance.mask(())[added]
    after = guidance.allowed((added,))
    assert guidance.text((added, *encode("[e]"))) == "{x} [e]"
    assert all(not vocabulary.texts.glued[token].startswith(b"b") for token in after)


def test_the_first_and_the_last_of_hundreds_of_columns_guide():
    names = [f"Column {number} of type (x)" for number in range(500)]
    tokens = feature_tokens(names)
    features = tuple(Feature(name, token, FeatureKind.BOOLEAN, (0, 1)) for name, token in zip(names, tokens, strict=True))
    text = grammar_text(Schema("t", "o", features, Target("y", ("a", "b"), (0, 1))), numbers=("3",))
    vocabulary, encode = vocabularies.vocabularies()["byte-level"]
    guidance = vocabulary.guidance(text)
    sentence = tuple(encode(f"filter {tokens[-1]} true and change {tokens[0]} false and predict [e]"))
    for place, token in enumerate(sentence):
        assert guidance.mask(sentence[:place])[token]


def test_the_marks_of_a_vocabulary_are_passed_over():
    joins = (np.ones(4, bool), np.zeros(4, bool))
    texts = TokenTexts((b"", b"a", b"b", b""), (3,), lambda before: joins, marks=frozenset({0, 3}))
    guidance = GuidedVocabulary(texts).guidance('start: "a" "b"?\n')
    assert guidance.text((0, 1, 3, 2)) == "a"
    assert list(guidance.allowed((1,))) == [2, 3]
    assert guidance.text((2,)) is None
