"""What must hold for an explanation whatever the method: checked with plain pandas and plain calls of the model."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttm.explain.counterfactuals.results import LASTING
from ttm.tabular.data.schema import FeatureKind, Schema

from .conftest import Demo
from .generate import SEED
from .oracle import Conversation, predicted
from .world import World

CLOSE = 1e-6
Answer = dict[str, Any]


def _one(demo: Demo, *texts: str) -> Answer:
    [answer] = demo.answers(*[f"{text} [e]" for text in texts])
    return answer


def _rows(demo: Demo) -> Iterator[tuple[str, pd.DataFrame]]:
    """Some rows as the parse language names them, and as they are: from the data, changed, and made up."""
    feature = demo.subject.schema.features[1].token
    world = demo.world
    ids = [str(world.frame.index[place]) for place in np.linspace(0, len(world.frame) - 1, 3).astype(int)]
    texts = [f"filter id {id_}" for id_ in ids] + [f"filter id {ids[1]} and change {feature} increase 7"]
    for text in [*texts, f"instance {feature} 12"]:
        [asked], _ = Conversation(world).ask(f"{text} and predict")
        [group] = asked.groups
        yield text, group.table[group.mask]


def _few(demo: Demo) -> tuple[str, pd.DataFrame]:
    """A group as the parse language names it, and its rows: those with the highest values of the first feature."""
    column = demo.world.frame.iloc[:, 0]
    bound = int(column.quantile(0.95))
    return f"filter {demo.subject.schema.features[0].token} greater than {bound}", demo.world.frame[column > bound]


# --- reasons -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", ["features", "lime", "shap", "compare", "paper"])
def test_reasons_weigh_every_feature_of_the_row_as_the_model_sees_it(demo: Demo, method: str) -> None:
    world = demo.world
    for text, row in _rows(demo):
        answer = _one(demo, f"{text} and explain {method}")
        probabilities = world.output(row)
        assert answer["prediction"] == world.classes[predicted(world, probabilities)[0]]
        assert answer["towards"] == world.classes[-1]
        assert answer["output"] == pytest.approx(probabilities[0, -1], abs=CLOSE)
        unknown = set(row.columns[row.iloc[0].isna()])
        assert set(answer["unknown"]) == unknown
        assert answer["chosen"] in answer["candidates"]
        for weighing in answer["candidates"]:
            _check_weights(weighing, world, unknown)
        if method in ("lime", "shap"):
            assert answer["chosen"]["technique"].lower().startswith(method)
        assert (answer["hidden"] is None) == (method == "paper")


@pytest.mark.slow
def test_hiding_what_reasons_name_moves_the_prediction_as_far_as_stated(demo: Demo) -> None:
    """Other training rows than the answer's own are drawn, so that the two agree only as far as a hundred rows can."""
    world, schema, source = demo.world, demo.subject.schema, np.random.default_rng(SEED)
    together = _together(_searched(world), schema)
    for text, row in _rows(demo):
        answer = _one(demo, f"{text} and explain features")
        hidden, order = answer["hidden"], list(answer["chosen"]["weights"])
        moved = _hidden(world, schema, together, row, [order[: hidden["count"]]], 400, source)
        assert hidden["moved"] == pytest.approx(moved.mean(), abs=4 * moved.std() / 10)
        random = [source.permutation(order)[: hidden["count"]].tolist() for _ in range(100)]
        others = _hidden(world, schema, together, row, random, 4, source)
        assert hidden["at_random"] == pytest.approx(others.mean(), abs=4 * others.std() / 30**0.5)  # thirty sets


def _searched(world: World) -> pd.DataFrame:
    """At most 2,000 training rows, evenly spread."""
    places = np.unique(np.linspace(0, len(world.train) - 1, 2_000).round().astype(int))
    return world.train.iloc[places].reset_index(drop=True).astype(float)


