"""Words and phrases of people for what a graph calls otherwise, over a graph that has none of them."""

from collections.abc import Callable

import pytest

from inspired.parsers.linking import asked_words
from inspired.parsers.linking.words import content_stems, stem, tokens_of
from inspired.parsers.query_graphs.default_parser import DefaultParser

HARBOURS = """
@prefix : <http://harbours.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Airport rdfs:label "airport" . :Person rdfs:label "person" . :Ship rdfs:label "ship" .
:a1 a :Airport ; rdfs:label "Tarnfield" ; :operator :kestrel ; :inception 1931 ; :elevation 212 .
:a2 a :Airport ; rdfs:label "Ostmoor" ; :operator :brandt ; :inception 1958 ; :elevation 14 .
:kestrel rdfs:label "Kestrel Aviation" . :brandt rdfs:label "Brandt Group" .
:s1 a :Ship ; rdfs:label "Grey Heron" ; :namesake :ada ; :material :oak .
:s2 a :Ship ; rdfs:label "Ben Okoro" ; :namesake :ben ; :material :steel .
:ada a :Person ; rdfs:label "Ada Marwick" . :ben a :Person ; rdfs:label "Benedict Okoro" .
:oak rdfs:label "oak" . :steel rdfs:label "steel" .
"""
ASKED = {
    "Who is in charge of Tarnfield?": {"kestrel"},
    "Who runs Ostmoor?": {"brandt"},
    "What year did Tarnfield start out?": {"1931"},
    "Who was the Grey Heron named after?": {"ada"},
    "What is the Grey Heron made of?": {"oak"},
    "Which airfields are run by Kestrel Aviation?": {"a1"},
}


@pytest.mark.parametrize("question", ASKED)
def test_what_people_say_is_read_over_a_graph_that_says_it_otherwise(
    parser_over: Callable[[str], DefaultParser], likeliest: Callable[[DefaultParser, str], set[str]], question: str
) -> None:
    assert likeliest(parser_over(HARBOURS), question) == ASKED[question]


def test_a_phrase_stands_where_its_words_do() -> None:
    stems = [each.stem for each in tokens_of("Who is in charge of it?")]
    assert (range(2, 5), content_stems("head")) in [*asked_words.phrases_in(stems)]
    assert not [*asked_words.phrases_in(["zyx", "wvu"])]


def test_words_of_a_line_ask_for_the_first_of_it_and_not_for_each_other() -> None:
    near = asked_words.near("near_synonyms")
    assert stem("heavy") in near[stem("weight")]
    assert stem("weight") in near[stem("heavy")]
    assert stem("hail") in near[stem("birthplace")]
    assert stem("hail") not in near.get(stem("native"), ())


@pytest.mark.parametrize("name", ["near_synonyms.txt", "kinds.txt", "phrases.txt"])
def test_each_line_of_a_file_says_something(name: str) -> None:
    """A line without another word, or a phrase that no span of a question can be, would be read and never used."""
    lines = [*asked_words._lines(name)]
    assert len(lines) == len(set(lines)) > 500
    if name == "phrases.txt":
        parts = [each.split(" => ") for each in lines]
        assert all(2 <= len(tokens_of(phrase)) <= asked_words.LONGEST_PHRASE and content_stems(word) for phrase, word in parts)
    else:
        assert all(len(each.split()) > 1 for each in lines)
