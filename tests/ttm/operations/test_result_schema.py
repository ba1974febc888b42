"""What a program reads of a result satisfies the schema that is made from its class."""

import json

import jsonschema
import pytest

from backend.errors import ParleyError
from tests.ttm.conftest import awkward_engine
from ttm.language.grammar import grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.registry import RENDERERS
from ttm.operations.result_schema import any_result, one_of_results, result_schema
from ttm.operations.results import Empty, Refused, Versus, as_json
from ttm.operations.scores.run import ClassScores, ValueScores
from ttm.tabular.data.second_table import second_table

pytestmark = pytest.mark.slow

PARSES = (
    "countdata [e]", "gaps",
    "meaning feature", "show [e]", "data", "define age", "label [e]", "filter id 110 and label", "statistic age",
    "statistic loanpurpose", "statistic since", "distribution age", "distribution smoker", "highest 3 age", "self", "function",
    "model",
    "predict [e]", "filter id 110 and predict", "likelihood [e]", "filter id 110 and likelihood",
    "filter id 110 and explain features", "filter id 110 and explain lime", "filter id 110 and explain shap",
    "filter id 110 and explain compare", "filter id 110 and explain paper", "filter id 110 and explain cfe",
    "filter id 110 and mistake sample", "mistake sample [e]", "mistake count", "mistake typical", "important all",
    "important age",
    "score default", "score accuracy", "score all", "threshold 0.3", "threshold", "filter age greater than 85 and explain cfe",
    "filter age greater than 85 and explain compare", "compare age", "fairness smoker",
    "filter smoker true versus filter smoker false and threshold 0.3 0.6",
    "correlate age", "effect age", "similar", "filter id 110 and similar 3", "filter id 110 and crossing age",
    "filter age greater than 60 versus filter age less than 30 and countdata", "interact", "followup",
    "filter age greater than 900 and countdata [e]",
    "statistic age by smoker", "score default by smoker", "countdata by smoker", "threshold cost 5",
    "threshold recall 0.8", "gain 50", "without age",
    "scatter age loanpurpose by error",
    "regress age bodymass", "correlate all", "residuals", "residuals 5", "compare smoker and significant", "ice age",
    "dependence age", "likelihood class 0", "otherwise loanpurpose", "filter id 110 and contrast",
    "models tree", "filter id 110 and models tree", 'filter id 110 and name "this one"',
)  # fmt: skip


@pytest.fixture(scope="module")
def results() -> dict[str, list[tuple[type, dict[str, object]]]]:
    """By data set each result of the parses that its grammar has, with its type."""
    collected = {}
    for kind in ("binary", "several", "regression"):
        engine = awkward_engine(kind)
        read = []
        for text in PARSES:
            try:
                read += engine.execute(grammar_of(engine.schema).read(text)).results
            except ParleyError:
                continue  # not of this kind of data
        second = second_table(engine.subject.dataset.frame, engine.schema, engine.subject.dataset.train_frame)
        beside = ExecutionEngine(engine.subject.with_second(second), engine.explainer)
        read += beside.execute(grammar_of(engine.schema).read("drift and outliers 2")).results
        collected[kind] = [(type(each), as_json(each)) for each in read]
    return collected


@pytest.mark.parametrize("kind", ["binary", "several", "regression"])
@pytest.mark.slow
def test_every_result_satisfies_the_schema_of_its_type(results: dict[str, list], kind: str) -> None:
    for made_of, result in results[kind]:
        jsonschema.validate(result, result_schema(made_of))
        jsonschema.validate(result, any_result())


def test_every_type_of_result_is_among_those(results: dict[str, list]) -> None:
    assert set(RENDERERS) - {made_of for each in results.values() for made_of, _ in each} == set()


@pytest.mark.slow
def test_every_type_of_result_has_a_schema_that_is_one() -> None:
    for kind in (*RENDERERS, Empty, Refused, Versus):
        schema = result_schema(kind)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]["type"] == {"const": kind.__name__}
        json.dumps(schema)


@pytest.mark.slow
def test_a_schema_refuses_what_is_not_of_its_type(results: dict[str, list]) -> None:
    scores = next(result for made_of, result in results["binary"] if made_of is ClassScores)
    jsonschema.validate(scores, one_of_results(ValueScores, ClassScores))
    for wrong in (scores | {"group": None}, scores | {"more": 1}, {name: scores[name] for name in list(scores)[:-1]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, result_schema(ClassScores))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(scores, one_of_results(ValueScores))
