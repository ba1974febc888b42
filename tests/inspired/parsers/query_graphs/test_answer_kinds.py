"""Denials, counts and questions of yes or no are answered as the facts say, and never the opposite.

What is right is worked out from the triples of the graph with sets, not by the parser or a query.
"""

from collections.abc import Callable, Iterator

import pytest

from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import compose
from inspired.dialogue.intermediate_answers import final_answer
from inspired.knowledge_base.engine import KnowledgeBase, open_knowledge_base
from inspired.knowledge_base.graph import Graph, embedded_graph
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Asking, Counting, Entity, Literal
from inspired.logical_form.sparql_writer import write_sparql
from inspired.parsers.query_graphs.default_parser import DefaultParser


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    opened = open_knowledge_base()
    yield opened
    opened.close()


def ids(graph: Graph, name: str) -> set[str]:
    return {id_ for id_, known in graph.names.items() if known == name}


def across(graph: Graph, start: str, *path: str) -> set[str]:
    nodes = {start}
    for predicate in path:
        nodes = {end.id for node in nodes for end in graph.objects(node, predicate) if isinstance(end, Entity)}
    return nodes


def neighbours(graph: Graph, country: str) -> set[str]:
    return across(graph, country, "location.location.adjoin_s", "location.adjoining_relationship.adjoins")


def using(graph: Graph, currency: str) -> set[str]:
    (money,) = ids(graph, currency)
    return set(graph.subjects("location.country.currency_used", Entity(money)))


def on(graph: Graph, continent: str) -> set[str]:
    return {
        start
        for start, end in graph.pairs("base.locations.countries.continent")
        if isinstance(end, Entity) and graph.names[end.id] == continent
        if Entity("m.type_country") in graph.objects(start, NOTABLE)
    }


def coast(graph: Graph, country: str) -> float:
    return max(
        (
            float(each.text)
            for each in graph.objects(country, "location.location.coastline_length")
            if isinstance(each, Literal)
        ),
        default=0.0,
    )


def area(graph: Graph, country: str) -> float:
    (value,) = graph.objects(country, "location.location.area")
    assert isinstance(value, Literal)
    return float(value.text)


def people(graph: Graph, country: str) -> float:
    counts = [
        number
        for measured in graph.objects(country, "location.statistical_region.population")
        if isinstance(measured, Entity)
        for number in graph.objects(measured.id, "measurement_unit.dated_integer.number")
    ]
    return max((float(each.text) for each in counts if isinstance(each, Literal)), default=0.0)


def summits(graph: Graph, continent: str) -> set[str]:
    return {
        mountain
        for mountain, country in graph.pairs("geography.mountain.highest_point_of")
        if isinstance(country, Entity) and country.id in on(graph, continent)
    }


def height(graph: Graph, mountain: str) -> float:
    return max(
        float(each.text) for each in graph.objects(mountain, "geography.mountain.elevation") if isinstance(each, Literal)
    )


def sites(graph: Graph, continent: str) -> set[str]:
    there = {
        start
        for start, end in graph.pairs("base.locations.countries.continent")
        if isinstance(end, Entity) and graph.names[end.id] == continent
    }
    pairs = graph.pairs("protected_sites.world_heritage_site.country")
    return {site for site, country in pairs if isinstance(country, Entity) and country.id in there}


def having(graph: Graph, predicate: str, *names: str) -> set[str]:
    """Those that have one of the things with these names along a predicate."""
    return {start for start, end in graph.pairs(predicate) if isinstance(end, Entity) and graph.names.get(end.id) in names}


def expectancy(graph: Graph, country: str) -> float:
    dated = held(graph, country, "location.statistical_region.life_expectancy")
    values = (value for each in dated for value in graph.objects(each, "measurement_unit.dated_float.number"))
    return max((float(each.text) for each in values if isinstance(each, Literal)), default=0.0)


def left(graph: Graph, country: str, former: str) -> bool:
    return former in held(graph, country, "location.country.independence_from")


def heritage(graph: Graph, country: str) -> int:
    return len(graph.subjects("protected_sites.world_heritage_site.country", Entity(country)))


def monarchical(graph: Graph, country: str) -> bool:
    forms = held(graph, country, "location.country.form_of_government")
    return any(graph.names[each].endswith("monarchy") for each in forms)


def drained(graph: Graph, river: str) -> set[str]:
    return across(graph, river, "geography.river.basin_countries")


