"""Tables have the shapes and the values of the libraries that people compare them with: DiCE and Fairlearn's `MetricFrame`."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ttm

FEATURES = ["age", "income", "savings"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    draws = np.random.default_rng(0)
    frame = pd.DataFrame({"age": draws.integers(18, 80, 200), "income": draws.normal(3000, 600, 200).round()})
    frame["savings"] = draws.normal(500, 200, 200).round(1)
    frame["sex"] = draws.choice(["f", "m", "x"], 200, p=[0.5, 0.45, 0.05])
    frame["churn"] = ((frame["income"] < 3000) ^ (draws.random(200) < 0.2)).astype(int)
    frame["kind"] = np.where(frame["age"] < 35, "new", np.where(draws.random(200) < 0.5, "plain", "gold"))
    return frame


def fitted(frame: pd.DataFrame, target: str) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    made = RandomForestRegressor if target == "savings" else RandomForestClassifier
    columns = [name for name in FEATURES if name != target]
    return made(10, max_depth=3, random_state=0).fit(frame[columns], frame[target])


def by_group(frame: pd.DataFrame, predicted: Any, target: str, metrics: dict[str, Any]) -> pd.DataFrame:
    """What Fairlearn gives for the groups of the column `sex`."""
    fairlearn = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed")
    named = {name: getattr(fairlearn, one) if isinstance(one, str) else one for name, one in metrics.items()}
    made: pd.DataFrame = fairlearn.MetricFrame(
        metrics=named, y_true=frame[target], y_pred=predicted, sensitive_features=frame["sex"]
    ).by_group
    return made


def test_rates_by_group_are_those_of_fairlearn(frame: pd.DataFrame) -> None:
    from sklearn.metrics import accuracy_score, precision_score, zero_one_loss

    model = fitted(frame, "churn")
    rates = {name: name for name in ("selection_rate", "true_positive_rate", "false_positive_rate")}
    others = {"rows": "count", "error_rate": zero_one_loss, "accuracy": accuracy_score, "precision": precision_score}
    theirs = by_group(frame, model.predict(frame[FEATURES]), "churn", rates | others)
    chat = ttm.talk(lambda rows: model.predict(rows[FEATURES]), frame.drop(columns="kind"), target="churn", parser="linker")
    ours = chat.errors(by="sex").table
    assert ours is not None
    assert ours.index.name == theirs.index.name == "sex"
    pd.testing.assert_frame_equal(
        ours.loc[theirs.index, theirs.columns].astype(float), theirs.astype(float), rtol=1e-12, check_index_type=False
    )
    assert ours["base_rate"].to_dict() == pytest.approx(frame.groupby("sex")["churn"].mean().to_dict())


@pytest.mark.parametrize("target", ["kind", "savings"])
def test_errors_of_three_classes_and_of_a_quantity_are_those_of_fairlearn(target: str, frame: pd.DataFrame) -> None:
    from sklearn.metrics import accuracy_score, mean_absolute_error, zero_one_loss

    model = fitted(frame, target)
    of_classes: dict[str, Any] = {"rows": "count", "error_rate": zero_one_loss, "accuracy": accuracy_score}
    metrics = of_classes if target == "kind" else {"rows": "count", "mean_absolute_error": mean_absolute_error}
    columns = list(model.feature_names_in_)
    theirs = by_group(frame, model.predict(frame[columns]), target, metrics)
    rows = frame[[*columns, "sex", target]]
    ours = ttm.talk(lambda rows: model.predict(rows[columns]), rows, target=target, parser="linker").errors(by="sex").table
    assert ours is not None
    pd.testing.assert_frame_equal(
        ours.loc[theirs.index, theirs.columns].astype(float), theirs.astype(float), rtol=1e-9, check_index_type=False
    )


@pytest.mark.slow
def test_a_counterfactual_has_the_columns_types_and_changes_that_dice_gives_it(
    frame: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    dice_ml = pytest.importorskip("dice_ml", reason="dice_ml is not installed")
    from dice_ml.diverse_counterfactuals import CounterfactualExamples

    rows, model = frame[[*FEATURES, "churn"]], fitted(frame, "churn")
    row = int(np.flatnonzero(model.predict(rows[FEATURES]) == 1)[0])
    ours = ttm.talk(model, rows, target="churn", parser="linker").counterfactuals(row, count=3).table
    assert ours is not None
    assert len(ours)
    data = dice_ml.Data(dataframe=rows, continuous_features=FEATURES, outcome_name="churn")
    wrapped = dice_ml.Model(model=model, backend="sklearn")
    made = dice_ml.Dice(data, wrapped, method="random").generate_counterfactuals(
        rows[FEATURES].iloc[[row]], total_CFs=2, random_seed=0, posthoc_sparsity_algorithm="binary"
    )
    theirs = made.cf_examples_list[0]
    alike = ours[theirs.final_cfs_df.columns]
    assert list(ours.columns[: len(alike.columns)]) == [*FEATURES, "churn"]
    assert alike.dtypes.to_dict() == theirs.final_cfs_df.dtypes.to_dict()
    assert ours.filter(like="p(").to_numpy() == pytest.approx(wrapped.get_output(alike[FEATURES]))
    assert set(alike["churn"]) == set(theirs.final_cfs_df["churn"]) == {0}
    capsys.readouterr()
    shown = CounterfactualExamples(data, alike, theirs.test_instance_df, alike, desired_class=0)
    shown.visualize_as_list(display_sparse_df=True, show_only_changes=True)
    marked = [line for line in capsys.readouterr().out.splitlines() if "'-'" in line]
    assert len(marked) == len(ours)
    for line, changed in zip(marked, ours["changed"], strict=True):
        kept = [value == "-" for value in map(str.strip, line.strip("[]").replace("'", "").split(","))][: len(FEATURES)]
        assert [name for name, same in zip(FEATURES, kept, strict=True) if not same] == changed.split(", ")
