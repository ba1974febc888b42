"""A question is asked again about another thing or value, in order, for others, and without what is left out."""

from dataclasses import replace

import pytest

from inspired.dialogue.conversations import Conversations
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.parsers.follow_ups.before import Before, without_interjections
from inspired.parsers.follow_ups.new_subject import read_after
from inspired.parsers.follow_ups.others import asks_for_order
from inspired.parsers.opening import open_default_parser
from inspired.parsers.query_graphs.default_parser import DefaultParser

from .conftest import Ask


@pytest.mark.parametrize("again", ["and Ghana?", "no, i meant Ghana", "same for Ghana", "Thanks! And Ghana?", "Ghana"])
def test_the_same_is_asked_of_another(ask: Ask, again: str) -> None:
    assert ask("What is the capital of Kenya?", again) == [["Nairobi"], ["Accra"]]


def test_a_name_may_be_misspelt(ask: Ask) -> None:
    assert ask("What is the capital of Luxembourg?", "and lichtenstein")[1] == ["Vaduz"]


def test_what_asks_something_itself_is_not_the_question_before(ask: Ask) -> None:
    _, area = ask("Which lakes are larger than Lake Victoria?", "And how large is Lake Victoria itself?")
    assert area == ["62,940"]


def test_the_second_of_the_row(ask: Ask) -> None:
    longest, second, again = ask("What is the longest river in the world?", "And what is the second longest?", "and the third?")
    assert (longest, second) == (["Nile River"], ["Amazon River"])
    assert again[0] not in (*longest, *second)
    assert ask("Which country has the most people?", "and which comes second?") == [["India"], ["China"]]


def test_another_bound(ask: Ask) -> None:
    many, more = ask("Which countries have more than 100 million people?", "and more than 500 million?")
    assert (more, set(more) < set(many)) == (["China", "India"], True)


def test_all_of_them_in_order(ask: Ask) -> None:
    mountains, lowest, highest, inside = ask(
        "mountains over 7000 m", "sort by height, lowest first", "sort them by height, highest first", "only those in China"
    )
    assert lowest == highest[::-1]
    assert sorted(lowest) == sorted(mountains)
    assert set(inside) < set(mountains)


def test_what_is_left_out(ask: Ask) -> None:
    every, rest = ask(
        "Which countries have the lion as their national symbol?", "Lovely. Could you leave out the African ones, please?"
    )
    assert set(rest) < set(every)
    assert {"Armenia", "Kenya"} & set(rest) == {"Armenia"}


def test_others_are_not_what_was_asked_about(ask: Ask) -> None:
    _, others = ask("Which languages are spoken in Switzerland?", "which other countries speak Italian?")
    assert "Italy" in others
    assert "Switzerland" not in others


def test_a_kind_alone_asks_where_the_thing_is(ask: Ask) -> None:
    assert ask("height of kilimanjaro", "which country")[1] == ["Tanzania"]


def test_an_order_is_no_sorting() -> None:
    parser = open_default_parser(None, open_knowledge_base(None))
    asked = [
        "sort them by area",
        "now rank these from small to large",
        "order of the most populous countries",
        "ranks of officers",
    ]
    assert [asks_for_order(parser.analyse(each)) for each in asked] == [True, True, False, False]


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Thanks! And Togo?", "And Togo?"),
        ("hmm, no, i meant Togo", "i meant Togo"),
        ("no country in Asia", "no country in Asia"),
        ("Which are not in Asia?", "Which are not in Asia?"),
        ("Thanks!", "Thanks!"),
    ],
)
def test_interjections_ask_for_nothing(question: str, kept: str) -> None:
    assert without_interjections(question) == kept


def test_the_one_in_the_second_place_is_what_is_asked_about_next(ask: Ask) -> None:
    _, second, rises = ask(
        "What is the longest river in the world?", "And what is the second longest?", "Where does that one begin?"
    )
    assert second == ["Amazon River"]
    assert "Peru" in rises
    assert not {"Rwanda", "Burundi"} & set(rises)  # where the longest one is said to rise


