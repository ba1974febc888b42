"""A number behind a noun for rows is an id, unless something behind it says what it counts or measures."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.parsers.linker.linking_parser import LinkingParser
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise

SCHEMA = SCHEMAS["clinic"]


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("did glucose influence instance 49 more than age did?", {"49"}),
        ("and for data point number 49?", {"49"}),
        ("patient 49 and patient 50", {"49", "50"}),
        ("and for data point number forty-nine?", {"49"}),
        ("what of data point fifty-five?", {"55"}),
        ("patients fifty or older", set()),
        ("a patient fifty years old", set()),
        ("patient number one in the ranking", set()),
        ("patients over 49", set()),
        ("what about a patient 45 or older?", set()),
        ("how likely is a person 30 years of age to have it?", set()),
        ("raise it by 49", set()),
    ],
)
def test_announced_ids(message: str, ids: set[str]) -> None:
    tokens = tokenise(message)
    assert LinkingParser(SCHEMA).announced_ids(tokens, Linker(SCHEMA).mentions(tokens)) == ids
