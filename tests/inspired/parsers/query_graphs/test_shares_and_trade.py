"""Shares beside what has them, figures per person, who trades with whom and with what: as the triples say."""

from collections.abc import Callable
from itertools import chain

import pytest

from inspired.knowledge_base.graph import Graph, embedded_graph
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.forms import Counting, Entity, Literal, Table
from inspired.parsers.query_graphs.default_parser import DefaultParser

Likeliest = Callable[[DefaultParser, str], set[str]]
SURE = 0.5


@pytest.fixture(scope="module")
def graph() -> Graph:
    return embedded_graph()


def country(graph: Graph, name: str) -> str:
    return next(each for each in graph.subjects(NOTABLE, Entity("m.type_country")) if graph.names[each] == name)


def between(graph: Graph, thing: str, path: tuple[str, str]) -> set[str]:
    """What is at the end of a path through a node in between."""
    middle = [each.id for each in graph.objects(thing, path[0]) if isinstance(each, Entity)]
    return {end.id for each in middle for end in graph.objects(each, path[1]) if isinstance(end, Entity)}


def figures(graph: Graph, predicate: str, value: str) -> dict[str, float]:
    """A figure of each country, as it is on a node of its own."""
    result = {}
    for each in graph.subjects(NOTABLE, Entity("m.type_country")):
        nodes = [node.id for node in graph.objects(each, predicate) if isinstance(node, Entity)]
        numbers = [float(one.text) for node in nodes for one in graph.objects(node, value) if isinstance(one, Literal)]
        result |= {each: max(numbers)} if numbers else {}
    return result


IMPORTS = ("location.statistical_region.places_imported_from", "location.imports_and_exports.imported_from")
EXPORTS = ("location.statistical_region.places_exported_to", "location.imports_and_exports.exported_to")
PER_PERSON = ("location.statistical_region.gdp_ppp_per_capita", "measurement_unit.dated_money_value.amount")
FORESTS = ("location.statistical_region.forest_cover", "measurement_unit.dated_percentage.rate")


@pytest.mark.parametrize(
    ("question", "path", "name"),
    [
        (
            "Which languages are spoken in Moldova, and by what percentage of the population?",
            ("location.country.language_shares", "location.language_percentage.language"),
            "Moldova",
        ),
        (
            "What religions are practised in Lebanon, with their shares?",
            ("location.statistical_region.religions", "location.religion_percentage.religion"),
            "Lebanon",
        ),
        ("What are the export partners of Vietnam and their shares?", EXPORTS, "Vietnam"),
    ],
)
def test_shares_stand_beside_what_has_them(
    graph: Graph, world_parser: DefaultParser, question: str, path: tuple[str, str], name: str
) -> None:
    reading = world_parser.parse(question)[0]
    assert isinstance(reading.form.returns, Table)
    assert len(reading.form.returns.columns) == 2
    assert not reading.unused
    state = world_parser.state_of(reading.form)
    assert state is not None
    # Hong Kong is no country.
    assert {each.id for each in state.nodes if isinstance(each, Entity)} == between(graph, country(graph, name), path) - {
        "m.country_hk"
    }


def test_what_has_no_share_leaves_the_words_out(world_parser: DefaultParser) -> None:
    assert world_parser.parse("Which countries border Chad, and in what proportions?")[0].unused == ("and in what proportions",)


@pytest.mark.parametrize("person", ["person", "head", "capita"])
def test_a_figure_per_person_is_not_the_figure(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, person: str
) -> None:
    income = figures(graph, *PER_PERSON)
    poland = income[country(graph, "Poland")]
    richer = likeliest(world_parser, f"Which countries have a higher GDP per {person} than Poland?")
    assert richer & income.keys() == {each for each, value in income.items() if value > poland}
    africa = set(graph.subjects("base.locations.countries.continent", Entity("m.continent_af")))
    rich = likeliest(world_parser, f"Which African countries have a GDP per {person} above 10,000 dollars?")
    assert rich & income.keys() == {each for each, value in income.items() if value > 10_000} & africa != set()


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Which countries export to {}?", IMPORTS),
        ("From which countries does {} import?", IMPORTS),
        ("Which countries import from {}?", EXPORTS),
        ("To which countries does {} export?", EXPORTS),
        ("To whom does {} sell?", EXPORTS),
        ("From whom does {} import?", IMPORTS),
        ("List the export partners of {}.", EXPORTS),
        ("Name the import partners of {}.", IMPORTS),
    ],
)
@pytest.mark.parametrize("name", ["Chad", "Kenya", "Nigeria", "Canada"])
def test_who_exports_to_a_country_is_where_it_imports_from(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, question: str, path: tuple[str, str], name: str
) -> None:
    expected = between(graph, country(graph, name), path)
    countries = set(graph.subjects(NOTABLE, Entity("m.type_country")))
    assert likeliest(world_parser, question.format(name)) & countries == expected & countries != set()


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("What is the main export partner of {}?", EXPORTS),
        ("Which country imports the most from {}?", EXPORTS),
        ("Which country is the largest import partner of {}?", IMPORTS),
        ("Which country exports the most to {}?", IMPORTS),
    ],
)
@pytest.mark.parametrize("name", ["Chad", "Canada"])
def test_the_main_partner_has_the_largest_share(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, question: str, path: tuple[str, str], name: str
) -> None:
    shares = {}
    for node in graph.objects(country(graph, name), path[0]):
        assert isinstance(node, Entity)
        (other,), (share,) = graph.objects(node.id, path[1]), graph.objects(node.id, "location.imports_and_exports.percentage")
        assert isinstance(other, Entity)
        assert isinstance(share, Literal)
        shares[other.id] = float(share.text)
    assert likeliest(world_parser, question.format(name)) == {max(shares, key=shares.__getitem__)}


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which countries in South America export copper?", "copper"),
        ("Show me the countries in South America that export oil.", "petroleum"),
        ("Which South American countries export timber?", "wood"),
    ],
)
def test_goods_are_what_is_called_so(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, question: str, word: str
) -> None:
    goods = [each for each in graph.members("business.commodity") if word in graph.names[each].split()]
    goods = [word_for for word_for in goods if word != "wood" or graph.names[word_for] == "wood"]
    south = set(graph.subjects("base.locations.countries.continent", Entity("m.continent_sa")))
    exporting = set(chain(*(graph.subjects("location.country.export_commodities", Entity(each)) for each in goods)))
    assert likeliest(world_parser, question) == exporting & south != set()


