"""Tables of visitors are counted as long as anybody talks about them, and one address cannot bring all that fit."""

import numpy as np
import pandas as pd
import pytest

from backend.errors import DatasetError
from ttm.tabular.brought_room import EACH, BroughtRoom

FRAME = pd.DataFrame({"a": np.zeros(100_000)})  # 0.8 MB


class Holder:
    """Something that holds a table."""


def test_what_nobody_holds_any_more_makes_room() -> None:
    room, kept = BroughtRoom(2 * EACH, 5 * EACH), [Holder(), Holder()]
    for number in range(2):
        room.check("a", lambda: None)
        room.keep("a", kept[number], FRAME)
    with pytest.raises(DatasetError, match="tables that you brought take all the memory"):
        room.check("a", lambda: None)
    room.check("b", lambda: None)
    room.check("a", kept.clear)  # they were kept in case they are brought again


def test_all_together_have_a_limit_too() -> None:
    room, kept = BroughtRoom(2 * EACH, 3 * EACH), [Holder() for _ in range(3)]
    for number, holder in enumerate(kept):
        room.keep(f"address {number}", holder, FRAME)
    with pytest.raises(DatasetError, match="all visitors"):
        room.check("another", lambda: None)
