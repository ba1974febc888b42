"""Which of the readings is answered after the second look."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from inspired.parsers.query_graphs.ranking.second_look import compared, first_reading

NOTHING: Mapping[str, float] = {}
NAME = {"unexplained_names": 1.0}
KIND = {"unexplained_kinds": 1.0}
SUPERLATIVE = {"unused_superlative": 1.0}


@pytest.mark.parametrize(
    ("probabilities", "left_out", "index"),
    [
        ([0.40, 0.44], [NOTHING, NOTHING], 0),
        ([0.40, 0.46], [NOTHING, NOTHING], 1),
        ([0.40, 0.55], [NOTHING, NAME], 0),
        ([0.40, 0.55], [NOTHING, SUPERLATIVE], 0),
        ([0.40, 0.61], [NOTHING, NAME], 1),
        ([0.40, 0.46], [NAME, NAME], 1),
        ([0.40, 0.46], [NAME, NOTHING], 1),
        ([0.40, 0.55, 0.46], [NAME, KIND, NAME], 2),
        ([0.40], [NAME], 0),
    ],
)
def test_a_reading_that_leaves_out_more_has_to_be_more_probable_by_far(
    probabilities: Sequence[float], left_out: Sequence[Mapping[str, float]], index: int
) -> None:
    rows = compared(left_out, [0.0] * len(left_out))
    assert first_reading(np.array(probabilities), rows) == index