@pytest.mark.parametrize(
    "question",
    [
        "Which neighbours of Zambia are not landlocked?",
        "Which countries border Zambia, except those that are landlocked?",
        "Name all the neighbours of Zambia excluding the landlocked ones.",
    ],
)
def test_what_is_landlocked_can_be_left_out(
    graph: Graph, world_parser: DefaultParser, likeliest: Likeliest, question: str
) -> None:
    around = between(graph, country(graph, "Zambia"), ("location.location.adjoin_s", "location.adjoining_relationship.adjoins"))
    coasts = {each: graph.objects(each, "location.location.coastline_length") for each in around - {country(graph, "Zambia")}}
    assert likeliest(world_parser, question) == {
        each for each, ends in coasts.items() if any(isinstance(end, Literal) and float(end.text) > 0 for end in ends)
    }


def test_more_than_half_is_more_than_fifty_percent(graph: Graph, world_parser: DefaultParser, likeliest: Likeliest) -> None:
    south = set(graph.subjects("base.locations.countries.continent", Entity("m.continent_sa")))
    wooded = {each for each, share in figures(graph, *FORESTS).items() if share > 50}
    assert likeliest(world_parser, "Which South American countries have a forest cover of more than half?") == wooded & south
    question = "Name the countries in South America in which more than half of the land is forest."
    assert likeliest(world_parser, question) == wooded & south != set()
    reading = world_parser.parse("In how many countries is more than 60 percent of the land forested?")[0]
    assert isinstance(reading.form.returns, Counting)


def test_to_produce_something_else_is_no_oil_production(world_parser: DefaultParser) -> None:
    reading = world_parser.parse("Which members of the European Union produce electricity from nuclear power?")[0]
    state = world_parser.state_of(reading.form)
    assert state is not None
    assert not any("oil_production" in predicate for tie in state.thing.ties for predicate in tie.path)


@pytest.mark.parametrize("question", ["Who is the leader of Thailand?", "Who governs Thailand?"])
def test_who_is_no_form_of_government(world_parser: DefaultParser, question: str) -> None:
    """Of Thailand nobody is on record."""
    assert world_parser.parse(question)[0].confidence < SURE


def test_the_longest_border_is_one_of_those_that_are_asked_for(graph: Graph, world_parser: DefaultParser) -> None:
    longest = world_parser.parse("Which of Uzbekistan's neighbours has the longest border with Uzbekistan?")[0]
    state = world_parser.state_of(longest.form)
    assert state is not None
    assert {each.id for each in state.nodes if isinstance(each, Entity)} == {country(graph, "Kazakhstan")}


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("Is the birth rate of India higher or lower than that of Nepal?", "Which has the higher birth rate, India or Nepal?"),
        ("Is the Rhine longer or shorter than the Danube?", "Which is longer, the Rhine or the Danube?"),
        ("Count the countries whose population is shrinking.", "How many countries have a population growth rate below 0?"),
        ("By how much is the population of Angola growing each year?", "What is the population growth rate of Angola?"),
        ("What country in Africa has the fastest growing economy?", "What country in Africa has the highest GDP growth?"),
        ("Where does the Danube flow into the sea?", "In which country does the Danube end?"),
        ("Rank the ten most populous countries of Africa.", "Which are the ten most populous countries of Africa?"),
    ],
)  # fmt: skip
def test_the_same_in_other_words(world_parser: DefaultParser, likeliest: Likeliest, question: str, same: str) -> None:
    assert likeliest(world_parser, question) == likeliest(world_parser, same) != set()
    assert world_parser.parse(question)[0].form.returns == world_parser.parse(same)[0].form.returns
