"""The world facts: dirty text is read strictly, known facts are there, and the graph keeps the rules it describes."""

import argparse
import gzip
from collections import Counter
from datetime import date
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import InspiredError
from inspired.commands import build_kb
from inspired.knowledge_base.graph import WORLD, Graph, read_graph
from inspired.knowledge_base.vocabulary import NOTABLE, Edge
from inspired.lab.world_facts import sources
from inspired.lab.world_facts.economy.trade import good
from inspired.lab.world_facts.factbook_text import borders, first_date, listed, parts, quantity, shares
from inspired.lab.world_facts.facts import Facts, decimal, ref, slug, text
from inspired.lab.world_facts.geography.landscape import peak
from inspired.lab.world_facts.geography.waters import lake_name, lakes, largest_lakes, rivers
from inspired.lab.world_facts.society.emblems import holiday
from inspired.lab.world_facts.society.government import official, person_name, shorter_names
from inspired.lab.world_facts.society.legislatures import party
from inspired.lab.world_facts.sources import pinned
from inspired.lab.world_facts.turtle_file import turtle
from inspired.logical_form.forms import Entity, Literal
from inspired.logical_form.schema import is_mediator
from inspired.sub_questions.templates import own_corpus


def _installed() -> bool:
    try:
        return all(version(package) == wanted for package, wanted in pinned().items())
    except PackageNotFoundError:
        return False


BUILT_HERE = pytest.mark.skipif(not _installed(), reason="the packages that the facts come from are not installed")


@pytest.fixture(scope="module")
def world() -> Graph:
    return read_graph(WORLD)


# --- texts as they stand in the sources


@pytest.mark.parametrize(
    ("said", "unit", "value", "year"),
    [
        ("68,512,806 (2025 est.)", "", "68512806", 2025),
        ("$1.071 trillion (2024 est.)", "", "1071000000000", 2024),
        ("-$291.674 million (2022 est.)", "", "-291674000", 2022),
        ("0.2% (2025 est.)", "%", "0.2", 2025),
        ("2.1% of GDP (2025 est.)", "% of GDP", "2.1", 2025),
        ("12.196 billion metric tonnes of CO2 (2023 est.)", "metric tonnes of CO2", "12196000000", 2023),
        ("643,801 sq km ; 551,500 sq km (metropolitan France)", "sq km", "643801", None),
        ("57 (2025)", "", "57", 2025),
    ],
)
def test_quantities(said: str, unit: str, value: str, year: int | None) -> None:
    read = quantity(said, unit)
    assert read is not None
    assert (read.value, read.year) == (Decimal(value), year)


@pytest.mark.parametrize(
    ("said", "unit"),
    [
        ("NA", ""),
        ("less than 1 (2023 est.)", ""),
        ("(2023 est.) less than 1", ""),
        ("negligible", "sq km"),
        ("4,167 sq km (118 islands and atolls; 67 are inhabited)", "sq km"),
        ("14.2 million sq km (285,000 sq km ice-free, 13.915 million sq km ice-covered) (est.)", "sq km"),
        ("6,123 km (2022) 3,523 km electrified", "km"),
        ("19.4 years (2015/16 est.)", "years"),
        ("0.2% (2025 est.)", "% of GDP"),
    ],
)
def test_quantities_that_say_more_than_a_number_are_left_out(said: str, unit: str) -> None:
    assert quantity(said, unit) is None


def test_shares_of_groups() -> None:
    read, unread, year = shares(
        "Christian 85.5% (Protestant 33.4%, Catholic 20.6%), Muslim 10.9%, other 1.8%, none 1.6%,"
        "&nbsp;don't&nbsp;know/no answer&nbsp;0.2% (2019 est.)"
    )
    assert [(each.name, str(each.percentage)) for each in read] == [("Christian", "85.5"), ("Muslim", "10.9")]
    assert (unread, year) == ([], 2019)
    read, unread, _ = shares("Arab-Amazigh 99%, European less than 1%")
    assert [each.name for each in read] == ["Arab-Amazigh"]
    assert unread == ["European less than 1%"]
    assert shares("Canada 14%, Bahamas, The 13%, Congo, Republic of the 5% (2023)")[0][2].name == "Republic of the Congo"