def test_what_was_asked_about_some_is_asked_about_another_as_it_was_read(ask: Ask) -> None:
    _, in_europe, in_africa = ask("Which countries speak French?", "only those in Europe", "and in Africa?")
    assert {"Belgium", "France"} <= set(in_europe)
    assert "Senegal" in in_africa
    assert not set(in_europe) & set(in_africa)
    _, others = ask("Which countries of Europe have a population below 100000?", "and those of Asia, which ones?")
    assert others == ask("Which countries of Asia have a population below 100000?")[0]


@pytest.mark.parametrize("again", ["Kenya too?", "and Kenya?", "and Kenya too?"])
def test_a_claim_is_made_of_another(ask: Ask, again: str) -> None:
    assert ask("Is Ghana a member of the European Union?", again) == [["no"], ["no"]]
    assert ask("Is Ghana a member of the African Union?", again) == [["yes"], ["yes"]]


def test_what_is_true_after_a_claim_that_is_not(ask: Ask) -> None:
    claim, members = ask("Is Kenya a member of the European Union?", "who is then?")
    assert claim == ["no"]
    assert {"Austria", "Sweden"} <= set(members)
    claim, capital = ask("Is Mombasa the capital of Kenya?", "So which city is it then?")
    assert (claim, capital) == (["no"], ["Nairobi"])


@pytest.mark.parametrize("rest", ["which are not?", "and the ones that aren't?", "and the rest?"])
def test_those_that_were_not_chosen(ask: Ask, rest: str) -> None:
    every, inside, outside = ask("Which countries border Switzerland?", "which of them are in the EU?", rest)
    assert inside
    assert outside
    assert sorted((*inside, *outside)) == sorted(every)


def test_where_none_was_chosen_all_are_the_rest(ask: Ask) -> None:
    every, inside, outside = ask("Which countries use the euro?", "which of them speak Swahili?", "and the rest?")
    assert (inside, outside) == ([], every)


def test_many_are_left_out(ask: Ask) -> None:
    every, african, others = ask("Which countries have an area above 1000?", "which of them are in Africa?", "and the rest?")
    assert len(african) > 40
    assert sorted((*african, *others)) == sorted(every)


def test_what_is_called_so_is_left_out_or_kept(ask: Ask) -> None:
    every, rest = ask("Which World Heritage Sites lie in Iceland?", "without the parks")
    parks = [each for each in every if "Park" in each]
    assert sorted((*rest, *parks)) == sorted(every)
    assert ask("Which World Heritage Sites lie in Iceland?", "only the parks")[1] == parks


@pytest.mark.parametrize(
    "narrower", ["now only the monarchies", "any monarchies among them?", "and only monarchies", "which are monarchies?"]
)
def test_those_of_a_sort(ask: Ask, narrower: str) -> None:
    every, kept = ask("Which countries are members of NATO?", narrower)
    assert {"Norway", "Spain"} <= set(kept) < set(every)
    assert "France" not in kept


def test_only_some_of_what_was_counted_are_those_things(ask: Ask) -> None:
    """No other thing takes the place of Africa, and no number is asked for."""
    every, _, french, money = ask(
        "landlocked countries in Africa", "how many is that", "now only French speaking", "their currencies"
    )
    assert set(french) < set(every)
    assert "West African CFA Franc" in money
    assert "Euro" not in money


@pytest.mark.parametrize(
    ("before", "question", "whole"),
    [
        ("Who is the head of state of Denmark?", "Who's the prime minister?", "Who is the prime minister of Denmark?"),
        ("What religions are there in Lebanon?", "Who is the president there?", "Who is the president of Lebanon?"),
        (
            "What is the national anthem of India?",
            "When is the country's national holiday?",
            "When is India's national holiday?",
        ),
        ("Who is the president of Lebanon?", "Same question for Iraq.", "Who is the president of Iraq?"),
        ("What is the highest mountain in the world?", "What about the second?", "What is the second highest mountain?"),
        ("What does Angola import?", "And Peru?", "What does Peru import?"),
    ],
)
def test_one_thing_is_asked_about_what_was_before(ask: Ask, before: str, question: str, whole: str) -> None:
    """And not the hundred prime ministers of all countries listed."""
    assert ask(before, question)[1] == ask(whole)[0] != []


