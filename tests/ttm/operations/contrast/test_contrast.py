"""One row beside others: every number by its definition on the table itself."""

import numpy as np
import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.explainer import Explainer
from ttm.operations.contrast.run import Contrasted
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.tabular.subject import load_subject


def test_a_number_is_beside_the_median_of_all_others() -> None:
    subject = load_subject("diabetes")
    id = subject.dataset.frame.index[5]
    result = Asker(ExecutionEngine(subject, Explainer(subject)))(f"filter id {id} and contrast")
    assert isinstance(result, Contrasted)
    assert result.rows == len(subject.dataset.frame) - 1
    for one in result.features:
        others = subject.dataset.frame[one.column].drop(index=id).dropna().to_numpy()
        middle = np.median(others)
        assert one.typical == middle
        assert one.as_far == pytest.approx((abs(others - middle) >= abs(one.value - middle)).mean())
        assert one.below == pytest.approx((others < one.value).mean())
    shares = [one.as_far for one in result.features]
    assert shares == sorted(shares)
    assert result.mean_output == pytest.approx(np.delete(subject.probabilities[:, 1], 5).mean())


def test_the_group_is_that_of_the_rows_own_value_or_of_a_class() -> None:
    subject = load_subject("compas")
    frame, asker = subject.dataset.frame, Asker(ExecutionEngine(subject, Explainer(subject)))
    women = frame[subject.schema.by_token["woman"].name] == 1
    id = frame.index[women][0]
    assert asker(f"filter id {id} and contrast woman").rows == women.sum() - 1
    own = int(subject.predictions[frame.index.get_loc(id)] == 1)
    assert asker(f"filter id {id} and contrast class 1").rows == (subject.predictions == 1).sum() - own


def test_what_is_unusual_stands_in_the_text() -> None:
    asker = Asker(awkward_engine("binary"))
    result = asker("instance age 45 bodymass 400 and contrast")
    assert result.features[0].column == "body_mass"
    assert result.features[0].as_far == 0
    assert "400" in render(result, asker.schema).text


def test_the_least_usual_stands_there_where_nothing_is_unusual() -> None:
    asker = Asker(awkward_engine("binary"))
    for age in range(20, 80):
        result = asker(f"instance age {age} and contrast")
        text = render(result, asker.schema).text
        shares = [one.as_far for one in result.features]
        if shares[0] > 0.1:
            assert ("nothing about it is unusual; least usual is " in text) == (shares[0] <= 0.4)
            assert ("nothing about it is unusual." in text) == (shares[0] > 0.4)
            return
    raise AssertionError("no age is usual enough")


def test_several_rows_are_refused_in_words() -> None:
    result = Asker(awkward_engine("binary"))("contrast")
    assert isinstance(result, Refused)
    assert "name its id" in result.reason