def test_borders_in_two_stretches_are_added() -> None:
    assert borders("Andorra 63 km; France 646 km; Morocco (Ceuta) 8 km and Morocco (Melilla) 10.5 km")[0] == [
        ("Andorra", Decimal(63)),
        ("France", Decimal(646)),
        ("Morocco", Decimal("18.5")),
    ]
    assert borders("Russia 1,944 km, Slovakia 97 km")[0] == [("Russia", Decimal(1944)), ("Slovakia", Decimal(97))]
    assert borders("US Naval Base at Guantanamo Bay is leased")[0] == []


def test_rivers_with_source_and_mouth() -> None:
    read, unread = rivers(
        "Rhin (Rhine) (shared with Switzerland [s], Germany, and Netherlands [m]) - 1,233 km; Loire - 1,012 km"
        "<br><br><strong>note:</strong> [s] after country name indicates river source"
    )
    assert unread == []
    assert [(each.name, each.other_name, each.size) for each in read] == [
        ("Rhine", "Rhin", Decimal(1233)),
        ("Loire", None, Decimal(1012)),
    ]
    assert read[0].shared_with == ("Switzerland", "Germany", "Netherlands")
    assert (read[0].source, read[0].mouth) == ("Switzerland", "Netherlands")
    assert rivers("Amazon river mouth (shared with Peru [s]) - 6,400 km")[0][0].mouth == ""


def test_lakes_and_peaks() -> None:
    assert lakes("Lake Victoria (shared with Tanzania and Uganda) - 62,940 sq km")[0][0].shared_with == ("Tanzania", "Uganda")
    assert lakes("Superior* – 53,348 sq km")[0][0].size == 0
    assert lakes("Lake Chad (endorheic lake shared with Niger) - 10,360-25,900 sq km")[0] == []
    assert [lake_name(each) for each in ("Superior", "Lac Tumba")] == ["Lake Superior", "Lac Tumba"]
    assert largest_lakes("<strong>top ten: </strong>Lake Huron (Canada, United States) 59,600 sq km")[0].size == 59600
    assert peak("Ntheledi (Mafadi) 3,450 m") == ("Ntheledi", "Mafadi", Decimal(3450))
    assert peak("K2 (Mt. Godwin-Austen) 8,611 m") == ("K2", "Mt. Godwin-Austen", Decimal(8611))
    assert peak("Pico de Teide (Tenerife) on Canary Islands 3,718 m") is None
    assert peak("Mont Blanc 4,810") == ("Mont Blanc", None, Decimal(4810))
    assert peak("unnamed elevation on Mukike Range 2,685 m") is None


@pytest.mark.parametrize(
    ("said", "title", "name", "since"),
    [
        ("President Emmanuel MACRON (since 14 May 2017)", "President", "Emmanuel Macron", date(2017, 5, 14)),
        ("King CHARLES III (since 8 September 2022)", "King", "Charles III", date(2022, 9, 8)),
        ("Prime Minister Sanae TAKAICHI (since 21 October 2025)", "Prime Minister", "Sanae Takaichi", date(2025, 10, 21)),
        ("King WILLEM-ALEXANDER of the Netherlands (since 30 April 2013)", "King", "Willem-Alexander", date(2013, 4, 30)),
    ],
)
def test_officials(said: str, title: str, name: str, since: date) -> None:
    read = official(said)
    assert read is not None
    assert (read.title, read.name, read.since) == (title, name, since)


@pytest.mark.parametrize("said", ["President (vacant)", "Sébastien LECORNU (since 10 September 2025)", "King X (since 1997)"])
def test_officials_without_name_title_or_day_are_left_out(said: str) -> None:
    assert official(said) is None


