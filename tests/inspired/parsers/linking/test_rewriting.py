import pytest

from inspired.parsers.linking.rewriting import core, rewritten, with_claim, without_world


@pytest.mark.parametrize(
    ("question", "read"),
    [
        # what people say around a question
        ("I promised to look this up for my son: is Lima the capital of Peru?", "is Lima the capital of Peru?"),
        ("My class does rivers this week. Which rivers cross Poland?", "Which rivers cross Poland?"),
        ("My aunt has stamps, so I'd like to know which countries have lions", "which countries have lions"),
        ("Which rivers cross Poland, if you'd be so kind?", "Which rivers cross Poland?"),
        ("Right, let's start with the capital of Peru", "the capital of Peru"),
        ("quick question - which rivers cross Poland?", "which rivers cross Poland?"),
        ("Good morning. Through which countries does the Danube flow?", "Through which countries does the Danube flow?"),
        ("Hi there, the area of Chad", "the area of Chad"),
        ("who is pm of Chad", "who is prime minister of Chad"),
        ("towns with a PM 2.5 above 30", None),
        ("trains at 5 pm", None),
        ("next: the area of Chad", "the area of Chad"),
        ("let's see the area of Chad", None),
        ("first lady of Chad", None),
        # ... and what they mean by it
        ("My friend lives in the country that Eritrea left. What languages are official there?", None),
        ("Of the countries in Europe, which is the largest?", None),
        ("For Peru: what is the capital?", None),
        ("I like Kenya. How big is it?", None),
        # the order of a question
        ("Brazil is larger than Peru?", "is Brazil larger than Peru?"),
        ("nile longer than amazon?", "is nile longer than amazon?"),
        ("Peru has a coast?", "does Peru have a coast?"),
        ("which country is larger than Peru?", None),
        ("the capital of Peru?", None),
        # spelling and small words
        ("wich country has the heighest mountain", "which country has the highest mountain"),
        ("how meny countries border Chad", "how many countries border Chad"),
        ("lakes with more then 5 islands", "lakes with more than 5 islands"),
        ("countries with more as 25 sites", "countries with more than 25 sites"),
        ("countries that became independent after the year 1990", "countries that became independent after 1990"),
        ("the country with the largest number of lakes", "the country with the most lakes"),
        ("cities with 5 lakes or above", "cities with at least 5 lakes"),
        ("which towns are in the 3rd region", "which towns are in the region 3"),
        ("what is the second largest region", None),
        ("I want as many lakes as possible, so which country has the most?", None),
        ("is Peru or Chile bigger?", "which is bigger, Peru or Chile?"),
        ("wat is the capital", "what is the capital"),
        ("the three lakes with the highest level", "the lakes with the three highest level"),
        ("which three towns are the largest", "which towns are the three largest"),
        ("the two towns from which the most people left", "the towns from which the two most people left"),
        ("two towns, and which is the largest", None),
        ("was Ada born before Alan?", "was Ada born earlier than Alan?"),
        ("was Ada born before 1950?", None),
        ("under which other name is Lima known", "under which alias is Lima known"),
        ("are there any lakes that can't freeze? which ones", "which lakes that can't freeze?"),
        ("which towns does the Nile not reach?", "which towns doesn't the Nile reach?"),
        ("through which towns does Nile not run", "through which towns doesn't Nile run"),
        ("in which regions is Quechua not an official language?", "which regions do not have Quechua as an official language?"),
        ("which towns are by a lake and not by a river", None),
        ("which towns are not by a river", None),
        ("which of these is a town not by a river", None),
        ("the main lakes of Chad", "the lakes of Chad"),
        ("the main lake of Chad", None),
        ("the primary schools of Chad", None),
        ("which lakes lie partly in Chad and partly in Peru", "which lakes lie both in Chad and Peru"),
        ("which is longer, the coast of Chad or that of Peru?", "which has the longer coast, Chad or Peru?"),
        ("which covers the largest area", "which has the largest area"),
        ("a lake that covers more than 8 square miles", "a lake that has an area of more than 8 square miles"),
        ("a book that covers more than 8 lakes", None),
        ("which towns have no red in their arms", "which towns do not have red in their arms"),
        ("is Chad landlocked?", "does Chad have no coastline?"),
        ("which towns are landlocked?", "which towns are without coastline?"),
        ("which towns that are in Chad are landlocked?", "which towns that are in Chad are without coastline?"),
        ("how many regions make up Chad?", "how many regions has Chad?"),
        ("how many regions is Chad divided into?", "how many regions does Chad have?"),
        ("are any towns larger than Lima, and if so, which?", "which towns are larger than Lima?"),
        ("which language do most people in Chad speak?", "what is the main language of Chad?"),
        # words of this knowledge base alone
        ("what does Chad export?", None),
        ("which kingdoms border Chad", None),
    ],
)  # fmt: skip
def test_questions_in_plain_order_and_words(question: str, read: str | None) -> None:
    assert rewritten(core(question), lambda word: word in {"chad", "nile", "amazon", "lima", "peru", "region"}) == (
        read or question
    )


