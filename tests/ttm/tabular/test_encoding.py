"""A row is encoded alike whether it is alone, among few or among many."""

import numpy as np
import pytest

from tests.ttm.conftest import awkward_table
from ttm.tabular.data.encoding import FEW_ROWS, FrameEncoder


@pytest.mark.parametrize("impute", [False, True])
def test_few_rows_are_encoded_as_among_many(impute: bool) -> None:
    frame = awkward_table().drop(columns=["price", "good", "level"])
    frame.loc[frame.index[5], "loan purpose"] = "never seen"
    encoder = FrameEncoder(impute=impute).fit(frame.drop(index=5))
    many = frame.iloc[np.arange(FEW_ROWS) % len(frame)].astype({"smoker": object})
    among_many = encoder.transform(many)[: len(frame)]
    np.testing.assert_array_equal(encoder.transform(frame), among_many)
    np.testing.assert_array_equal(encoder.transform(frame.iloc[[5]]), among_many[[5]])
    assert np.isnan(among_many[5]).any() != impute