def test_names_of_people() -> None:
    assert person_name("Frank-Walter STEINMEIER") == "Frank-Walter Steinmeier"
    assert person_name("Alexander VAN DER BELLEN") == "Alexander van der Bellen"
    assert shorter_names("Donald J. TRUMP") == ["Trump", "Donald Trump"]
    assert shorter_names("Luiz Inácio LULA da Silva") == []


def test_smaller_texts() -> None:
    assert party("Labour Party (LP) (53)") == ("Labour Party", "LP", 53)
    assert party("Other (106)") is None
    assert holiday("Independence Day, 4 July (1776)") == ("Independence Day", "4 July")
    assert holiday("Constitution Day, the first Monday in August (1965)") is None
    assert first_date("5 July 1962 (from France)") == date(1962, 7, 5)
    assert first_date("31 February 2000") is None
    assert listed("aircraft, cars, packaged medicine (2023)") == (["aircraft", "cars", "packaged medicine"], 2023)
    assert [each for each in ("iron ore", "some gold", "and other minerals", "NEGL") if good(each)] == ["iron ore"]


@given(st.lists(st.from_regex(r"[a-z]{1,6}( \([a-z, ]{1,9}\))?", fullmatch=True), max_size=6))
@pytest.mark.slow
def test_lists_are_cut_outside_brackets_only(names: list[str]) -> None:
    assert parts(", ".join(names)) == names


@given(st.text())
def test_texts_survive_turtle(words: str) -> None:
    import pyoxigraph

    told = turtle([("m.x", "type.object.name", text(words))])
    (quad,) = pyoxigraph.parse(told, format=pyoxigraph.RdfFormat.TURTLE)
    assert isinstance(quad.object, pyoxigraph.Literal)
    assert quad.object.value == words


def test_writing_is_the_same_in_any_order() -> None:
    triples = [("m.b", "p.q.r", ref("m.a")), ("m.a", "p.q.r", decimal(Decimal("2.50"))), ("m.a", "p.q.r", ref("m.b"))]
    assert turtle(triples) == turtle(reversed(triples))


def test_a_thing_keeps_its_first_name() -> None:
    facts = Facts()
    facts.thing("m.river_rhine", "Rhine", "geography.river")
    facts.thing("m.river_rhine", "Rhin", "geography.river")
    graph = Graph([(s, p, Literal(o.split('"')[1]) if '"' in o else Entity(o[3:])) for s, p, o in facts.triples])
    assert (graph.names["m.river_rhine"], graph.aliases["m.river_rhine"]) == ("Rhine", ("Rhin",))
    assert slug("Côte d'Ivoire") == slug("Cote d’Ivoire") == "cote_d_ivoire"


# --- facts that everybody can look up


def _named(world: Graph, id_: str, *path: str) -> set[str]:
    """What stands at the end of `path`: names of things, texts of values."""
    found = world.follow(id_, Edge(path, "", ""))
    return {world.names[each.id] if isinstance(each, Entity) else each.text for each in found}


_ADJOINS = ("location.location.adjoin_s", "location.adjoining_relationship.adjoins")
_MEMBERS = ("organization.membership_organization.members", "organization.organization_membership.member")
_HOLDER = (
    "government.governmental_jurisdiction.governing_officials",
    "government.government_position_held.office_holder",
)


