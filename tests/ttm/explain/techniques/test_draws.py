"""Even draws are uniform, random for each seed, and keep means steadier than independent ones."""

import numpy as np
import pytest

from ttm.explain.techniques.draws import EvenRandomState, even_uniforms


@pytest.mark.parametrize("dimensions", [1, 3, 40, 30_000])
def test_each_column_covers_the_interval_evenly(dimensions: int) -> None:
    points = even_uniforms(0, 64, dimensions)
    assert points.shape == (64, dimensions)
    assert (np.sort(np.floor(points * 64).astype(int), axis=0) == np.arange(64)[:, None]).all()


def test_the_seed_decides_and_nothing_else() -> None:
    assert np.array_equal(even_uniforms(1, 100, 3), even_uniforms(1, 100, 3))
    assert not np.isclose(even_uniforms(1, 100, 3), even_uniforms(2, 100, 3)).any()


def test_means_vary_far_less_than_those_of_independent_points() -> None:
    def mean(points: np.ndarray) -> float:
        return float((points[:, 0] * points[:, 1] + (points[:, 2] > 0.3) * points[:, 0]).mean())

    even = np.std([mean(even_uniforms(seed, 1024, 3)) for seed in range(20)])
    independent = np.std([mean(np.random.default_rng(seed).random((1024, 3))) for seed in range(20)])
    assert 0 < even < independent / 5


def test_a_library_gets_values_with_their_probabilities() -> None:
    source = EvenRandomState(3, 2**12, 2)
    drawn = source.choice(np.array([4.0, 5.0, 9.0]), size=2**12, p=[0.2, 0.5, 0.3])
    assert [float((drawn == value).mean()) for value in (4, 5, 9)] == pytest.approx([0.2, 0.5, 0.3], abs=1e-3)
    placed = source.uniform(size=2**12 - 1)
    assert placed.mean() == pytest.approx(0.5, abs=1e-3)
    assert np.corrcoef(drawn[1:], placed)[0, 1] == pytest.approx(0, abs=1e-2)


def test_a_shorter_run_draws_the_first_points_of_a_longer_one() -> None:
    short, long = EvenRandomState(3, 2**8, 2), EvenRandomState(3, 2**10, 2)
    assert np.array_equal(short.uniform(size=2**8), long.uniform(size=2**10)[: 2**8])