@pytest.mark.parametrize("question", ["Show only the African ones.", "Just list only the African ones"])
def test_only_some_are_shown(ask: Ask, question: str) -> None:
    listed = ask("Which countries gained their independence from Portugal?", question)
    assert listed[1] == ["Angola", "Cabo Verde", "Mozambique", "Sao Tome and Principe"]


def test_in_order_of_what_is_named(ask: Ask) -> None:
    """By the population, and not by how fast it grows."""
    opec = "Which members of OPEC are in Africa?"
    in_order = ["Libya", "Algeria", "Nigeria"]
    assert ask(opec, "Put them in order of population.")[1] == ask(opec, "Sort them by population")[1] == in_order


def test_both_that_were_answers(ask: Ask) -> None:
    both = ask("Which countries border Austria and are not in the EU?", "Do both use the same currency?")
    assert both == [["Liechtenstein", "Switzerland"], ["yes"]]


def test_the_first_to_do_so(ask: Ask) -> None:
    assert ask("Which countries gained their independence from Portugal?", "Which was the first to do so?")[1] == ["Brazil"]


def test_the_currency_of_the_one_that_was_chosen(ask: Ask) -> None:
    chosen = ask("Which countries border Austria?", "Which one has the most people?", "And what currency do they use there?")
    assert chosen[1:] == [["Germany"], ["Euro"]]


def test_of_the_answer_nothing_is_on_record(ask: Ask) -> None:
    """Which is said; no word is left out, and the question is not refused as one that names nothing."""
    assert ask("What is the longest river in Asia?", "Where does it begin?") == [["Yangtze River"], []]


def test_a_country_is_no_he(ask: Ask) -> None:
    """Peru has a birth rate, by which it is not its president who is old."""
    assert ask("Who is the president of Peru?", "How old is he?")[1] != ask("What is the birth rate of Peru?")[0]


def test_the_second_of_the_answers_as_they_were_shown(ask: Ask) -> None:
    border = ask("Which countries border Peru?", "What is the capital of the second?")
    assert border[0][1] == "Brazil"
    assert border[1] == ["Brasília"]
    assert ask("Which rivers flow through France?", "How long is the second?")[1] == ask("How long is the Rhine?")[0]


def test_of_the_largest_one(ask: Ask) -> None:
    """The capital of the largest country, and not the largest capital, nor the largest city of all."""
    capitals = ask("Which countries border Peru?", "What is the capital of the largest one?", "And of the smallest one?")
    assert capitals[1:] == [["Brasília"], ["Quito"]]
    assert ask("Which rivers flow through Germany?", "Where does the longest one begin?")[1] == ["Germany"]


def test_there_is_where_the_question_before_was_about(ask: Ask) -> None:
    """And not the religion of the whole world."""
    there = ask("What is the national animal of Thailand?", "What is the main religion there?")
    assert there[1] == ask("What is the main religion of Thailand?")[0] == ["Buddhism"]


def test_how_long_it_is_there(ask: Ask) -> None:
    there = ask("How long is the coastline of Greece?", "And what about Turkey, how long is it there?")
    assert there[1] == ask("How long is the coastline of Turkey?")[0]


@pytest.mark.parametrize("question", ["From whom?", "And from which country?"])
def test_the_same_asked_in_another_way(ask: Ask, question: str) -> None:
    asked = ask("When did Vietnam become independent?", question, "And Finland?")
    assert asked[1:] == [["France"], ["Russia"]]


def test_its_is_not_of_all_that_share_a_fact(ask: Ask) -> None:
    """Of Laos, and not of all that have its form of government."""
    assert ask("What form of government does Laos have?", "Who is its head of state?")[1] == ["Thongloun Sisoulith"]


def test_several_largest_of_another_country(ask: Ask) -> None:
    italy, spain = ask("What are the largest cities in Italy?", "And in Spain?")
    assert italy[:3] == ["Rome", "Milan", "Naples"]
    assert spain[:3] == ["Madrid", "Barcelona", "Valencia"]
    assert len(italy) == len(spain) == 5