@pytest.mark.parametrize(
    ("id_", "path", "known"),
    [
        ("m.country_fr", ["location.country.capital"], {"Paris"}),
        ("m.country_jp", ["location.country.capital"], {"Tokyo"}),
        ("m.country_au", ["location.country.capital"], {"Canberra"}),
        ("m.country_br", ["location.country.capital"], {"Brasília"}),
        ("m.country_ng", ["location.country.capital"], {"Abuja"}),
        ("m.country_jp", ["location.country.currency_used"], {"Japanese Yen"}),
        ("m.country_ch", ["location.country.currency_used"], {"Swiss Franc"}),
        ("m.country_de", ["location.country.currency_used"], {"Euro"}),
        ("m.country_br", ["location.country.official_language"], {"Portuguese"}),
        ("m.country_at", ["location.country.official_language"], {"German"}),
        ("m.country_pt", _ADJOINS, {"Spain"}),
        ("m.country_ie", _ADJOINS, {"United Kingdom"}),
        ("m.country_ca", _ADJOINS, {"Denmark", "United States"}),
        ("m.country_es", _ADJOINS, {"Andorra", "France", "Gibraltar", "Morocco", "Portugal"}),
        ("m.country_eg", ["base.locations.countries.continent"], {"Africa"}),
        ("m.country_pe", ["base.locations.countries.continent"], {"South America"}),
        ("m.country_gh", ["base.locations.countries.subregion"], {"West Africa", "Sub-Saharan Africa"}),
        ("m.country_jo", ["base.locations.countries.subregion"], {"Western Asia", "Middle East"}),
        ("m.country_cu", ["base.locations.countries.subregion"], {"Caribbean", "Latin America"}),
        ("m.country_np", ["location.location.highest_point"], {"Mount Everest"}),
        ("m.country_tz", ["location.location.highest_point"], {"Kilimanjaro"}),
        ("m.country_pk", ["location.location.highest_point"], {"K2"}),
        ("m.mountain_mount_everest", ["geography.mountain.elevation"], {"8849"}),
        ("m.country_in", ["location.country.independence_date"], {"1947-08-15T00:00:00"}),
        ("m.country_dz", ["location.country.independence_from"], {"France"}),
        ("m.country_gb", _HOLDER, {"Charles III", "Keir Starmer"}),
        ("m.country_it", ["location.country.iso_alpha_3"], {"ITA"}),
        ("m.country_es", ["location.country.calling_code"], {"+34"}),
        ("m.country_nz", ["location.country.internet_tld"], {".nz"}),
        ("m.country_nl", ["location.country.demonym"], {"Dutch"}),
        ("m.currency_eur", ["finance.currency.currency_code"], {"EUR"}),
        ("m.language_rus", ["language.human_language.writing_system"], {"Cyrillic script"}),
        ("m.language_fra", ["language.human_language.iso_639_1_code"], {"fr"}),
        ("m.river_rhine", ["geography.river.source_country"], {"Switzerland"}),
        ("m.organization_usmca", _MEMBERS, {"Canada", "Mexico", "United States"}),
        ("m.organization_benelux", _MEMBERS, {"Belgium", "Netherlands", "Luxembourg"}),
        ("m.subdivision_us_ca", ["location.administrative_division.division_type"], {"State"}),
        ("m.country_is", ["location.location.coastline_length"], {"4970"}),
        ("m.city_5368361", ["location.location.containedby"], {"California", "United States"}),
    ],
)
@pytest.mark.slow
def test_known_facts(world: Graph, id_: str, path: list[str], known: set[str]) -> None:
    assert _named(world, id_, *path) == known


def test_counts_that_are_known(world: Graph) -> None:
    assert len(world.members("location.us_state")) == 50
    assert len(world.members("location.continent")) == 7
    assert len(_named(world, "m.organization_european_union", *_MEMBERS)) == 27
    assert len(_named(world, "m.organization_nato", *_MEMBERS)) == 32
    assert len(_named(world, "m.organization_g7", *_MEMBERS)) == 7
    assert len(_named(world, "m.country_ch", "location.country.first_level_divisions")) == 26
    assert {"US", "USA", "United States of America"} <= set(world.aliases["m.country_us"])


# --- the rules of the graph


def test_every_thing_has_one_name_a_type_and_a_notable_type(world: Graph) -> None:
    things = {id_ for id_ in world.types if id_.startswith("m.") and "common.topic" not in world.types[id_]}
    assert len(things) > 8000
    assert things <= set(world.names)
    assert all(len(world.objects(id_, NOTABLE)) == 1 for id_ in things)
    with gzip.open(WORLD, "rt", encoding="utf-8") as file:
        assert Counter(line.count('"@en, "') for line in file if "ns:type.object.name" in line).keys() == {0}


