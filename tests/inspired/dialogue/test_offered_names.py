"""Names that complete what is typed: which of them, in which order, and in place of which words."""

from pathlib import Path

import pytest

from inspired.dialogue.offered_names.known_names import known_names
from inspired.dialogue.offered_names.name_index import KnownName, NameIndex, plain_words
from inspired.dialogue.offered_names.offers import MOST, Offer, offers_for
from inspired.dialogue.session import Assistant, Parts, silent
from inspired.knowledge_base.graph import Graph, read_graph
from inspired.knowledge_base.published import RDFS
from inspired.logical_form.forms import Entity, Literal
from tests.inspired.scripted import Late, small_world

NAMES = (
    KnownName("Germany", "country", 0.9),
    KnownName("German", "language", 0.6),
    KnownName("Swiss German", "language", 0.7),
    KnownName("Germany", "country", 0.8, "Deutschland"),
    KnownName("South America", "continent", 0.5),
    KnownName("United States of America", "country", 0.9),
    KnownName("The Hague", "city", 0.4),
    KnownName("Ivory Coast", "country", 0.4, "Côte d'Ivoire"),
    KnownName("White Nile", "river", 0.2),
    KnownName("New York", "US state", 0.6),
    KnownName("New York City", "city", 0.5),
    KnownName("kind of soil", "relation", 0.3),
)


@pytest.fixture(scope="module")
def index() -> NameIndex:
    return NameIndex(NAMES)


def offered(before: str, index: NameIndex) -> list[str]:
    return [each.text for each in offers_for(before, index).offers]


@pytest.mark.parametrize(
    ("before", "texts"),
    [
        ("Which neighbours of Ger", ["Germany", "German", "Swiss German"]),  # known and at the start before known alone
        ("ger", ["Germany", "German", "Swiss German"]),
        ("rivers of south am", ["South America"]),
        ("Where is Ameri", ["United States of America", "South America"]),
        ("the capital of Am", []),  # "of Am" begins no name, and two letters are too few
        ("cote d", ["Ivory Coast"]),
        ("Deutsch", ["Germany"]),
        ("New York", ["New York City"]),  # whole already: what goes on from it
        ("Whi", []),  # as "Which" begins
        ("near the Whi", ["White Nile"]),
        ("Germany's", []),
        ("Ge", []),
        ("Germany ", []),
        ("Soil", ["Kind of soil"]),
        ("", []),
        ("?", []),
    ],
)
def test_the_last_words_are_completed(index: NameIndex, before: str, texts: list[str]) -> None:
    assert offered(before, index) == texts


def test_an_offer_takes_the_place_of_all_words_that_it_has(index: NameIndex) -> None:
    assert offers_for("Where is the Hag", index).offers == (Offer("the Hag", "The Hague", "city"),)
    assert offers_for("in South Am", index).offers[0].typed == "South Am"
    assert offers_for("from Côte", index).offers[0] == Offer("Côte", "Ivory Coast", "country, also Côte d'Ivoire")


def test_it_is_told_when_more_letters_bring_nothing(index: NameIndex) -> None:
    assert offers_for("xyz", index).ended
    assert not offers_for("xy", index).ended  # "xy" could be too short, not unknown
    assert not offers_for("the", index).ended  # "theory" begins so
    for before in ("Which neighbours of Germany", "xyz", "the lar"):
        if offers_for(before, index).ended:
            assert offers_for(f"{before}k", index).offers == ()


def test_no_more_than_eight_and_each_once() -> None:
    index = NameIndex(KnownName(f"Name {number % 20}", weight=number / 100) for number in range(100))
    texts = offered("near Nam", index)
    assert len(texts) == MOST == len(set(texts))
    assert texts[0] == "Name 19"


def test_the_index_finds_what_a_look_at_every_name_finds() -> None:
    names = [KnownName(f"{a}{b}{c} {b}{a}-{c}{a * 50}") for a in "abé" for b in "Abc" for c in "abz"]
    index = NameIndex(names)
    for words in ("a", "ab", "aba ba", "e", "zz", "aba ba z", "ba", "aaa", "a" * 45):
        expected = {each.text for each in names if has_beginning(each.text, words)}
        assert {each.text for each in index.beginning(words, 1000)} == expected


def has_beginning(name: str, words: str) -> bool:
    parts = plain_words(name)
    return any(" ".join(parts[start:]).startswith(words) for start in range(len(parts)))


def test_names_of_a_graph_are_of_things_kinds_and_relations(tmp_path: Path) -> None:
    assistant = small_world(tmp_path)
    assistant.parts(silent)
    names = {(each.text, each.about) for each in known_names(read_graph(tmp_path / "world.ttl"))}
    assert {("Austria", ""), ("Euro", ""), ("city", "kind of thing"), ("US state", "kind of thing")} <= names
    assert ("Vienna", "city, US state") in names or ("Vienna", "US state, city") in names
    assert all(text.strip() and "\n" not in text for text, _ in names)
    assistant.put_away()


def test_published_relations_are_offered_by_their_labels(tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    facts = f'<http://e.example/1> {label} "Otto" ; <http://e.example/sees> <#2> . <#2> {label} "Uta" .'
    (tmp_path / "own.ttl").write_text(
        f'@base <http://e.example/> . {facts} <http://e.example/sees> {label} "Best friend" .', "utf-8"
    )
    names = {each.text: each.about for each in known_names(read_graph(tmp_path / "own.ttl"))}
    assert names == {"Otto": "", "Uta": "", "best friend": "relation"}


def test_a_graph_without_names_offers_nothing() -> None:
    assert offers_for("Ger", NameIndex(known_names(Graph(())))).offers == ()


def test_nothing_is_offered_before_the_knowledge_base_is_read_nor_after_it_is_put_away(tmp_path: Path) -> None:
    assistant = small_world(tmp_path)
    assert assistant.offered_names("Aus").offers == ()
    assistant.parts(silent)
    assert [each.text for each in assistant.offered_names("Aus").offers] == ["Austria"]
    assistant.put_away()
    assert assistant.offered_names("Aus").offers == ()


def test_what_is_asked_in_place_offers_the_names_of_its_sample_and_is_not_asked_for_more() -> None:
    kb = Late()
    facts = (
        ("http://e.example/1", f"{RDFS}label", Literal("Otto")),
        ("http://e.example/1", "http://e.example/sees", Entity("#2")),
    )
    assistant = Assistant("place", "", lambda: Parts(kb, None, sample=facts))
    assistant.parts(silent)
    assert [each.text for each in assistant.offered_names("Ott").offers] == ["Otto"]
    assert kb.asked == []
