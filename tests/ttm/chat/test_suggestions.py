"""Proposed questions are valid wherever they are proposed, and mean what they say."""

from random import Random

import pytest

from backend.errors import DatasetError
from tests.ttm.conftest import KINDS, awkward_subject
from ttm.chat import suggestions
from ttm.chat.suggestions import SuggestedQuestion, categories, category_titles, fresh_question, next_questions, starters
from ttm.explain.explainer import Explainer
from ttm.language.grammar import grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.results import Refused
from ttm.tabular.data.dataset import DEMOS, load_dataset


@pytest.mark.parametrize("name", DEMOS)
def test_every_category_proposes_valid_questions_for_every_demo(name: str) -> None:
    dataset = load_dataset(name)
    assert set(categories(dataset)) == set(category_titles())
    for category in categories(dataset):
        for seed in range(40):
            question = fresh_question(category, dataset, Random(seed))
            assert str(grammar_of(dataset.schema).read(question.parse)) == question.parse
            assert "{" not in question.utterance


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_proposals_can_be_carried_out_whatever_the_data_set(kind: str) -> None:
    subject = awkward_subject(kind)
    dataset, engine = subject.dataset, ExecutionEngine(subject, Explainer(subject))
    for category in categories(dataset):
        for seed in range(3):
            question = fresh_question(category, dataset, Random(seed))
            results = engine.execute(grammar_of(dataset.schema).read(question.parse)).results
            assert results, question
            refused = [result.reason for result in results if isinstance(result, Refused)]
            assert refused == [] or kind in ("tiny", "several", "regression", "unlabelled"), question


@pytest.mark.parametrize("kind", KINDS)
def test_a_newcomer_always_has_something_to_begin_with(kind: str) -> None:
    assert len(starters(awkward_subject(kind).dataset, Random(0))) >= 2


def test_questions_are_fresh() -> None:
    dataset = load_dataset("diabetes")
    asked = {fresh_question("predictions", dataset, Random(seed)).utterance for seed in range(30)}
    assert len(asked) > 10


def test_an_unknown_category_names_the_known_ones() -> None:
    with pytest.raises(DatasetError, match="predictions, reasons"):
        fresh_question("poetry", load_dataset("diabetes"), Random(0))


def test_next_questions_leave_out_what_was_just_asked_and_what_is_invalid() -> None:
    schema = load_dataset("diabetes").schema
    proposed = ["score accuracy", "nonsense", "predict", "previousfilter and explain features", "label", "show"]
    found = next_questions(proposed, schema, ["predict [e]"], "people with age above 50")
    assert [question.parse for question in found] == [
        "score accuracy [e]",
        "previousfilter and explain features [e]",
        "label [e]",
    ]
    assert "people with age above 50" in found[1].utterance
    assert all(isinstance(question, SuggestedQuestion) and question.utterance[0].isupper() for question in found)


def test_what_may_come_next_is_worded_as_people_ask_it() -> None:
    schema = load_dataset("diabetes").schema
    proposed = ["previousfilter and explain features", "effect bmi", "previousfilter and filter age greater than 3 and predict"]
    found = [question.utterance for question in next_questions(proposed, schema, [], "the instance with id 5")]
    assert found[:2] == ["Why does the model predict this for the instance with id 5?", "How does BMI affect the prediction?"]
    assert found[2].startswith("The predictions for the instance with id 5, of these only"), "named as it is understood"
    for operation in suggestions._next_wordings():
        assert grammar_of(schema).read(operation.replace("{feature}", "age")).steps
