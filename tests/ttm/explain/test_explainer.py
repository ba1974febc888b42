"""The same explanation every time, whatever was asked before; groups as the sum of their rows; nothing mixed up."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.storage.cache import Cache
from tests.ttm.explain.conftest import mixed
from ttm.explain.explainer import Explainer
from ttm.explain.known_explanations import KnownExplanations
from ttm.explain.scoring import Scorer
from ttm.explain.selection.fidelity import SelectionSettings
from ttm.language.parse import Method
from ttm.tabular.subject import Subject, load_subject

Make = Callable[[Any], Subject]
QUICK = SelectionSettings(samples=1_000, neighbours=5)


def explainer(subject: Subject, **settings: Any) -> Explainer:
    return Explainer(subject, settings=QUICK, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["ill", "stage", "cost"])
def test_explanations_do_not_depend_on_what_was_asked_before(mixed_subject: Make, target: str) -> None:
    subject = mixed_subject(target)
    frame = subject.dataset.frame.iloc[:8]
    forwards, backwards, together = explainer(subject), explainer(subject), explainer(subject)
    first = [forwards.explain(frame.iloc[[place]]) for place in range(8)]
    last = [backwards.explain(frame.iloc[[place]]) for place in reversed(range(8))][::-1]
    together.importance(frame)
    group = [together.explain(frame.iloc[[place]]) for place in range(8)]
    for one, other, third in zip(first, last, group, strict=True):
        assert one.chosen.technique == other.chosen.technique == third.chosen.technique
        assert np.array_equal(one.weights, other.weights)
        assert one.weights == pytest.approx(third.weights, abs=1e-12)
        assert one.chosen.stability == other.chosen.stability


@pytest.mark.slow
@pytest.mark.parametrize("target", ["ill", "stage", "cost"])
def test_the_chosen_one_is_never_less_faithful_than_the_median(mixed_subject: Make, target: str) -> None:
    subject = mixed_subject(target)
    explain = explainer(subject)
    for place in range(15):
        found = explain.explain(subject.dataset.frame.iloc[[place]], Method.PAPER)
        worth = [candidate.fidelity for candidate in found.candidates]
        assert found.chosen.fidelity >= np.median(worth)
        assert found.chosen.fidelity > max(worth) - QUICK.delta
        assert found.reason in ("fidelity", "stability")
        assert found.chosen.stability is not None


def test_weights_point_to_the_class_that_is_named(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    row = subject.dataset.frame.iloc[[2]]
    explain = explainer(subject)
    positive, negative = explain.explain(row, Method.SHAP), explain.explain(row, Method.SHAP, class_number=0)
    assert positive.class_number == 1
    assert positive.weights == pytest.approx(-negative.weights, abs=1e-6)
    assert positive.score == pytest.approx(subject.probabilities[2, 1])
    several = mixed_subject("stage")
    found = explainer(several).explain(several.dataset.frame.iloc[[2]])
    assert found.class_number == several.predictions[2]
    assert found.score == pytest.approx(several.probabilities[2].max())


def test_a_method_can_be_asked_for(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    row = subject.dataset.frame.iloc[[2]]
    explain = explainer(subject)
    assert explain.explain(row, Method.LIME).chosen.technique == "lime-0.75"
    assert explain.explain(row, Method.SHAP).chosen.technique == "shap"
    compared = explain.explain(row, Method.COMPARE)
    assert len(compared.candidates) == 5
    assert all(candidate.stability is not None for candidate in compared.candidates)


def test_what_is_unknown_is_named_and_weighs_nothing(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    frame = subject.dataset.frame
    row = frame[frame["weight"].isna()].iloc[[0]]
    found = explainer(subject).explain(row)
    assert "weight" in found.unknown
    for candidate in found.candidates:
        assert candidate.weights[list(frame.columns).index("weight")] == 0


@pytest.mark.parametrize("method", [Method.FEATURES, Method.LIME])
def test_importance_is_the_mean_over_the_rows_by_one_method(logistic_subject: Make, method: Method) -> None:
    """For a model without trees: by SHAP unless LIME is asked for, never both mixed."""
    subject = logistic_subject(4)
    explain, frame = explainer(subject), subject.dataset.frame.iloc[:12]
    found = explain.importance(frame, method)
    asked = Method.LIME if method is Method.LIME else Method.SHAP
    weights = np.abs([explain.explain(frame.iloc[[place]], asked).weights for place in range(12)])
    assert (found.rows, found.total) == (12, 12)
    assert found.mean_absolute == pytest.approx(weights.mean(axis=0), abs=1e-9)
    assert found.order.tolist() == np.argsort(-weights.mean(axis=0)).tolist()
    assert found.mean_rank.sum() == pytest.approx(sum(range(1, 5)))
    assert (found.absolute_low <= found.mean_absolute).all()
    assert (found.mean_absolute <= found.absolute_high).all()


@pytest.mark.parametrize("target", ["ill", "cost"])
def test_the_importance_for_trees_is_the_librarys_mean_over_all_rows(mixed_subject: Make, target: str) -> None:
    """The `shap` library itself, on the matrix that the trees read, with the same background."""
    import shap

    subject = mixed_subject(target)
    explain, frame = explainer(subject), subject.dataset.frame
    found = explain.importance(frame)
    assert (found.rows, found.total) == (len(frame), len(frame))
    encoder, trees = (step for _, step in subject.model.estimator.steps)
    read = [encoder.transform(rows) for rows in (frame, explain.coding.decode(explain.techniques.shapley.background))]
    library = shap.TreeExplainer(trees, read[1], model_output="raw" if target == "cost" else "probability")
    values = np.asarray(library.shap_values(read[0], check_additivity=False))
    assert found.mean_absolute == pytest.approx(np.abs(values).mean(axis=0), abs=1e-6)
    assert found.is_scaled == (target != "cost")


def test_few_rows_of_trees_have_exact_values(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    explain, frame = explainer(subject), subject.dataset.frame.iloc[:7]
    found = explain.importance(frame)
    weights = np.abs([explain.explain(frame.iloc[[place]], Method.SHAP).weights for place in range(7)])
    assert found.mean_absolute == pytest.approx(weights.mean(axis=0), abs=1e-9)
    assert not found.is_scaled
    assert found.mean_rank.sum() == pytest.approx(sum(range(1, 7)))
    assert (found.low <= found.mean_rank).all()
    assert (found.mean_rank <= found.high).all()
    assert found.features[int(found.order[0])] in ("weight", "smoker", "tests")


@pytest.mark.slow
def test_a_sample_says_so_until_all_rows_are_known(logistic_subject: Make) -> None:
    subject = logistic_subject(3)
    explain, frame = explainer(subject), subject.dataset.frame.iloc[:60]
    some = explain.importance(frame, limit=10)
    assert (some.rows, some.total) == (10, len(frame))
    told: list[float] = []
    explain.explain_all(frame, progress=lambda share, words: told.append(share))
    assert told == sorted(told)
    assert told[0] == 0
    assert explain.importance(frame).rows == len(frame)


@pytest.mark.slow
def test_work_that_is_stopped_is_not_lost(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    explain, frame = explainer(subject), subject.dataset.frame.iloc[:60]

    def stop(share: float, words: str) -> None:
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explain.explain_all(frame, progress=stop)
    told: list[str] = []
    explain.explain_all(frame, progress=lambda share, words: told.append(words))
    assert told[0].startswith("0 of 36 ")  # of 60, three batches of 8 were done


def test_changed_rows_never_get_the_answers_of_unchanged_ones(mixed_subject: Make) -> None:
    subject = mixed_subject("cost")
    explain, frame = explainer(subject), subject.dataset.frame.iloc[:12]
    before = explain.importance(frame)
    changed = frame.assign(weight=frame["weight"] + 20)
    assert not np.array_equal(explain.importance(changed).mean_absolute, before.mean_absolute)
    assert np.array_equal(explain.importance(frame).mean_absolute, before.mean_absolute)
    assert np.array_equal(explainer(subject).importance(changed).mean_rank, explain.importance(changed).mean_rank)


@pytest.mark.slow
def test_answers_are_kept_on_disk(mixed_subject: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = mixed_subject("ill")
    frame = subject.dataset.frame.iloc[:30]
    before = explainer(subject, cache=Cache(tmp_path)).importance(frame, Method.LIME)
    again = explainer(subject, cache=Cache(tmp_path))
    monkeypatch.setattr(KnownExplanations, "_computed", lambda *_: pytest.fail("this was known"))
    found = again.importance(frame, Method.LIME)
    assert np.array_equal(found.mean_rank, before.mean_rank)
    assert found.fidelity == before.fidelity
    other = explainer(subject, cache=Cache(tmp_path), seed=1)
    with pytest.raises(pytest.fail.Exception, match="known"):
        other.importance(frame, Method.LIME)


@pytest.mark.slow
def test_wide_data_are_explained_with_fewer_samples(linear_subject: Make) -> None:
    subject = linear_subject(120)
    found = Explainer(subject).explain(subject.dataset.frame.iloc[[0]])
    assert found.samples < 10_000
    assert np.isfinite(found.weights).all()
    assert found.rows_evaluated < 1_500_000


@pytest.mark.slow
def test_a_thorough_explainer_takes_all_rows_and_shares_what_is_known(logistic_subject: Make) -> None:
    subject = logistic_subject(3)
    explain, frame = explainer(subject), subject.dataset.frame.iloc[:40]
    sample = explain.importance(frame)
    assert sample.rows < sample.total
    told: list[str] = []
    found = explain.thorough(lambda share, words: told.append(words)).importance(frame)
    assert (found.rows, found.total) == (40, 40)
    assert told[0] == f"0 of {40 - sample.rows} rows explained"
    again = explain.importance(frame)
    assert again.rows == again.total
    assert np.array_equal(again.mean_rank, found.mean_rank)
    changed = explain.importance(frame.assign(x0=frame["x0"] + 1))
    assert changed.rows < changed.total


def test_a_row_around_which_the_model_is_flat_says_so(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    frame = subject.dataset.frame
    explain = Explainer(subject, settings=SelectionSettings(samples=500, sigma=1e-9, resample=1e-9, neighbours=2))
    assert explain.explain(frame.iloc[[0]], Method.PAPER).moving == ()
    explain = Explainer(subject, settings=SelectionSettings(samples=500, sigma=1, neighbours=2))
    assert explain.explain(frame.iloc[[0]], Method.PAPER).moving is None


def test_what_would_move_a_flat_prediction_is_named(mixed_subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = mixed_subject("ill")
    explain = explainer(subject)
    fidelity = explain.techniques.fidelity
    monkeypatch.setattr(fidelity, "measure", lambda row, score, column, orders, scorer: [0.0] * len(orders))
    row = subject.dataset.frame.iloc[[0]]
    moving = explain.explain(row, Method.PAPER).moving
    scorer = Scorer(subject.model, explain.coding)
    encoded = explain.coding.encode(row)[0]
    score = float(scorer.scores(encoded[None, :], 1)[0])
    for place, name in enumerate(explain.coding.names):
        rows = np.tile(encoded, (fidelity.perturbation.samples, 1))
        rows[:, place] = fidelity.perturbation.column(encoded, place)
        assert (name in moving) == bool((scorer.scores(rows, 1) != score).any())


def test_importance_by_shap_asks_no_other_technique(logistic_subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = logistic_subject(3)
    explain, frame = explainer(subject), subject.dataset.frame.iloc[:6]
    known = np.array([explainer(subject).explain(frame.iloc[[index]], Method.SHAP).weights for index in range(6)])
    monkeypatch.setattr(KnownExplanations, "_computed", lambda *_: pytest.fail("all techniques were asked"))
    result = explain.importance(frame)
    assert result.mean_weight == pytest.approx(known.mean(axis=0), abs=1e-9)
    assert result.fidelity is None


def test_of_hundreds_of_deep_trees_a_sample_is_taken_while_a_person_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = mixed("ill")
    frame = subject.dataset.frame
    whole = Explainer(subject).importance(frame)
    monkeypatch.setattr("ttm.explain.techniques.shapley.GROUP_LEAVES", 1)
    explainer = Explainer(subject)
    sample = explainer.importance(frame)
    assert (whole.rows, sample.total) == (len(frame), len(frame))
    assert sample.rows < len(frame)
    in_background = explainer.thorough(lambda fraction, message: None).importance(frame)
    assert in_background.rows == len(frame)
    np.testing.assert_allclose(in_background.mean_absolute, whole.mean_absolute)


def test_a_row_whose_values_are_counted_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing it takes most of the time of a first explanation."""
    monkeypatch.setattr("ttm.explain.techniques.tree_shapley.shap_library", lambda: pytest.fail("it was imported"))
    subject = load_subject("diabetes")
    assert Explainer(subject).explain(subject.dataset.frame.iloc[:1]).hidden is not None