def test_what_is_not_used_is_named_again(ask: Ask) -> None:
    """Where another name takes the place of one, too."""
    kb = open_knowledge_base(None)
    conversations = Conversations(kb, open_default_parser(None, kb))
    asked = ("Which frumious countries border Peru?", "And Chile?")
    results = [conversations.answer({"conversation": 1, "question": each}) for each in asked]
    assert [result["unused"] for result in results] == [["frumious"], ["frumious"]]


def test_which_of_them_is_never_asked_of_all(ask: Ask) -> None:
    """ "Also" stands between, and the Netherlands are named; the longest is then one of the rivers through both."""
    rivers, both, longest = ask(
        "Which rivers flow through Germany?",
        "Which of them also pass through the Netherlands?",
        "Which is the longest of these?",
    )
    assert set(both) < set(rivers)
    assert longest[0] in both


def test_the_second_of_those_that_are_pointed_to(ask: Ask) -> None:
    members, first, second = ask(
        "Which countries are members of OPEC?", "Which of them has the most people?", "What about the second?"
    )
    assert {*first, *second} < set(members)
    assert first != second


@pytest.mark.parametrize("question", ["Put the most populous first.", "Show them in order, largest population first."])
def test_in_order_from_the_most(ask: Ask, question: str) -> None:
    listed, ordered = ask("Which countries border Hungary?", question)
    assert ordered == ask("Which countries border Hungary?", "sort by population, largest first")[1]
    assert sorted(ordered) == sorted(listed)


def test_the_nth_of_the_latest_list(ask: Ask) -> None:
    """A claim about one of the list comes between."""
    cities, _, third = ask(
        "What are the five biggest cities in Iran?", "Is Mashhad larger than Izmir?", "How many people live in the third?"
    )
    assert third == ask(f"How many people live in {cities[2]}?")[0]


def test_there_is_a_place_and_no_religion(ask: Ask) -> None:
    here = ask("Which ethnic groups live in Laos?")[0]
    assert ask("Which religions do people follow in Laos?", "Which ethnic groups live there?")[1] == here
    assert ask("Which religions do people follow in Laos?", "And which ethnic groups?")[1] == here


def test_one_of_these_is_not_where_they_lie(ask: Ask) -> None:
    """The largest of the countries before, not of their currencies; no figure of the states of Australia is on record."""
    assert ask("Which countries border Hungary?", "What are their currencies?", "Which is the largest?")[2] == ["Ukraine"]
    kb = open_knowledge_base(None)
    conversations = Conversations(kb, open_default_parser(None, kb))
    asked = ("What are the states of Australia?", "Which is the largest?", "What is its capital?")
    results = [conversations.answer({"conversation": 1, "question": each}) for each in asked]
    assert ["improbable" in str(each).lower() for each in results] == [False, True, True]


def test_nothing_is_surer_than_what_it_goes_on_from(world_parser: DefaultParser) -> None:
    first = world_parser.parse("Which countries border Lebanon?")[0]
    nodes = world_parser.state_of(first.form)
    assert nodes is not None
    before = Before("Which countries border Lebanon?", first.form, tuple(nodes.nodes))
    surely, hardly = (
        read_after(world_parser, "What are their capitals?", replace(before, confidence=sure)).readings[0]
        for sure in (1.0, 0.3)
    )
    assert surely.confidence > 0.3
    assert hardly.confidence == pytest.approx(0.3 * 0.3 ** (1 / 3))  # what it goes on from was hardly meant
    assert surely.form == hardly.form


def test_the_latter_is_named_last(ask: Ask) -> None:
    assert ask("Is Lima larger than Quito?", "Of which country is the latter the capital?")[1] == ["Ecuador"]
    assert ask("Is Lima larger than Quito?", "Of which country is the former the capital?")[1] == ["Peru"]


def test_what_lies_between_leaves_doubt(world_parser: DefaultParser) -> None:
    """The Rhône is not on record: "it" may be the Rhine of the question before, or not."""
    known = Before(
        "Through which countries does the Rhine flow?",
        world_parser.parse("Through which countries does the Rhine flow?")[0].form,
    )
    first = world_parser.parse("What about the Rhône?")[0]
    doubtful = Before("What about the Rhône?", first.form, earlier=known, confidence=first.confidence)
    assert first.confidence < 0.4
    assert read_after(world_parser, "Where does it rise?", known).readings[0].confidence > 0.4
    assert read_after(world_parser, "Where does it rise?", doubtful).readings[0].confidence <= first.confidence


