"""Names in a text and what they mean."""

import pytest

from inspired.knowledge_base.graph import Graph
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.entities import EntityLinker
from inspired.parsers.linking.words import stem

NAME, ALIAS, TYPE = "type.object.name", "common.topic.alias", "type.object.type"


def names(*pairs: tuple[str, str]) -> list[tuple[str, str, Literal]]:
    return [(id_, NAME, Literal(name, None, "en")) for id_, name in pairs]


@pytest.fixture
def linker() -> EntityLinker:
    facts = names(
        ("m.georgia", "Georgia"),
        ("m.georgia_us", "Georgia"),
        ("m.congo", "Congo"),
        ("m.dr_congo", "Democratic Republic of the Congo"),
        ("m.ivory_coast", "Ivory Coast"),
        ("m.us", "United States"),
        ("m.tbilisi", "Tbilisi"),
        ("m.africa", "Africa"),
        ("m.danube", "Danube River"),
        ("m.river", "River"),
    )
    aliases = [
        ("m.us", ALIAS, Literal("US", None, "en")),
        ("m.ivory_coast", ALIAS, Literal("Côte d'Ivoire", None, "en")),
    ]
    told = [
        ("m.georgia", "place.capital", Entity("m.tbilisi")),
        ("m.georgia", "place.demonym", Literal("Georgian", None, "en")),
        ("m.georgia", "place.calling_code", Literal("+995")),
        ("m.danube", "common.topic.notable_types", Entity("m.river")),
    ]
    return EntityLinker(Graph([*facts, *aliases, *told]))


def found(linker: EntityLinker, text: str) -> list[tuple[str, str]]:
    linking = linker.link(text)
    nodes = [(each, each.node) for each in linking.mentions]
    return [(linking.text(each), node.id if isinstance(node, Entity) else node.text) for each, node in nodes]


def test_a_longer_name_comes_before_those_inside_it(linker: EntityLinker) -> None:
    assert found(linker, "rivers of the democratic republic of the congo")[:2] == [
        ("democratic republic of the congo", "m.dr_congo"),
        ("congo", "m.congo"),
    ]


def test_a_word_of_one_name_only_names_it(linker: EntityLinker) -> None:
    assert found(linker, "ivory exports") == [("ivory", "m.ivory_coast")]
    assert ("Ivory", "m.ivory_coast") in found(linker, "exports of Ivory to Tbilisi")
    assert found(linker, "exports of ivory to Tbilisi") == [("Tbilisi", "m.tbilisi")]


def test_case_diacritics_possessives_and_apostrophes_do_not_matter(linker: EntityLinker) -> None:
    assert ("cote d’ivoire’s", "m.ivory_coast") in found(linker, "cote d’ivoire’s capital")


def test_a_pronoun_is_no_country_unless_in_capitals(linker: EntityLinker) -> None:
    assert found(linker, "tell us about it") == []
    assert found(linker, "the US") == [("US", "m.us")]


def test_a_slip_of_the_pen_is_forgiven_but_counts_less(linker: EntityLinker) -> None:
    (mention,) = linker.link("capital of Georgai").mentions[:1]
    assert mention.node in (Entity("m.georgia"), Entity("m.georgia_us"))
    assert mention.match < 0.8


def test_words_of_the_question_are_no_slips_of_the_pen(linker: EntityLinker) -> None:
    assert found(linker, "tbilsi") == [("tbilsi", "m.tbilisi")]
    assert linker.link("tbilsi", frozenset((stem("tbilsi"),))).mentions == ()


def test_adjectives_short_names_and_codes_lead_to_the_thing(linker: EntityLinker) -> None:
    assert ("Georgian", "m.georgia") in found(linker, "Georgian wine")
    assert ("african", "m.africa") in found(linker, "african rivers")
    assert ("danube", "m.danube") in found(linker, "how long is the danube")
    assert ("995", "+995") in found(linker, "calling code +995")


def test_one_name_for_two_things_is_reported_with_the_best_known_first(linker: EntityLinker) -> None:
    linking = linker.link("capital of Georgia")
    (ambiguous,) = linking.ambiguous(linking.mentions[:1])
    assert ambiguous.text == "Georgia"
    assert ambiguous.ids == ("m.georgia", "m.georgia_us")


def test_near_names_are_offered_for_an_unknown_one(linker: EntityLinker) -> None:
    assert linker.near("Tiblisy")[0] == "Tbilisi"
