"""Rows survive being turned into numbers and back."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from ttm.explain.coding import Coding
from ttm.tabular.subject import Subject

Make = Callable[[str], Subject]


@pytest.mark.parametrize("target", ["ill", "stage", "cost"])
def test_decoded_rows_are_predicted_as_the_rows_themselves(mixed_subject: Make, target: str) -> None:
    subject = mixed_subject(target)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    frame = subject.dataset.frame
    back = coding.decode(coding.encode(frame))
    assert list(back.columns) == list(frame.columns)
    assert np.array_equal(back.isna().to_numpy(), frame.isna().to_numpy())
    assert (back["region"].dropna() == frame["region"].dropna()).all()
    assert (pd.to_datetime(back["since"]).dropna() == frame["since"].dropna()).all()
    assert np.allclose(subject.model.predict(back), subject.model.predict(frame))


def test_scale_is_the_deviation_of_known_values(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    frame = subject.dataset.train_frame
    coding = Coding(subject.schema, frame)
    assert coding.scale[coding.names.index("weight")] == pytest.approx(frame["weight"].std(ddof=0))
    assert coding.scale[coding.names.index("since")] == pytest.approx(
        frame["since"].std(ddof=0) / pd.Timedelta(days=1), rel=1e-6
    )


def test_gaps_are_filled_with_values_of_the_same_feature(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    assert not np.isnan(coding.complete).any()
    for place in range(coding.width):
        known = coding.train[~np.isnan(coding.train[:, place]), place]
        assert set(coding.complete[:, place]) <= set(known)


def test_a_feature_that_never_varies_has_a_scale(linear_subject: Callable[[int], Subject]) -> None:
    subject = linear_subject(3)
    frame = subject.dataset.train_frame.assign(x1=4.0, x2=np.nan)
    assert Coding(subject.schema, frame).scale[1:].tolist() == [1.0, 1.0]
