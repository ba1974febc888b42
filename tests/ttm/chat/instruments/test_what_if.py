"""What is set by mouse gives the figures that the same changes give in the parse language."""

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.errors import ExecutionError
from backend.program.settings import Settings
from tests.ttm.conftest import Asker, awkward_engine
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.instruments.what_if import asked_parse, asked_words, case_of_answer, case_of_row, changes_of, what_if
from ttm.chat.session import ChatSession
from ttm.operations.execution_engine import ExecutionEngine
from ttm.tabular.data.schema import FeatureKind

MOVED = {"age": "61.5", "loanpurpose": "car", "ismember": "true", "smoker": "false", "since": "2021-03-04"}


@pytest.fixture(params=["binary", "several", "regression"])
def engine(request: pytest.FixtureRequest) -> ExecutionEngine:
    return awkward_engine(request.param)


def _answered(engine: ExecutionEngine, parse: str) -> tuple[object, object]:
    result = Asker(engine)(parse)
    return (result.prediction_before, result.prediction)


@pytest.mark.parametrize("values", [MOVED, {"age": "61.5"}, {"smoker": "true"}, {"ismember": "false", "age": "20"}])
def test_values_set_by_mouse_are_the_changes_of_a_question(engine: ExecutionEngine, values: dict[str, str]) -> None:
    case = case_of_row(engine, "105")
    changes = changes_of(case, values, engine.schema)
    result = what_if(engine.subject, case, changes)
    before, after = _answered(engine, asked_parse(case, changes, "predict"))
    if engine.schema.target.is_classification:
        assert (result.before.outcome, result.after.outcome) == (before, after)
    else:
        assert (result.before.value, result.after.value) == pytest.approx((before, after))
    for change, moved in zip(changes, result.moved, strict=True):
        alone = what_if(engine.subject, case, (change,)).after
        assert moved.alone == (alone if len(changes) > 1 else None)


def test_values_that_stay_are_no_changes(engine: ExecutionEngine) -> None:
    case = case_of_row(engine, "105")
    assert changes_of(case, case.values, engine.schema) == ()
    assert what_if(engine.subject, case, ()).moved == ()
    assert asked_words(case, (), "predict", engine.schema) == "What does the model predict for id 105?"


def test_an_answer_about_one_row_opens_with_its_changes_and_asks_the_same_again(asker: Callable[[str], Asker]) -> None:
    ask = asker("binary")
    ask("filter id 105 and change age increase 10 and predict")
    case = case_of_answer(ask.engine, ask.memory)
    assert case is not None
    assert case.name == "id 105"
    changes = changes_of(case, case.values, ask.schema)
    age = int(str(ask.engine.subject.dataset.frame.loc[105, "Age"])) + 10
    assert asked_parse(case, changes, "predict") == f"filter id 105 and change age set {age:g} and predict"
    assert (
        asked_words(case, changes, "predict", ask.schema)
        == f"What would the model predict for id 105 if age were set to {age:g}?"
    )


def test_a_made_up_case_is_opened_too_and_a_group_is_not(asker: Callable[[str], Asker]) -> None:
    ask = asker("binary")
    ask("instance age 45 smoker true and predict")
    case = case_of_answer(ask.engine, ask.memory)
    assert case is not None
    assert case.values["age"] == "45"
    changed = changes_of(case, {**case.values, "age": "60"}, ask.schema)
    assert asked_parse(case, changed, "predict") == "instance age 45 smoker true and change age set 60 and predict"
    ask("filter age greater than 50 and predict")
    assert case_of_answer(ask.engine, ask.memory) is None


def test_what_cannot_be_is_refused_in_words(engine: ExecutionEngine) -> None:
    case = case_of_row(engine, "105")
    numeric = next(feature for feature in engine.schema.features if feature.kind is FeatureKind.NUMERIC)
    with pytest.raises(ExecutionError, match="is a number"):
        changes_of(case, {numeric.token: "many"}, engine.schema)
    with pytest.raises(ExecutionError, match="cannot be 'boat'"):
        changes_of(case, {"loanpurpose": "boat"}, engine.schema)
    with pytest.raises(ExecutionError, match="There is no id 7000"):
        case_of_row(engine, "7000")
    with pytest.raises(ExecutionError, match="2021-02-30"):
        what_if(engine.subject, case, changes_of(case, {"since": "2021-02-30"}, engine.schema))


def test_the_words_are_understood_without_the_parse(tmp_path: Path) -> None:
    session = ChatSession(SubjectCatalogue(Settings(data_dir=tmp_path, dataset="diabetes")))
    engine = session.loaded.engine
    case = case_of_row(engine, "5")
    for values in ({"glucose": "160"}, {"glucose": "160", "bmi": "42.5"}, {"age": "60"}):
        changes = changes_of(case, values, engine.schema)
        understood = session.understand(asked_words(case, changes, "predict", engine.schema))
        assert understood.question is None
        assert str(understood.candidates[0].parse) == f"{asked_parse(case, changes, 'predict')} [e]"