def _hidden(
    world: World, schema: Schema, together: dict[str, set[str]], row: pd.DataFrame, named: list[list[str]], draws: int,
    source: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """How far the model moves when columns take values of training rows: of ones near the row where they go together."""
    searched, altered = _searched(world), []
    for names in named:
        likened = [name for name in together if name not in names and together[name] & set(names)]
        drawn = searched.iloc[source.choice(_nearest(searched, row, likened, schema), draws)]
        copies = pd.concat([row] * draws, ignore_index=True).astype(float)
        altered.append(copies.assign(**{name: drawn[name].to_numpy() for name in names}))
    return np.abs(world.output(pd.concat(altered))[:, -1] - world.output(row)[0, -1])


def _together(rows: pd.DataFrame, schema: Schema) -> dict[str, set[str]]:
    """For each column the others that correlate with it by 0.3 or more, values of a category one by one."""
    discrete = {one.name for one in schema.features if one.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN)}
    parts = {name: pd.get_dummies(rows[name], dtype=float) if name in discrete else rows[[name]] for name in rows}
    table = pd.concat(parts, axis=1)
    close = (table.corr().abs() >= 0.3).groupby(level=0).any().T.groupby(level=0).any()
    return {name: {other for other in rows if other != name and close.loc[name, other]} for name in rows}