def test_exports_and_imports_in_few_words(ask: Ask) -> None:
    assert ask("What does Zambia import?", "And its exports?", "Now its imports.")[1:] == [
        ask("What does Zambia export?")[0],
        ask("What does Zambia import?")[0],
    ]


def test_a_superlative_of_another(ask: Ask) -> None:
    highest = ask("What is the highest mountain in Indonesia?", "And the highest in Papua New Guinea?")
    assert highest[1] == ["Mount Wilhelm"]


def test_and_who_asks_something_else(ask: Ask) -> None:
    asked = ask("How many of the countries that border Austria are in NATO?", "And who are Hungary's neighbours?")
    assert asked[1] == ask("Which countries border Hungary?")[0]


def test_the_least_is_chosen_from_all(ask: Ask) -> None:
    asked = ask("Which G7 country has the greatest public debt?", "Which has the least?")
    assert asked[1] == ask("Which G7 country has the least public debt?")[0] != asked[0]


def test_which_others_do_what_one_was_claimed_to_do(ask: Ask) -> None:
    border = ask("Which countries border Chile?")[0]
    assert ask("Does Peru border Chile?", "Which other countries do?")[1] == [each for each in border if each != "Peru"]
    kings = ask("Which countries in Europe are monarchies?")[0]
    assert ask("Is Denmark a monarchy?", "Which other countries in Europe are?")[1] == [
        each for each in kings if each != "Denmark"
    ]


def test_the_country_is_what_was_asked_about(ask: Ask) -> None:
    cities = ask("What is the capital of New Zealand?", "And what is the country's largest city?")
    assert cities[1] == ask("What is the largest city in New Zealand?")[0]


@pytest.mark.parametrize(
    "question", ["Put all of them in order of size, largest first.", "Put all five in order of area, largest first."]
)
def test_all_in_order_of_size(ask: Ask, question: str) -> None:
    listed = ask("Which countries border Peru?", question)
    assert listed[1] == ask("Which countries border Peru?", "sort by area, largest first")[1]


def test_which_one_measures_most(ask: Ask) -> None:
    assert ask("Which countries border Hungary?", "Which one covers the largest area?")[1] == ["Ukraine"]


def test_a_name_with_its_own_question(ask: Ask) -> None:
    """Is not put in place of another one in the question before."""
    asked = ask("What is the capital of Kenya?", "And Uganda, who is the president there?")
    assert asked[1] == ask("Who is the president of Uganda?")[0]


def test_the_same_of_the_neighbours(ask: Ask) -> None:
    holidays = ask("When is the national holiday of France?", "And of its neighbours?")
    assert holidays[1] == ask("On what day is the national holiday of the neighbouring countries of France?")[0]
    currency = ask("What is the currency of Vietnam?", "And in the neighbouring countries?")
    assert currency[1] == ask("What is the currency of the neighbouring countries of Vietnam?")[0]
    assert currency[1]
    assert "Vietnamese Dong" not in currency[1]


@pytest.mark.parametrize("first", ["Which countries border Ukraine?", "What is the population of Ukraine?"])
def test_how_many_of_the_neighbours(ask: Ask, first: str) -> None:
    counted = ask(first, "How many of the neighbours are landlocked?")
    assert counted[1] == ask("How many of the neighbours of Ukraine are landlocked?")[0]


def test_by_another_measure(ask: Ask) -> None:
    by_people = ask("Which five countries are the largest by area?", "And by population?")
    assert by_people[1] == ask("Which five countries are the largest by population?")[0]


def test_the_largest_of_shares(ask: Ask) -> None:
    groups, most = ask("Which ethnic groups live in Nigeria?", "Which is the largest?")
    assert most == ask("What is the largest ethnic group in Nigeria?")[0]
    assert set(most) < set(groups)


def test_in_each_of_what_was_found(ask: Ask) -> None:
    seats = ask("What chambers does the parliament of France have?", "How many seats are there in each?")
    assert seats[1] == ask("How many seats are in the chambers of the parliament of France?")[0]