@pytest.mark.parametrize(
    ("known", "question", "read"),
    [
        ("commodities", "what goods does Chad mainly export?", "which commodities does Chad export?"),
        ("commodity", "list the main exports of Chad", "list the export commodities of Chad"),
        ("commodity", "the value of the exports of Chad", "the value of the exports of Chad"),
        ("commodity", "what does Chad sell abroad?", "which commodities does Chad export?"),
        ("commodity", "what goods are imported by Chad?", "which commodities are imported by Chad?"),
        ("symbol", "the national bird of Chad", "the national bird symbol of Chad"),
        ("monarchies", "which kingdoms border Chad", "which monarchies border Chad"),
    ],
)
def test_words_are_put_into_those_of_the_knowledge_base(known: str, question: str, read: str) -> None:
    assert rewritten(question, lambda word: word in (known, "chad")) == read


def test_a_word_of_the_knowledge_base_is_no_slip() -> None:
    assert rewritten("cities near neigbours", lambda word: word == "neigbours") == "cities near neigbours"
    assert rewritten("cities near neigbours", lambda word: False) == "cities near neighbours"


def test_slips_are_mended_in_the_words_of_the_knowledge_base() -> None:
    words = ("enclosure", "province")
    assert rewritten("parks of the provinse", lambda word: word in words, words) == "parks of the province"
    assert rewritten("parks of Provinse", lambda word: word in words, words) == "parks of Provinse"


def test_an_ordinal_in_a_name_stays() -> None:
    assert rewritten("parks of the 8th region", lambda words: words in ("region", "8th region")) == "parks of the 8th region"


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("longest coastline in the world who", "longest coastline who"),
        ("Which country has the most people worldwide?", "Which country has the most people?"),
        ("which forests are there in the world", "which forests are there in the world"),
        ("how many lakes are there in the world?", "how many lakes are there?"),
        ("what is the population of the world?", "what is the population of the world?"),
        ("who has won the most titles of the world cup?", "who has won the most titles of the world cup?"),
        ("the largest moon of Earth", "the largest moon of Earth"),
        ("the highest mountain of the earth today", "the highest mountain of the earth today"),
    ],
)
def test_the_most_in_the_world_is_of_all(question: str, read: str) -> None:
    """But not where the Earth is one of many planets."""
    assert without_world(question, lambda word: word.lower() == "earth") == read


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Is there any green in the flag of Chad?", "is green in the flag of Chad?"),
        ("Is there any lake in Chad?", "Is there any lake in Chad?"),
        ("Are there green hills in Chad?", "Are there green hills in Chad?"),
    ],
)
def test_whether_something_named_is_there_is_a_claim_about_it(question: str, read: str) -> None:
    assert with_claim(question, lambda words: words == "green") == read
