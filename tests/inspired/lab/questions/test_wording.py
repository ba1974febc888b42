"""Two sets of words that have no phrase in common."""

import re
import warnings

import pytest

from inspired.knowledge_base.graph import Graph
from inspired.lab.questions.generator import generate
from inspired.lab.questions.links import Links
from inspired.lab.questions.speech import conjugated, sentence
from inspired.lab.questions.ties import attributes, usage
from inspired.lab.questions.wording import JOIN, Entry, QuestionWording, WordingLexicon, read_wording

PHRASES = ("ask", "of", "is_", "has", "more", "less", "most", "least", "amount")
_WORD = re.compile(r"[a-z]+")
# Words that any two English sentences share say nothing about wordings.
_SMALL = frozenset("a an the of in is are has have do does did it its to by for on at as with and or than that which".split())


def normal(phrase: str) -> str:
    return " ".join(_WORD.findall(re.sub(r"\{\w+\}", "slot", phrase.lower())))


def phrases(entry: Entry) -> set[str]:
    return {phrase for field in PHRASES for phrase in getattr(entry, field)}


@pytest.fixture(params=["train", "held-out"])
def wording(request: pytest.FixtureRequest) -> QuestionWording:
    return read_wording(request.param)


def test_no_phrase_stands_in_both_sets() -> None:
    train, held = read_wording("train"), read_wording("held-out")
    assert set(train.links) == set(held.links)
    known = {normal(phrase) for entry in train.links.values() for phrase in phrases(entry)}
    assert not [phrase for entry in held.links.values() for phrase in phrases(entry) if normal(phrase) in known]
    built = {normal(phrase) for listed in train.sentences.values() for phrase in listed}
    assert not [phrase for listed in held.sentences.values() for phrase in listed if normal(phrase) in built]
    assert set(train.sentences) == set(held.sentences)


def test_the_sets_differ_in_most_of_their_words() -> None:
    """The share of words of a held-out phrase that also stand in a train phrase for the same link."""
    train, held = read_wording("train"), read_wording("held-out")
    shares = []
    for key, entry in held.links.items():
        known = {word for phrase in phrases(train.links[key]) for word in _WORD.findall(phrase.lower())} - _SMALL
        words = [word for phrase in phrases(entry) for word in _WORD.findall(re.sub(r"\{\w\}", " ", phrase.lower()))]
        telling = [word for word in words if word not in _SMALL]
        shares.append(sum(word in known for word in telling) / len(telling))
    print(f"lexical overlap of held-out with train phrases: {sum(shares) / len(shares):.3f}")
    assert sum(shares) / len(shares) < 0.5


def test_every_phrase_has_the_right_slots(wording: QuestionWording) -> None:
    for key, entry in wording.links.items():
        about = {"{a}"} if "| government.government_position_held" in key else set()
        for field, slots in (("ask", {"{s}"}), ("of", {"{s}"}), ("is_", {"{s}"}), ("has", {"{o}"})):
            for phrase in getattr(entry, field):
                assert set(re.findall(r"\{\w+\}", phrase)) == slots | about, (key, phrase)
        for phrase in (*entry.more, *entry.less):
            assert "{v}" in phrase or "{amount}" in phrase, (key, phrase)
        for phrase in entry.ask:
            assert phrase.endswith(("?", ".")) or "currency_history" in key


def test_the_main_links_have_several_wordings_in_both_sets() -> None:
    for name, least in (("train", 3), ("held-out", 2)):
        links = read_wording(name).links
        rich = [key for key, entry in links.items() if len(phrases(entry)) >= least]
        assert len(rich) >= 60
        assert all(len(phrases(entry)) >= least - 1 for entry in links.values())


def test_every_link_of_the_world_can_be_said(world: Graph) -> None:
    links = Links(world, attributes())
    for name in ("train", "held-out"):
        lexicon = WordingLexicon(read_wording(name), links, guesses=False)
        for edge in (*links.all, *links.values, *links.texts):
            if links.pairs(edge) and JOIN.join(edge.path) not in usage()["only_with"]:
                assert lexicon.knows(edge.path), (name, edge.path)
        for path, predicate in usage()["shares"].items():
            assert lexicon.knows(tuple(path.split(JOIN)), predicate)


@pytest.mark.slow
def test_questions_read_as_sentences(world: Graph) -> None:
    for name in ("train", "held-out"):
        for each in generate(world, 8, 200, name):
            assert re.fullmatch(r"[A-ZÀ-ÞŠ'\d“].*[?.]", each.question), each.question
            assert not re.search(r"[{}]|\b(m|g|ns)[.:]|  |\bthe the\b|\ba [aeio](?!ne\b)\w", each.question), each.question


@pytest.mark.slow
def test_one_seed_asks_the_same_in_both_wordings(world: Graph) -> None:
    train, held = (list(generate(world, 11, 40, name)) for name in ("train", "held-out"))
    assert [each.form for each in train] == [each.form for each in held]
    assert all(one.question != other.question for one, other in zip(train, held, strict=True))


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("borders France", "border France"),
        ("has Paris as its capital", "have Paris as their capital"),
        ("is in the country that has its mouth in Spain", "are in the country that has its mouth in Spain"),
        ("lies in Chile", "lie in Chile"),
        ("passes through Peru", "pass through Peru"),
        ("became independent after 1960", "became independent after 1960"),
    ],
)
def test_verbs_agree(one: str, several: str) -> None:
    assert conjugated(one) == several


def test_sentences_are_mended() -> None:
    with warnings.catch_warnings():
        assert sentence("what is the  the Danube ?") == "What is the Danube?"
