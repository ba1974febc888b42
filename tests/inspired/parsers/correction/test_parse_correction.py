"""Corrections in words become steps."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import InspiredError
from inspired.decomposition.decompose import read_steps
from inspired.decomposition.steps import Step
from inspired.knowledge_base.graph import read_graph
from inspired.logical_form.forms import Order, Variable
from inspired.parsers.correction.corrected_steps import CorrectionTurn
from inspired.parsers.correction.parse_correction import DefaultParseCorrector, meaning
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.reading import History

X, C, NUM = Variable("x"), Variable("c"), Variable("num")
DIRECTED = read_steps("ns:m.comet ns:film.film.directed_by ?c .")
BY_OKAFOR = read_steps("?x ns:film.film.directed_by ns:m.okafor .")
RUNTIME = read_steps("?x ns:film.film.runtime ?num .")


@pytest.fixture(scope="module")
def corrector(film_parser: DefaultParser) -> DefaultParseCorrector:
    return DefaultParseCorrector(film_parser)


def read(corrector: DefaultParseCorrector, words: str, history: History) -> Step:
    return corrector.correct(words, history, 3)[0].step


def same(step: Step, text: str) -> bool:
    return [meaning(step)] == [meaning(each) for each in read_steps(text)]


def test_that_thing_is_what_the_step_before_found(corrector: DefaultParseCorrector) -> None:
    history = History("", DIRECTED, X, (), {C: "person"})
    assert same(read(corrector, "Where was that person born?", history), "?c ns:people.person.place_of_birth ?x .")
    assert same(read(corrector, "who is she married to", history), "?c ns:people.person.spouse ?x .")


@pytest.mark.slow
def test_of_many_possible_steps_only_the_best_are_written(world_parser: DefaultParser, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    write = CorrectionTurn.written

    def counted(turn: CorrectionTurn, *args: Any) -> Step | None:
        written.append(args)
        return write(turn, *args)

    monkeypatch.setattr(CorrectionTurn, "written", counted)
    history = History("", read_steps("?x ns:location.country.currency_used ns:m.currency_eur ."), X, (), {X: "country"})
    possible = list(CorrectionTurn(world_parser, "Which of these has the largest population?", history).candidates())
    assert DefaultParseCorrector(world_parser).correct("Which of these has the largest population?", history, 1)
    assert 0 < len(written) < len(possible) / 3


def test_the_name_of_what_was_found_means_the_same_as_pointing(corrector: DefaultParseCorrector) -> None:
    history = History("", DIRECTED, X, (), {C: "person"})
    assert same(read(corrector, "Where was Ada Okafor born?", history), "?c ns:people.person.place_of_birth ?x .")


def test_of_these_chooses_from_what_was_found(corrector: DefaultParseCorrector) -> None:
    history = History("", BY_OKAFOR, X, (), {X: "film"})
    step = read(corrector, "Of these, which stars Inés Reyes?", history)
    assert same(step, "?x ns:film.film.starring ?y . ?y ns:film.performance.actor ns:m.reyes .")
    compared = read(corrector, "which of these has a runtime of more than 100", history)
    assert same(compared, "?x ns:film.film.runtime ?num . FILTER (?num > 100)")


def test_a_value_is_found_first_and_then_sorted_by(corrector: DefaultParseCorrector) -> None:
    history = History("", BY_OKAFOR, X, (), {X: "film"})
    assert same(read(corrector, "What is the runtime of each of these?", history), "?x ns:film.film.runtime ?num .")
    both = History("", (*BY_OKAFOR, *RUNTIME), X, (), {X: "film", NUM: "runtime"})
    assert read(corrector, "Which of these has the longest runtime?", both) == Step(order=Order(NUM, True, 1))


def test_sorting_by_a_value_that_no_step_finds_brings_the_value_along(corrector: DefaultParseCorrector) -> None:
    step = read(corrector, "sort by runtime instead, longest first", History("", BY_OKAFOR, X, (), {X: "film"}))
    assert [each.predicate for each in step.main] == ["film.film.runtime"]
    assert step.order is not None
    assert step.order.descending


def test_a_first_step_takes_the_place_of_the_refused_one(corrector: DefaultParseCorrector) -> None:
    wrong = read_steps("ns:m.comet ns:film.film.genre ?c .")
    step = read(corrector, "Who directed Comet Season?", History("", (), X, wrong))
    assert same(step, "ns:m.comet ns:film.film.directed_by ?c .")


@pytest.mark.parametrize("words", ["Orchard of Glass instead of Comet Season", "no, Orchard of Glass", "Orchard of Glass"])
def test_one_name_in_place_of_another_leaves_the_rest(corrector: DefaultParseCorrector, words: str) -> None:
    step = read(corrector, words, History("", (), X, DIRECTED))
    assert same(step, "ns:m.orchard ns:film.film.directed_by ?c .")


def test_one_value_or_direction_in_place_of_another_leaves_the_rest(corrector: DefaultParseCorrector) -> None:
    refused = read_steps("?x ns:film.film.runtime ?num . FILTER (?num < 90)")
    step = read(corrector, "more than 100", History("", BY_OKAFOR, X, refused, {X: "film"}))
    assert same(step, "?x ns:film.film.runtime ?num . FILTER (?num > 100)")
    order = (Step(order=Order(NUM, True, 1)),)
    history = History("", (*BY_OKAFOR, *RUNTIME), X, order, {X: "film", NUM: "runtime"})
    assert read(corrector, "smallest first", history) == Step(order=Order(NUM, False, 1))


def test_a_refused_step_never_comes_back(corrector: DefaultParseCorrector) -> None:
    history = History("", DIRECTED, X, (), {C: "person"})
    first = corrector.correct("Where was that person born?", history, 10)
    refused = History("", DIRECTED, X, tuple(each.step for each in first[:3]), {C: "person"})
    later = corrector.correct("Where was that person born?", refused, 10)
    assert not {meaning(each.step) for each in later} & {meaning(each.step) for each in first[:3]}


def test_what_means_nothing_here_is_refused(corrector: DefaultParseCorrector) -> None:
    with pytest.raises(InspiredError, match="that film"):
        corrector.correct("qwertz asdf", History("", BY_OKAFOR, X, (), {X: "film"}))


@settings(max_examples=15)
@given(st.permutations("which of these films that person born longest runtime after 2000 Lyon drama".split()))
def test_no_words_make_it_fail(corrector: DefaultParseCorrector, words: list[str]) -> None:
    history = History("", (*DIRECTED, *BY_OKAFOR), X, (), {C: "person", X: "film"})
    for each in corrector.correct(" ".join(words[:7]), history, 3):
        assert 0 <= each.confidence <= 1


def test_words_that_a_step_does_not_explain_are_named(corrector: DefaultParseCorrector) -> None:
    history = History("", BY_OKAFOR, X, (), {X: "film"})
    best = corrector.correct("What is the average runtime of these?", history, 1)[0]
    assert best.unused == ("average",)
    assert corrector.correct("What is the runtime of these?", history, 1)[0].unused == ()
    assert corrector.correct("What is the runtime of that film?", history, 1)[0].unused == (), "what is pointed to is used"
    sorts = History("", (*BY_OKAFOR, *RUNTIME), X, (), {X: "film", NUM: "runtime"})
    assert corrector.correct("Which of these has the longest runtime?", sorts, 1)[0].unused == ()
    assert corrector.correct("Which of these has the longest pink runtime?", sorts, 1)[0].unused == ("pink",)


def test_a_corrected_step_brings_the_labels_of_its_properties(tmp_path: Path) -> None:
    (tmp_path / "beer.ttl").write_text(BEERS, "utf-8")
    corrector = DefaultParseCorrector(DefaultParser(read_graph(tmp_path / "beer.ttl")))
    brewed = read_steps("?x <http://e.example/by> <http://e.example/A> .")
    best = corrector.correct("What is the bitterness of these?", History("", brewed, X, (), {X: "beer"}), 1)[0]
    assert best.names["http://e.example/ibu"] == "bitterness"


BEERS = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix e: <http://e.example/> .
e:by rdfs:label "brewed by" . e:ibu rdfs:label "bitterness" . e:A rdfs:label "Amber" .
e:1 rdfs:label "One" ; e:by e:A ; e:ibu 9 . e:2 rdfs:label "Two" ; e:by e:A ; e:ibu 4 .
"""