def test_every_fact_keeps_to_domain_and_range(world: Graph) -> None:
    lead_to = {end.id: world.schema.properties[p].range for p in world.predicates if p != NOTABLE for _, end in world.pairs(p)
               if isinstance(end, Entity) and end.id.startswith("g.")}  # fmt: skip
    for predicate in world.predicates:
        if predicate == NOTABLE:
            continue
        told = world.schema.properties[predicate]
        assert told.domain in world.schema.types
        for start, end in world.pairs(predicate):
            assert told.domain == lead_to[start] if start.startswith("g.") else told.domain in world.types[start]
            if isinstance(end, Literal):
                assert _is_of(end, told.range), (predicate, end)
            else:
                assert told.range == lead_to[end.id] if end.id.startswith("g.") else told.range in world.types[end.id]


def _is_of(value: Literal, range_: str) -> bool:
    return value.datatype in {
        "type.int": ("integer",),
        "type.float": ("integer", "decimal"),
        "type.datetime": ("dateTime",),
        "type.text": (None,),
    }.get(range_, ())


def test_no_relation_hangs_in_the_air_or_says_two_things(world: Graph) -> None:
    facts = (pair for predicate in world.predicates for pair in world.pairs(predicate))
    ends = {end.id for _, end in facts if isinstance(end, Entity) and end.id.startswith("g.")}
    assert len(ends) > 15_000
    for id_ in ends:
        told = world.predicates_from(id_)
        assert told, id_
        assert all(len(world.objects(id_, predicate)) == 1 for predicate in told), id_


def test_both_directions_are_told_alike(world: Graph) -> None:
    for told in world.schema.properties.values():
        if told.reverse is not None:
            here = {(start, end.id) for start, end in world.pairs(told.id) if isinstance(end, Entity)}
            assert here == {(end.id, start) for start, end in world.pairs(told.reverse) if isinstance(end, Entity)}, told.id


def test_neighbors_are_neighbors_of_each_other(world: Graph) -> None:
    for country in world.members("location.country"):
        for other in world.follow(country, Edge(_ADJOINS, "", "")):
            assert isinstance(other, Entity)
            assert other.id != country
            assert Entity(country) in world.follow(other.id, Edge(_ADJOINS, "", ""))


def test_relations_are_known_to_the_splitter_and_every_predicate_has_words(world: Graph) -> None:
    assert all(is_mediator(each.id) for each in world.schema.types.values() if each.mediator)
    silent = [edge.path for edge in world.edges if not own_corpus().covers(edge.path) and _leads_on(world, edge)]
    assert silent == []


def _leads_on(world: Graph, edge: Edge) -> bool:
    """Whether the edge ever leads somewhere else than back."""
    starts = (start for start, _ in world.pairs(edge.path[0]))
    return any(end != Entity(start) for start in starts for end in world.follow(start, edge))


def test_the_file_is_small(world: Graph) -> None:
    assert WORLD.stat().st_size < 4_000_000
    assert 85_000 < sum(1 for p in world.predicates for _ in world.pairs(p)) + len(world.names) < 130_000


# --- the command


def test_a_missing_package_is_named_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(sources, "version", missing)
    with pytest.raises(InspiredError, match=r"babel is missing.*pip install -r inspired/lab/world_facts/requirements.txt"):
        build_kb.run(argparse.Namespace(target=Path("unused")))


@BUILT_HERE
def test_building_anew_gives_the_file_that_ships(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "world.ttl.gz"
    assert build_kb.run(argparse.Namespace(target=target)) == 0
    assert target.read_bytes() == WORLD.read_bytes()
    told = capsys.readouterr().out.splitlines()
    assert "triples about" in told[-1]
    assert any("Geography/Land boundaries/border countries" in line for line in told)
    assert all(line.split()[0].isdigit() and line.split()[1].isdigit() for line in told[1:-1])
