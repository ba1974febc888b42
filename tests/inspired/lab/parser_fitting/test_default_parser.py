"""Fitting the default parser: it learns words, keeps what is right, and says how sure it is."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspired.__main__ import main
from inspired.decomposition.decompose import read_steps
from inspired.knowledge_base.graph import Graph
from inspired.lab.parser_fitting.default_parser import LabelledQuestion, calibration_error, fit, key_of, learnt_words
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Entity, LogicalForm, Variable
from inspired.parsers.linking.lexicon import strengths
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing, Tie, logical_form
from inspired.parsers.query_graphs.ranking.features import FEATURES
from inspired.parsers.query_graphs.ranking.weights import FITTED, Weights, fitted_weights

FILMS = {"m.harbour": "The Silent Harbour", "m.comet": "Comet Season", "m.orchard": "Orchard of Glass"}


def helmed(id_: str) -> LogicalForm:
    return logical_form(Thing((Tie(("film.film.directed_by",), Entity(id_)),)))


def lasted(id_: str) -> LogicalForm:
    return logical_form(Thing((Tie(("film.film.runtime",), Entity(id_)),)))


def questions() -> list[LabelledQuestion]:
    """Two relations in words that neither their names nor a synonym has."""
    told = [LabelledQuestion(f"Whose brainchild is {name}?", helmed(id_)) for id_, name in FILMS.items()]
    return 4 * (told + [LabelledQuestion(f"How lengthwise is {name}?", lasted(id_)) for id_, name in FILMS.items()])


def test_words_are_learnt_for_the_relation_they_come_with(films: Graph) -> None:
    learnt = learnt_words(films, questions())
    assert "brainchild" in learnt["film.film.directed_by"]
    assert "brainchild" not in learnt.get("film.film.runtime", {})


def test_a_fitted_parser_reads_what_it_could_not_read_before(films: Graph) -> None:
    weights = fit(films, questions(), rounds=1)
    reading = DefaultParser(films, weights).parse("Whose brainchild is Lantern Street the film?", 1)[0]
    assert canonical(reading.form) == canonical(helmed("m.lantern"))
    assert set(weights.features) == set(FEATURES)


def test_the_direction_of_a_relation_is_told_from_the_distance_to_the_answer() -> None:
    (step,) = read_steps("?c ns:film.film.directed_by ?x .")
    c, x = Variable("c"), Variable("x")
    assert key_of(step, {x: 0, c: 1}) == "> film.film.directed_by"
    assert key_of(step, {c: 0, x: 1}) == "< film.film.directed_by"


def test_a_word_that_stands_everywhere_has_no_strength() -> None:
    counts = {"one": {"the": 50.0, "runtime": 20.0}, "other": {"the": 50.0, "director": 20.0}}
    found = strengths(counts, {"the": 100, "runtime": 20, "director": 20})
    assert "runtime" in found["one"]
    assert "the" not in found["one"]


def test_calibration_error_is_the_gap_between_sureness_and_truth() -> None:
    # Guo et al. (2017), equation 3: bins of 0.9 (of which half right) and 0.1 (none right).
    pairs = [(0.95, True), (0.95, False), (0.15, False), (0.15, False)]
    assert calibration_error(pairs) == pytest.approx(0.5 * 0.45 + 0.5 * 0.15)
    assert calibration_error([]) == 0


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=12))
def test_confidences_are_chances_in_the_order_of_the_scores(scores: list[float]) -> None:
    ranked = sorted(scores, reverse=True)
    weights = Weights(sureness=(-1.0, 2.0, 2.0, -0.5, 0.0, -0.5))
    found = weights.confidences(weights.chances(ranked), {})
    assert all(0 <= each <= 1 for each in found)
    assert sum(found) <= 1 + 1e-6
    assert all(one >= other - 1e-6 for one, other in pairwise(found))


def test_the_weights_that_ship_fit_the_code_and_stay_small() -> None:
    assert FITTED.stat().st_size < 1_000_000
    assert set(fitted_weights().features) == set(FEATURES)
    assert Weights(**json.loads(FITTED.read_text("utf-8"))) == fitted_weights()


def test_too_few_questions_to_learn_from_are_refused(tmp_path: Path) -> None:
    from backend.errors import InspiredError

    with pytest.raises(InspiredError, match="too few"):
        main(["fit-parser", "--count", "5", "--out", str(tmp_path / "weights.json")])
