"""Properties called by their whole names, periods of years, parts of regions, and other words for what the world facts hold.

What is right is worked out from the triples, not by the parser or a query.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspired.knowledge_base.graph import Graph, embedded_graph
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.forms import Asking, Entity, Literal
from inspired.parsers.query_graphs.default_parser import DefaultParser

Likeliest = Callable[[DefaultParser, str], set[str]]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return embedded_graph()


def country(graph: Graph, name: str) -> str:
    return next(each for each in graph.subjects(NOTABLE, Entity("m.type_country")) if graph.names[each] == name)


def values(graph: Graph, name: str, predicate: str) -> set[str]:
    return {each.text for each in graph.objects(country(graph, name), predicate) if isinstance(each, Literal)}


def things(graph: Graph, name: str, predicate: str) -> set[str]:
    return {each.id for each in graph.objects(country(graph, name), predicate) if isinstance(each, Entity)}


def independent(graph: Graph, years: range) -> set[str]:
    countries = graph.subjects(NOTABLE, Entity("m.type_country"))
    dates = {each: graph.objects(each, "location.country.independence_date") for each in countries}
    return {
        each for each, found in dates.items() if any(isinstance(one, Literal) and int(one.text[:4]) in years for one in found)
    }


@pytest.mark.parametrize(
    ("question", "name", "predicate"),
    [
        ("What is the official name of Bolivia?", "Bolivia", "location.country.official_name"),
        ("Give me the native name of Greece.", "Greece", "location.country.native_name"),
        ("What do the people of Bhutan call their country in their own language?", "Bhutan", "location.country.native_name"),
        ("What is the voting age in Austria?", "Austria", "location.country.voting_age"),
        ("At what age may citizens of Austria vote?", "Austria", "location.country.voting_age"),
    ],
)
def test_a_whole_name_is_no_other_property(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, question: str, name: str, predicate: str
) -> None:
    """The official name is no office, and the voting age no median age."""
    assert likeliest(world_parser, question) == values(graph, name, predicate) != set()


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("Which countries became independent in the 1960s?", range(1960, 1970)),
        ("Which countries became independent in the 19th century?", range(1801, 1901)),
        ("Which countries became independent in the 1800s?", range(1800, 1900)),
        ("Which countries became independent since the 1990s?", range(1990, 2101)),
        ("Which countries became independent after the 1980s?", range(1990, 2101)),
    ],
)
def test_a_decade_is_no_year(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, question: str, years: range
) -> None:
    assert likeliest(world_parser, question) == independent(graph, years) != set()


def test_a_currency_that_many_have_is_any_of_that_name(graph: Graph, world_parser: DefaultParser, likeliest: Likeliest) -> None:
    for name in ("CFA franc", "rupee"):
        kept = {
            each
            for each, known in graph.names.items()
            if each.startswith("m.currency") and known.lower().endswith(name.lower())
        }
        users = {one for each in kept for one in graph.subjects("location.country.currency_used", Entity(each))}
        assert likeliest(world_parser, f"Which countries use the {name}?") == users != set()


def test_a_word_that_stands_in_one_name_names_all_that_is_called_so(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest
) -> None:
    growing = [
        set(graph.subjects("location.country.agricultural_products", Entity(f"m.product_{crop}")))
        for crop in ("cocoa_beans", "coffee")
    ]
    assert likeliest(world_parser, "What countries grow both cocoa and coffee?") == growing[0] & growing[1] != set()
    assert likeliest(world_parser, "Which country uses the dram?") == {country(graph, "Armenia")}


@pytest.mark.parametrize(
    ("asked", "region"), [("the Caribbean", "Caribbean"), ("Central Asia", "Central Asia"), ("Western Africa", "West Africa")]
)
def test_a_part_of_the_world(graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, asked: str, region: str) -> None:
    """Also by another name of it, and not the region of Ghana that is called Central."""
    id_ = next(each for each in graph.members("location.subregion") if graph.names[each] == region)
    lying = set(graph.subjects("base.locations.countries.subregion", Entity(id_)))
    countries = lying & set(graph.subjects(NOTABLE, Entity("m.type_country")))
    assert likeliest(world_parser, f"Which countries are in {asked}?") == countries != set()


@pytest.mark.parametrize(
    ("question", "unused"),
    [("Which countries in Inner Asia border Afghanistan?", "Inner"), ("Which countries are in Upper America?", "Upper")],
)
def test_a_part_that_is_not_known_is_not_named_otherwise(world_parser: DefaultParser, question: str, unused: str) -> None:
    """Regions are called so in several countries; what is not known is named as not used."""
    reading = world_parser.parse(question)[0]
    assert unused in reading.unused or reading.improbable


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("What are the main export partners of Vietnam?", "To which countries does Vietnam export?"),
        ("Who are Kenya's import partners?", "From which countries does Kenya import?"),
        ("Where do Kenya's imports come from?", "From which countries does Kenya import?"),
        ("In which country do people live longest?", "Which country has the highest life expectancy?"),
        ("What proportion of adults in Mali can read and write?", "What is the literacy rate of Mali?"),
        (
            "Which country spends the largest proportion of its GDP on the military?",
            "Which country has the highest military expenditure?",
        ),
        ("When is the national holiday of France?", "On what day is the national holiday of France?"),
        (
            "When did the former colonies of Portugal become independent?",
            "When did the countries independent of Portugal become independent?",
        ),
        (
            "By whom is the country governed whose internet domain is .kh?",
            "Who governs the country whose internet domain is .kh?",
        ),
        ("How many countries of Africa have a coast?", "How many countries of Africa have a coastline?"),
        ("Which coastal countries border China?", "Which countries with a coastline border China?"),
    ],
)
def test_it_is_read_as_the_plainer_words(world_parser: DefaultParser, likeliest: Likeliest, question: str, same: str) -> None:
    assert likeliest(world_parser, question) == likeliest(world_parser, same) != set()


def test_partners_are_on_the_right_side_of_the_trade(graph: Graph, world_parser: DefaultParser, likeliest: Likeliest) -> None:
    path = ("location.statistical_region.places_exported_to", "location.imports_and_exports.exported_to")
    middle = things(graph, "Vietnam", path[0])
    partners = {end.id for each in middle for end in graph.objects(each, path[1]) if isinstance(end, Entity)}
    assert likeliest(world_parser, "What are the main export partners of Vietnam?") <= partners != set()


def test_where_a_river_reaches_the_sea(graph: Graph, world_parser: DefaultParser, likeliest: Likeliest) -> None:
    question = "What is the form of government of the country in which the Niger reaches the sea?"
    assert likeliest(world_parser, question) == things(graph, "Nigeria", "location.country.form_of_government") != set()


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("Is Peru not a member of NATO?", False),
        ("Is Germany not a member of NATO?", True),
        ("Is Peru not in the European Union?", False),
        ("Does Peru not border Chile?", True),
        ("Is Spanish not an official language of Brazil?", False),
        ("Is the Niger longer than the Rhine?", True),
    ],
)
def test_a_claim_that_is_put_in_doubt_is_answered_by_the_facts(world_parser: DefaultParser, question: str, holds: bool) -> None:
    """As "isn't Peru a member?" is: the answer tells whether it is one."""
    reading = world_parser.parse(question)[0]
    state, returns = world_parser.state_of(replace(reading.form, returns=None)), reading.form.returns
    assert state is not None
    assert isinstance(returns, Asking)
    assert ((set(returns.members) <= state.nodes) != returns.negated) == holds


def test_what_is_compared_has_what_it_is_compared_by(world_parser: DefaultParser, likeliest: Likeliest) -> None:
    """The river and not the country, and no continent with a lake."""
    assert likeliest(world_parser, "Which is longer, the Niger or the Rhine?") == {"m.river_niger"}
    reading = world_parser.parse("Are there lakes in Africa that are larger than Lake Tanganyika?")[0]
    assert "Africa" in reading.unused


@pytest.mark.parametrize(
    ("question", "faith", "continent"),
    [
        ("Which mainly Muslim countries lie in Europe?", "Islam", "Europe"),
        ("Which African countries have a Christian majority?", "Christianity", "Africa"),
    ],
)
def test_a_majority_is_more_than_half(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, question: str, faith: str, continent: str
) -> None:
    half = 50
    (religion,) = (id_ for id_, name in graph.names.items() if name == faith and id_.startswith("m.religion"))
    (around,) = (each for each in graph.members("location.continent") if graph.names[each] == continent)
    shares = graph.subjects("location.religion_percentage.religion", Entity(religion))
    most = {
        place
        for each in shares
        for share in graph.objects(each, "location.religion_percentage.percentage")
        if isinstance(share, Literal) and float(share.text) > half
        for place in graph.subjects("location.statistical_region.religions", Entity(each))
    }
    lying = set(graph.subjects("base.locations.countries.continent", Entity(around)))
    assert likeliest(world_parser, question) == most & lying != set()


def test_several_that_are_excepted_are_all_left_out(graph: Graph, world_parser: DefaultParser, likeliest: Likeliest) -> None:
    speaking = set(graph.subjects("location.country.official_language", Entity("m.language_por")))
    others = speaking - {country(graph, "Brazil"), country(graph, "Portugal")}
    countries = set(graph.subjects(NOTABLE, Entity("m.type_country")))
    question = "In which countries other than Brazil and Portugal is Portuguese an official language?"
    assert likeliest(world_parser, question) & countries == others & countries != set()


def test_a_country_is_no_sort_of_money(world_parser: DefaultParser) -> None:
    assert not world_parser.linker.link("is that more than in France").sorts
    assert world_parser.linker.link("which countries use the franc").sorts