def members(graph: Graph, organization: str) -> set[str]:
    held = graph.subjects("organization.organization_membership.organization", Entity(organization))
    return {
        end.id
        for each in held
        for end in graph.objects(each, "organization.organization_membership.member")
        if isinstance(end, Entity)
    }


def began(graph: Graph, country: str) -> str:
    return max(
        (each.text for each in graph.objects(country, "location.country.independence_date") if isinstance(each, Literal)),
        default="",
    )


def held(graph: Graph, country: str, predicate: str) -> set[str]:
    return {end.id for end in graph.objects(country, predicate) if isinstance(end, Entity)}


G = embedded_graph
LISTS: dict[str, Callable[[], set[str]]] = {
    "Which neighbours of Germany do not use the euro?": lambda: neighbours(G(), "m.country_de") - using(G(), "Euro"),
    "Which countries in South America do not border Brazil?": lambda: (
        on(G(), "South America") - neighbours(G(), "m.country_br") - {"m.country_br"}
    ),
    "Which countries without a coastline border Germany?": lambda: {
        each for each in neighbours(G(), "m.country_de") if not coast(G(), each)
    },
    "Which neighbours of France except Spain use the euro?": lambda: (
        neighbours(G(), "m.country_fr") & using(G(), "Euro") - {"m.country_es"}
    ),
    "Which country in Africa has the most people?": lambda: {max(on(G(), "Africa"), key=lambda each: people(G(), each))},
    "Which country in Africa has the most neighbours?": lambda: {
        max(on(G(), "Africa"), key=lambda each: len(neighbours(G(), each)))
    },
    "What is the 2nd largest country in South America?": lambda: {
        sorted(on(G(), "South America"), key=lambda each: area(G(), each))[-2]
    },
    "Which countries in South America have more people than Peru?": lambda: {
        each for each in on(G(), "South America") if people(G(), each) > people(G(), "m.country_pe")
    },
    "What is the highest mountain in Africa?": lambda: {max(summits(G(), "Africa"), key=lambda each: height(G(), each))},
    "Through which African countries does the Nile not flow?": lambda: on(G(), "Africa") - drained(G(), "m.river_nile"),
    "Which African countries does the Nile not flow through?": lambda: on(G(), "Africa") - drained(G(), "m.river_nile"),
    "In which European countries is the euro not used?": lambda: on(G(), "Europe") - using(G(), "Euro"),
    "In which South American countries is Spanish not an official language?": lambda: (
        on(G(), "South America") - having(G(), "location.country.official_language", "Spanish")
    ),
    "Which European countries have no red in their flags?": lambda: (
        on(G(), "Europe") - having(G(), "location.country.national_color", "red")
    ),
    "What lakes lie partly in Canada and partly in the United States?": lambda: (
        held(G(), "m.country_ca", "location.country.lakes") & held(G(), "m.country_us", "location.country.lakes")
    ),
    "What does Zambia export?": lambda: held(G(), "m.country_zm", "location.country.export_commodities"),
    "Give me the chief exports of Zambia.": lambda: held(G(), "m.country_zm", "location.country.export_commodities"),
    "What are Chile's main imports?": lambda: held(G(), "m.country_cl", "location.country.import_commodities"),
    "What are the main industries of Estonia?": lambda: held(G(), "m.country_ee", "location.country.industries"),
    "Which African country is home to the most World Heritage sites?": lambda: {
        max(on(G(), "Africa"), key=lambda each: heritage(G(), each))
    },
    "Which African countries have been independent for longer than South Sudan?": lambda: {
        each for each in on(G(), "Africa") if began(G(), each) and began(G(), each) < began(G(), "m.country_ss")
    },
    "Which country borders the most countries?": lambda: {
        max((each for each in G().subjects(NOTABLE, Entity("m.type_country"))), key=lambda each: len(neighbours(G(), each)))
    },
    "Which Spanish-speaking countries are in Europe?": lambda: (
        on(G(), "Europe") & having(G(), "location.country.official_language", "Spanish")
    ),
    "Which former British possessions are in Africa?": lambda: {
        each for each in on(G(), "Africa") if left(G(), each, "m.country_gb")
    },
    "From which country did Jamaica gain independence?": lambda: held(
        G(), "m.country_jm", "location.country.independence_from"
    ),
    "Which African countries cover a larger area than Libya?": lambda: {
        each
        for each in on(G(), "Africa")
        if G().objects(each, "location.location.area") and area(G(), each) > area(G(), "m.country_ly")
    },
    "Name the highest mountain in Africa.": lambda: {max(summits(G(), "Africa"), key=lambda each: height(G(), each))},
    "Which South American countries have a higher life expectancy than Brazil?": lambda: {
        each for each in on(G(), "South America") if expectancy(G(), each) > expectancy(G(), "m.country_br")
    },
    "Which European monarchies are outside the European Union?": lambda: (
        {each for each in on(G(), "Europe") if monarchical(G(), each)} - members(G(), "m.organization_european_union")
    ),
    "Which of China's neighbours are not landlocked?": lambda: {
        each for each in neighbours(G(), "m.country_cn") if coast(G(), each)
    },
    "Which of Chad's neighbours aren't landlocked?": lambda: {
        each for each in neighbours(G(), "m.country_td") if coast(G(), each)
    },
    "List the non-landlocked neighbours of Chad.": lambda: {
        each for each in neighbours(G(), "m.country_td") if coast(G(), each)
    },
    "Which neighbours of Chad are neither landlocked nor in the Arab League?": lambda: {
        each for each in neighbours(G(), "m.country_td") - members(G(), "m.organization_arab_league") if coast(G(), each)
    },
    "Which countries in Asia other than the landlocked ones border China?": lambda: {
        each for each in on(G(), "Asia") & neighbours(G(), "m.country_cn") if coast(G(), each)
    },
    "Which goods does Zambia import?": lambda: held(G(), "m.country_zm", "location.country.import_commodities"),
    "Which countries have a land border with Ukraine?": lambda: neighbours(G(), "m.country_ua"),
    "What money do the Finns use?": lambda: held(G(), "m.country_fi", "location.country.currency_used"),
    "Which countries have at least 10 neighbours?": lambda: {
        each for each in on(G(), "Asia") | on(G(), "Europe") | on(G(), "South America") if len(neighbours(G(), each)) >= 10
    },
}
NUMBERS: dict[str, Callable[[], int]] = {
    "How many states belong to NATO?": lambda: len(members(G(), "m.organization_nato")),
    "How many countries border Germany?": lambda: len(neighbours(G(), "m.country_de")),
    "How many neighbours of Austria do not use the euro?": lambda: len(neighbours(G(), "m.country_at") - using(G(), "Euro")),
    "How many countries border Iceland?": lambda: 0,
    "How many World Heritage Sites are there in Oceania?": lambda: len(sites(G(), "Oceania")),
}
TRUTHS: dict[str, Callable[[], bool]] = {
    "Does Bolivia have access to the sea?": lambda: coast(G(), "m.country_bo") > 0,
    "Is Peru not landlocked?": lambda: coast(G(), "m.country_pe") > 0,
    "Is Bolivia not landlocked?": lambda: coast(G(), "m.country_bo") > 0,
    "Isn't Bolivia landlocked?": lambda: not coast(G(), "m.country_bo"),
    "Does Peru have access to the sea?": lambda: coast(G(), "m.country_pe") > 0,
    "Did Indonesia gain its independence from the Netherlands?": lambda: left(G(), "m.country_id", "m.country_nl"),
    "Did the Netherlands gain its independence from Indonesia?": lambda: left(G(), "m.country_nl", "m.country_id"),
    "Does Greece have more World Heritage sites than Turkey?": lambda: (
        heritage(G(), "m.country_gr") > heritage(G(), "m.country_tr")
    ),
    "Does Turkey have more World Heritage sites than Greece?": lambda: (
        heritage(G(), "m.country_tr") > heritage(G(), "m.country_gr")
    ),
    "Is there any green in the flag of Jamaica?": lambda: (
        "m.country_jm" in having(G(), "location.country.national_color", "green")
    ),
    "Is there any green in the flag of France?": lambda: (
        "m.country_fr" in having(G(), "location.country.national_color", "green")
    ),
    "Is Jordan a kingdom?": lambda: monarchical(G(), "m.country_jo"),
    "Is Peru a kingdom?": lambda: monarchical(G(), "m.country_pe"),
    "Does Spain border Germany?": lambda: "m.country_de" in neighbours(G(), "m.country_es"),
    "Does France border Germany?": lambda: "m.country_de" in neighbours(G(), "m.country_fr"),
    "Do all countries that border Luxembourg use the euro?": lambda: neighbours(G(), "m.country_lu") <= using(G(), "Euro"),
    "Do all countries that border Austria use the euro?": lambda: neighbours(G(), "m.country_at") <= using(G(), "Euro"),
    "Do any countries in South America use the euro?": lambda: bool(on(G(), "South America") & using(G(), "Euro")),
    "Is Brazil larger than Argentina?": lambda: area(G(), "m.country_br") > area(G(), "m.country_ar"),
    "Is Argentina larger than Brazil?": lambda: area(G(), "m.country_ar") > area(G(), "m.country_br"),
    "Do Germany and Austria both use the euro?": lambda: {"m.country_de", "m.country_at"} <= using(G(), "Euro"),
    "Do Germany and Denmark both use the euro?": lambda: {"m.country_de", "m.country_dk"} <= using(G(), "Euro"),
}


