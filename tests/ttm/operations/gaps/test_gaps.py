"""Missing values are those that pandas counts; a message that speaks of no column asks for all of them."""

import pytest

from tests.ttm.conftest import KINDS, Asker, awkward_engine
from ttm.operations.gaps.run import MissingValues
from ttm.operations.registry import RENDERERS


def _counted(asker: Asker, parse: str) -> MissingValues:
    result = asker(parse)
    assert isinstance(result, MissingValues)
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_is_counted_as_pandas_counts_it(kind: str) -> None:
    asker = Asker(awkward_engine(kind))
    frame = asker.subject.dataset.frame[[feature.name for feature in asker.schema.features]]
    result = _counted(asker, "gaps")
    assert result.missing == {name: int(frame[name].isna().sum()) for name in frame}
    assert list(result.missing.values()) == sorted(result.missing.values(), reverse=True)
    assert result.complete == len(frame.dropna())


def test_rows_that_are_selected_for_a_missing_value_all_lack_it() -> None:
    asker = Asker(awkward_engine("binary"))
    result = _counted(asker, "filter bodymass missing and gaps")
    name = asker.schema.by_token["bodymass"].name
    assert result.missing[name] == result.group.rows > 0
    assert result.complete == 0
    assert "No row has a value in every feature." in RENDERERS[MissingValues](result, asker.schema).text


def test_what_is_filled_in_by_a_change_is_no_longer_missing() -> None:
    asker = Asker(awkward_engine("binary"))
    name = asker.schema.by_token["bodymass"].name
    assert _counted(asker, "gaps").missing[name] > 0
    assert _counted(asker, "change bodymass set 30 and gaps").missing[name] == 0


def test_complete_rows_are_said_to_be_complete() -> None:
    asker = Asker(awkward_engine("binary"))
    whole = " and ".join(f"filter {feature.token} present" for feature in asker.schema.features)
    result = _counted(asker, f"{whole} and gaps")
    assert result.complete == result.group.rows
    answer = RENDERERS[MissingValues](result, asker.schema)
    assert "no value is missing" in answer.text
    assert not answer.tables