def test_between_the_last_two(ask: Ask) -> None:
    border = ask(
        "When did Haiti become independent?", "What about the Dominican Republic?", "How long is the border between them?"
    )
    assert border[2] == ask("How long is the border between Haiti and the Dominican Republic?")[0]


def test_how_long_it_is_is_of_what_has_a_length(ask: Ask) -> None:
    """And no coast of the country in which it rises."""
    rises, mouth, length = ask(
        "In which country does the Rhine rise?", "In which country does it reach the sea?", "How long is it?"
    )
    assert rises == ["Switzerland"]
    assert mouth == ask("In which country does the Rhine have a mouth?")[0] == ["Netherlands"]
    assert length == ask("What is the length of the Rhine?")[0]


def test_a_claim_of_it_is_about_it(ask: Ask) -> None:
    """Turkey has a capital, but that is not what is asked."""
    city, capital, which = ask("Which is the largest city in Turkey?", "Is it the capital of Turkey?", "Which city is, then?")
    assert (city, capital, which) == (["Istanbul"], ["no"], ["Ankara"])


@pytest.mark.parametrize("denied", ["Which are not yet in the European Union?", "Which are not in the European Union?"])
def test_what_is_not_yet_so_is_not_so(ask: Ask, denied: str) -> None:
    border, without = ask("Which countries border Serbia?", denied)
    members = ask("Which countries are members of the European Union?")[0]
    assert without == [each for each in border if each not in members] != []


def test_the_first_of_these_and_what_follows(ask: Ask) -> None:
    former, first, capital = ask(
        "Name the former colonies of Spain in South America.",
        "Which of these was the first to become independent?",
        "What is its capital?",
    )
    assert set(first) < set(former)
    assert capital == ask(f"What is the capital of {first[0]}?")[0]


def test_it_is_compared_with_what_is_known_by_a_part_of_its_name(ask: Ask) -> None:
    higher = ask("What is the highest mountain in Turkey?", "How high is it, exactly?", "Is Elbrus higher?")
    assert higher[2] == ask("Is Gora El'brus higher than Mount Ararat?")[0] == ["yes"]


def test_which_of_these_is_of_no_others(ask: Ask) -> None:
    members, most = ask("Which countries belong to OPEC?", "Which of these produces the most oil?")
    assert set(most) < set(members)
    assert most != ask("Which country produces the most oil?")[0]


@pytest.mark.parametrize("compared", ["How does that compare with Brazil?", "And how does it compare to that of Brazil?"])
def test_what_it_compares_with_is_asked_too(ask: Ask, compared: str) -> None:
    rate = ask("What is the unemployment rate in Argentina?", compared)[1]
    assert rate == ask("What is the unemployment rate in Brazil?")[0] != []


def test_a_figure_that_a_region_is_called_by_is_a_figure(ask: Ask) -> None:
    """There is a region of the type Area."""
    areas = ask("What is the population of Bangladesh?", "And the area?")
    assert areas[1] == ask("What is the area of Bangladesh?")[0] != []


@pytest.mark.parametrize("country", ["Japan", "Monaco"])
def test_whether_it_is_the_most_of_all(ask: Ask, country: str) -> None:
    highest = ask(f"What is the life expectancy in {country}?", "Is it the highest in the world?")
    longest = ask("Which country has the highest life expectancy?")[0]
    assert highest[1] == ["yes" if longest == [country] else "no"]


def test_those_countries_are_no_others(ask: Ask) -> None:
    border, capitals = ask("Which countries border Peru?", "What are the capitals of those countries?")
    assert len(capitals) == len(border)
    assert "Santiago" in capitals


def test_whether_it_is_the_capital_of_what_was_asked_about(ask: Ask) -> None:
    """Brazil has a capital, but that is not what is asked."""
    assert ask("What is the largest city in Brazil?", "Is it also the capital?")[1] == ["no"]
    assert ask("What is the largest city in Peru?", "Is it also the capital?")[1] == ["yes"]


def test_who_heads_the_government(ask: Ask) -> None:
    assert (
        ask("Who is the King of Jordan?", "And who heads the government?")[1]
        == ask("Who is Jordan's head of government?")[0]
        != []
    )