@pytest.mark.parametrize("question", LISTS)
@pytest.mark.slow
def test_what_is_denied_is_taken_away(question: str, world_parser: DefaultParser, kb: KnowledgeBase) -> None:
    reading = world_parser.parse(question, 1)[0]
    answers = final_answer(decompose(reading.form), kb, reading.names).answers
    countries = {each.node.id for each in answers if isinstance(each.node, Entity)}
    assert countries == LISTS[question]()
    assert reading.unused == ()


@pytest.mark.parametrize("question", NUMBERS)
@pytest.mark.slow
def test_how_many_is_answered_by_a_number(question: str, world_parser: DefaultParser, kb: KnowledgeBase) -> None:
    reading = world_parser.parse(question, 1)[0]
    (answer,) = final_answer(decompose(reading.form), kb, reading.names).answers
    assert reading.form.returns == Counting()
    assert answer.name == str(NUMBERS[question]())


@pytest.mark.parametrize("question", TRUTHS)
@pytest.mark.slow
def test_yes_or_no_is_as_the_facts_say(question: str, world_parser: DefaultParser, kb: KnowledgeBase) -> None:
    reading = world_parser.parse(question, 1)[0]
    (answer,) = final_answer(decompose(reading.form), kb, reading.names).answers
    assert isinstance(reading.form.returns, Asking)
    assert answer.name == ("yes" if TRUTHS[question]() else "no")


