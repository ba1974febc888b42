"""What an encoder makes of rows without a frame is to the last bit what it makes of the frame."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ttm.explain.coded_inputs import coded_inputs
from ttm.explain.coding import Coding
from ttm.explain.scoring import Scorer
from ttm.tabular.data.encoding import FrameEncoder
from ttm.tabular.model.model import Model
from ttm.tabular.subject import Subject

Make = Callable[[str], Subject]


def rows_of(coding: Coding) -> np.ndarray:
    """Rows as they are perturbed: values of others, measures moved, gaps in every feature."""
    source = np.random.default_rng(3)
    rows = source.permuted(np.tile(coding.train, (3, 1)), axis=0)
    moved = source.normal(size=rows.shape) * coding.scale
    rows[:, ~coding.discrete] += moved[:, ~coding.discrete]
    rows[source.random(rows.shape) < 0.1] = np.nan
    return rows


@pytest.mark.parametrize("impute", [True, False])
def test_it_is_what_the_frame_gives(mixed_subject: Make, impute: bool) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    known = subject.dataset.train_frame[subject.dataset.train_frame["region"] != "north"]  # a category that it never saw
    encoder = FrameEncoder(impute=impute).fit(known[known.columns[::-1]])
    coded = coded_inputs(make_pipeline(encoder, "passthrough"), coding)
    assert coded is not None
    rows = rows_of(coding)
    assert np.array_equal(coded.of(rows), encoder.transform(coding.decode(rows)), equal_nan=True)


def test_rows_whose_codes_are_their_values(linear_subject: Callable[[int], Subject]) -> None:
    subject = linear_subject(3)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    encoder = FrameEncoder(impute=True).fit(subject.dataset.train_frame)
    coded = coded_inputs(make_pipeline(encoder, "passthrough"), coding)
    assert coding.is_plain
    assert coded is not None
    rows = rows_of(coding)
    assert np.array_equal(coded.of(rows), encoder.transform(coding.decode(rows)), equal_nan=True)


def test_a_model_says_the_same_of_rows_and_of_their_frame(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    dataset = subject.dataset
    pipeline = make_pipeline(FrameEncoder(impute=True), StandardScaler(), LogisticRegression())
    pipeline.fit(dataset.train_frame, dataset.train_labels)
    model = Model(pipeline, subject.schema, name="steps", description="", fingerprint="steps")
    coding = Coding(subject.schema, dataset.train_frame)
    rows = rows_of(coding)
    assert np.array_equal(Scorer(model, coding).outputs(rows), model.predict_proba(coding.decode(rows)))
    assert model.rows_evaluated == 2 * len(rows)


def test_no_other_model_is_read_so(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    frame = subject.dataset.train_frame
    coding = Coding(subject.schema, frame)
    assert coded_inputs(LogisticRegression(), coding) is None
    assert coded_inputs(make_pipeline(StandardScaler(), LogisticRegression()), coding) is None
    as_texts = FrameEncoder().fit(frame.assign(weight=frame["weight"].map(str)))
    assert coded_inputs(make_pipeline(as_texts, "passthrough"), coding) is None
    more = FrameEncoder().fit(frame.assign(extra=pd.Series(1.0, frame.index)))
    assert coded_inputs(make_pipeline(more, "passthrough"), coding) is None