def _nearest(rows: pd.DataFrame, row: pd.DataFrame, likened: list[str], schema: Schema) -> np.ndarray:
    """The eighth of the rows, at most 60, that are nearest in what stays; all of them where nothing that stays tells."""
    if not likened:
        return np.arange(len(rows))
    apart = pd.Series(0.0, index=rows.index)
    for feature in schema.features:
        if feature.name in likened:
            own, value = rows[feature.name].astype(float), float(row[feature.name].iloc[0])
            same = feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN)
            far = 4.0 * (own != value) if same else ((own - value) / own.std(ddof=0)) ** 2
            apart += far.fillna(0)  # what is unknown is neither near nor far
    return apart.nsmallest(min(max(len(rows) // 8, 5), 60)).index.to_numpy()


def _check_weights(weighing: Answer, world: World, unknown: set[str]) -> None:
    weights = weighing["weights"]
    assert set(weights) == set(world.frame.columns)
    assert all(weights[name] == 0 for name in unknown)
    assert all(abs(one) >= abs(other) for one, other in pairwise(weights.values()))
    assert weighing["fidelity"] >= 0


@pytest.mark.slow
def test_shap_weights_add_up_to_the_probability(demo: Demo) -> None:
    for text, row in _rows(demo):
        chosen = _one(demo, f"{text} and explain shap")["chosen"]
        total = chosen["base"] + sum(chosen["weights"].values())
        assert total == pytest.approx(demo.world.output(row)[0, -1], abs=1e-4)


def test_what_reasons_point_to_moves_the_prediction(demo: Demo) -> None:
    """Setting the feature with the largest weight to other values moves the model, in most rows more than the smallest."""
    world, stronger = demo.world, []
    for text, row in _rows(demo):
        weights = _one(demo, f"{text} and explain features")["chosen"]["weights"]
        first, last = next(iter(weights)), [name for name in weights if row[name].notna().all()][-1]
        moved = [_movement(world, row, name) for name in (first, last)]
        stronger.append(moved[0] >= moved[1])
    assert sum(stronger) >= len(stronger) - 1


def _movement(world: World, row: pd.DataFrame, name: str) -> float:
    values = world.train[name].dropna().sample(50, random_state=0)
    rows = pd.concat([row] * len(values)).assign(**{name: values.to_numpy()})
    return float(np.abs(world.output(rows)[:, -1] - world.output(row)[0, -1]).mean())


# --- importance and interactions -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["important all", "important topk 3", "important bottomk 2", "important {}"])
def test_importance_ranks_every_feature_between_one_and_their_number(demo: Demo, operation: str) -> None:
    world, feature = demo.world, demo.subject.schema.features[2]
    count = world.frame.shape[1]
    for text in (f"labelfilter 1 and {_few(demo)[0]}", "filter id 7"):
        answer = _one(demo, f"{text} and {operation.format(feature.token)}")
        found = answer["features"]
        assert [one["rank"] for one in found] == list(range(1, count + 1))
        assert {one["feature"] for one in found} == set(world.frame.columns)
        assert all(1 <= one["mean_rank"] <= count and one["low"] <= one["mean_rank"] <= one["high"] for one in found)
        assert sum(one["mean_rank"] for one in found) == pytest.approx(count * (count + 1) / 2)
        assert all(abs(one["mean_weight"]) <= one["mean_absolute"] + 1e-12 for one in found)
        assert 1 <= answer["explained"] <= answer["group"]["rows"]
        assert (answer["technique"], answer["explained"]) == ("SHAP", answer["group"]["rows"])
        sizes = [one["mean_absolute"] for one in found]
        assert sizes == sorted(sizes, reverse=True)
        assert all(one["absolute_low"] <= one["mean_absolute"] <= one["absolute_high"] for one in found)
        asked = {"important topk 3": 3, "important bottomk 2": 2}.get(operation)
        assert (answer["count"], answer["least"]) == (asked, "bottomk" in operation)


def test_an_interaction_surface_is_the_mean_prediction_and_its_strength_follows_from_it(demo: Demo) -> None:
    world, (group, rows) = demo.world, _few(demo)
    first, second = (feature.token for feature in demo.subject.schema.features[1:3])
    for text in ("interact", f"interact {first} {second}"):
        answer = _one(demo, f"{group} and {text}")
        strengths = [pair["strength"] for pair in answer["pairs"]]
        assert strengths == sorted(strengths, reverse=True)
        assert strengths[-1] >= 0
        assert len({frozenset((pair["first"], pair["second"])) for pair in answer["pairs"]}) == len(strengths)
        assert answer["used"] == len(rows), "choose a group that is taken whole"
        surface, strongest = answer["surface"], answer["pairs"][0]
        outputs = np.array([[world.output(rows.assign(**{surface["first"]: one, surface["second"]: other}))[:, -1].mean()
                             for other in surface["second_values"]] for one in surface["first_values"]])  # fmt: skip
        assert np.allclose(surface["outputs"], outputs, atol=CLOSE)
        assert strongest["h"] == pytest.approx(_friedman(outputs), abs=1e-4)
        assert strongest["strength"] == pytest.approx(_greenwell(world, surface, outputs), abs=CLOSE)


def _friedman(outputs: np.ndarray) -> float:
    """Friedman's H: what the two single effects leave of the joint one, as the root of a share."""
    joint = outputs - outputs.mean()
    single = joint.mean(axis=0, keepdims=True) + joint.mean(axis=1, keepdims=True)
    return float(np.sqrt(((joint - single) ** 2).sum() / (joint**2).sum()))


def _greenwell(world: World, surface: Answer, outputs: np.ndarray) -> float:
    """How much the spread of one effect varies over the values of the other, both ways: Greenwell et al., section 4."""
    by_second = [_spread(world, surface["first"], column) for column in outputs.T]
    by_first = [_spread(world, surface["second"], row) for row in outputs]
    return float((np.std(by_second, ddof=1) + np.std(by_first, ddof=1)) / 2)


def _spread(world: World, name: str, effect: np.ndarray) -> float:
    return float(np.ptp(effect) / 4) if world.kinds[name] == "yes/no" else float(np.std(effect, ddof=1))


# --- counterfactuals -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_counterfactuals_flip_the_model_within_what_may_change(demo: Demo, number: int) -> None:
    """Each kind of row meets each operation, and both the model's threshold and another one."""
    operation = ("explain cfe", "explain cfe 2", "explain cfe class 0", "explain cfe 1 class 1")[number]
    world = demo.world
    for place, (text, row) in enumerate(_rows(demo)):
        threshold = (None, 0.3)[(place + number) % 2]
        before = int(predicted(world, world.output(row), threshold)[0])
        answer = _one(demo, f"{text} and {f'threshold {threshold} and ' if threshold else ''}{operation}")
        wanted = int(operation[-1]) if "class" in operation else 1 - before
        assert answer["prediction"] == world.classes[before]
        assert answer["already"] == (wanted == before)
        assert answer["found"] or answer["reason"] or answer["already"]
        assert answer["found"] == sorted(answer["found"], key=_steady_then_cheap)
        for found in answer["found"]:
            _check_counterfactual(found, row, world, wanted, threshold)


def _steady_then_cheap(found: Answer) -> tuple[float, float]:
    """Of those that last, the cheapest first; where none does, the steadiest first, to a tenth."""
    return (-1.0 if found["holds"] >= LASTING else -round(found["holds"], 1), found["cost"])


def _check_counterfactual(found: Answer, row: pd.DataFrame, world: World, wanted: int, threshold: float | None) -> None:
    """The model is asked once more; what is said to be different is different, and nothing else is."""
    altered = pd.DataFrame([found["values"]])[world.frame.columns].astype(float)
    probabilities = world.output(altered)
    assert predicted(world, probabilities, threshold)[0] == wanted
    assert np.allclose(probabilities[0], found["outputs"], atol=CLOSE)
    assert _held(altered, world, wanted, threshold) == pytest.approx(found["holds"], abs=0.2)
    before, after = row.iloc[0].astype(float), altered.iloc[0]
    different = {name for name in world.frame.columns if not _same(before[name], after[name])}
    assert different == {change["feature"] for change in found["changes"]}
    assert different
    assert not different & world.immutable
    for change in found["changes"]:
        name = change["feature"]
        assert _same(before[name], change["before"])
        assert after[name] == change["after"]
        if world.kinds[name] == "yes/no":
            assert after[name] in (0, 1)
        low, high = world.described[name].get("range", (-np.inf, np.inf))
        assert low <= after[name] <= high
        direction = world.described[name].get("direction", "any")
        assert direction == "any" or (after[name] > before[name]) == (direction == "increase")


def _held(row: pd.DataFrame, world: World, wanted: int, threshold: float | None) -> float:
    """The share of copies with noise of 0.05 standard deviations on each measure that the model predicts as wanted."""
    source, rows = np.random.default_rng(SEED), pd.concat([row] * 300, ignore_index=True)
    for name in (name for name in rows if world.kinds[name] == "number"):
        rows[name] += 0.05 * world.train[name].std(ddof=0) * source.normal(size=len(rows))
    return float((predicted(world, world.output(rows), threshold) == wanted).mean())


def _same(one: Any, other: Any) -> bool:
    return bool(pd.isna(one) and pd.isna(other)) or one == other


@pytest.mark.slow
def test_where_no_counterfactual_is_found_there_is_none(compas: Demo) -> None:
    """Two columns of this demo may change, so all their values can be tried."""
    world = compas.world
    free = [name for name in world.frame.columns if name not in world.immutable]
    assert len(free) == 2
    grids, without = [_grid(world, name) for name in free], 0
    for id_ in world.frame.index[::600]:
        row = world.frame.loc[[id_]]
        answer = _one(compas, f"filter id {id_} and threshold 0.2 and explain cfe 1")
        tried = pd.DataFrame(product(*grids), columns=free)
        rows = pd.concat([row] * len(tried), ignore_index=True).assign(**{name: tried[name] for name in free})
        flipped = predicted(world, world.output(rows), 0.2) != predicted(world, world.output(row), 0.2)[0]
        assert bool(answer["found"]) == flipped.any(), id_
        without += not answer["found"]
    assert without


def _grid(world: World, name: str) -> np.ndarray:
    """All values within the stated range, as finely as the column is shown."""
    low, high = world.described[name]["range"]
    step = 10.0 ** -world.described[name].get("precision", 0)
    return np.round(np.arange(low, high + step / 2, step), 6)


@pytest.mark.slow
def test_flips_of_a_group_count_its_rows(demo: Demo) -> None:
    world, (group, rows) = demo.world, _few(demo)
    answer = _one(demo, f"{group} and explain cfe")
    now = predicted(world, world.output(rows))
    for part in answer["parts"]:
        flips = part["flips"]
        alike = int((now == world.classes.index(part["prediction"])).sum()) if part["prediction"] else len(rows)
        assert flips["total"] == alike
        assert 0 <= flips["flipped"] <= flips["rows"] <= flips["total"]
        assert not set(flips["features"]) & world.immutable
        assert all(alone <= count <= flips["flipped"] for alone, count in zip(flips["alone"], flips["counts"], strict=True))
    assert sum(part["flips"]["total"] for part in answer["parts"]) == len(rows)


# --- typical mistakes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", ["", "labelfilter 1", "predictionfilter 0", "threshold 0.3", "change {} increase 5"])
def test_rules_for_mistakes_count_the_rows_that_they_describe(demo: Demo, run: str) -> None:
    world = demo.world
    text = run.format(demo.subject.schema.features[1].token)
    [asked], _ = Conversation(world).ask(f"{text} and mistake typical" if run else "mistake typical")
    [group] = asked.groups
    rows = group.table[group.mask]
    wrong = predicted(world, world.output(rows), asked.threshold) != world.truth[group.mask]
    answer = _one(demo, f"{text} and mistake typical" if run else "mistake typical")
    assert (answer["rows"], answer["errors"]) == (len(rows), int(wrong.sum()))
    assert answer["rules"] or answer["reason"]
    for rule in answer["rules"]:
        chosen = np.logical_and.reduce([_satisfies(rows, criterion) for criterion in rule["criteria"]])
        assert (rule["rows"], rule["errors"]) == (int(chosen.sum()), int(wrong[chosen].sum()))
        assert rule["here"] == pytest.approx(wrong[chosen].mean())
        assert rule["low"] <= rule["error"] <= rule["high"]
        assert rule["error"] > rule["elsewhere"]
    errors = [rule["error"] for rule in answer["rules"]]
    assert errors == sorted(errors, reverse=True)
    _check_tree(answer["branches"], rows, wrong)


def _check_tree(branches: list[Answer], rows: pd.DataFrame, wrong: np.ndarray) -> None:
    masks: list[np.ndarray] = []
    for branch in branches:
        mask = np.ones(len(rows), bool)
        if branch["parent"] is not None:
            mask = masks[branch["parent"]] & _satisfies(rows, branch["criterion"])
        masks.append(mask)
        assert branch["rows"] == mask.sum()
        assert branch["error"] == pytest.approx(wrong[mask].mean())


def _satisfies(rows: pd.DataFrame, criterion: Answer) -> np.ndarray:
    column = rows[criterion["feature"]]
    if criterion["value"] is not None:
        holds = (column == criterion["value"]) != criterion["negated"]
    else:
        holds = pd.Series(True, index=column.index)
        holds &= column > criterion["low"] if criterion["low"] is not None else True
        holds &= column <= criterion["high"] if criterion["high"] is not None else True
    return holds.where(column.notna(), criterion["or_unknown"]).to_numpy(dtype=bool)


@pytest.mark.slow
def test_explanations_are_the_same_whatever_was_asked_before(diabetes: Demo) -> None:
    """One data set is enough: what an explainer remembers of earlier questions does not depend on what the columns mean."""
    text = "filter id 11 and explain features and explain cfe 2 [e]"
    again, before = diabetes.fresh().answers(f"{_few(diabetes)[0]} and important all [e]", text), diabetes.answers(text)
    for answer in (*again, *before):
        answer.pop("rows_evaluated", None)  # what it cost depends on what was known already
    assert again == before