@pytest.mark.parametrize("question", [*LISTS, *NUMBERS, *TRUTHS])
@pytest.mark.slow
def test_every_reading_is_whole_again_from_its_steps(question: str, world_parser: DefaultParser) -> None:
    for reading in world_parser.parse(question, 3):
        assert equivalent(compose(decompose(reading.form)), reading.form)


def test_a_count_is_more_than_a_figure_on_record(world_parser: DefaultParser) -> None:
    """ "How many people live in ..." asks for the population and counts nobody."""
    reading = world_parser.parse("How many people live in Norway?", 1)[0]
    assert reading.form.returns is None
    assert "location.statistical_region.population" in write_sparql(reading.form)


@pytest.mark.parametrize(
    ("question", "unused"),
    [
        ("Which state of the USA is the least populous?", ("state",)),
        ("Which city of the USA is the least populous?", ()),
        ("Which EU country borders Russia?", ()),
    ],
)
def test_what_is_of_another_kind_than_asked_for_is_named(
    question: str, unused: tuple[str, ...], world_parser: DefaultParser
) -> None:
    """Of the states no population is on record, and the least of the cities is no answer to that."""
    assert world_parser.parse(question, 1)[0].unused == unused


def test_what_is_not_on_record_is_not_that_of_the_neighbours(world_parser: DefaultParser, kb: KnowledgeBase) -> None:
    assert not G().objects("m.country_hr", "location.location.coastline_length")
    reading = world_parser.parse("How long is the coastline of Croatia?", 1)[0]
    assert final_answer(decompose(reading.form), kb, reading.names).answers == ()


@pytest.mark.parametrize(
    "question",
    ["Which European countries get electricity from nuclear power?", "Which European countries have nuclear electricity?"],
)
def test_things_and_no_figures_are_asked_for_by_which(question: str, world_parser: DefaultParser, kb: KnowledgeBase) -> None:
    reading = world_parser.parse(question, 1)[0]
    answers = {
        each.node.id
        for each in final_answer(decompose(reading.form), kb, reading.names).answers
        if isinstance(each.node, Entity)
    }
    assert answers
    assert answers <= on(G(), "Europe")
