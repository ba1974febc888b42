"""What has ended by the words of a message is set to no, and nothing else."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers.learned.decisions.ended_habits import with_ended
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise

SCHEMA = SCHEMAS["students"]
GRAMMAR = grammar_of(SCHEMA)
ONE = "filter id 5 and change internet true and predict [e]"
TWO = "filter id 5 and change internet true and change romantic true and predict [e]"


@pytest.mark.parametrize(("message", "before", "after"), [
    ("what if 5 quit the internet", ONE, ONE.replace("true", "false")),
    ("what if 5 had packed in surfing", ONE, ONE.replace("true", "false")),
    ("what if 5 gave up the internet and became romantic", TWO, TWO.replace("internet true", "internet false")),
    ("what if 5 got the internet", ONE, ONE),
    ("what if 5 quit the paid classes and had internet", ONE, ONE),
    ("how many of them quit?", "filter internet true and countdata [e]", "filter internet true and countdata [e]"),
])  # fmt: skip
def test_what_has_ended_is_set_to_no(message: str, before: str, after: str) -> None:
    tokens = tokenise(message)
    text = " ".join(token.text for token in tokens)
    assert str(with_ended(GRAMMAR.read(before), text, Linker(SCHEMA).mentions(tokens))) == after
