"""What holds for the words of every answer, whatever was asked."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from ttm.language.grammar import Grammar
from ttm.operations.render import Answer
from ttm.operations.results import Empty, Refused, Result, Versus, as_json


def check_words(text: str, results: tuple[Result, ...], answers: list[Answer], grammar: Grammar) -> list[dict[str, Any]]:
    """The results of the parse `text` as JSON.

    Fails if what is shown for them is empty, shows how it is stored, or offers no valid parse.
    """
    assert results, text
    told = [as_json(result) for result in results]
    json.dumps(told, allow_nan=False)
    for answer in answers:
        assert re.search(r"\w{2}", answer.text), text
        assert not re.search(r"\b(nan|inf|None(?!\.)|Timestamp|dtype)\b|class [01]\b|np\.", answer.text), (text, answer.text)
        assert all(len(row) == len(table.columns) for table in answer.tables for row in table.rows), text
        assert "<b>" not in answer.text, "markup in the data must be escaped"
        assert "  " not in answer.text, (text, answer.text)
        assert answer.figure is None or answer.figure.data, text
        for following in answer.next_parses:
            _readable(grammar, following)
    for result in _parts(results):
        if isinstance(result, Empty | Refused):
            assert result.reason.endswith((".", "?")), (text, result.reason)
    return told


@cache
def _readable(grammar: Grammar, text: str) -> None:
    """Fail if a parse that is offered, as many answers do with the same one, cannot be read."""
    grammar.read(text)


def _parts(results: tuple[Result, ...]) -> Iterator[Result]:
    for result in results:
        yield from result.results if isinstance(result, Versus) else (result,)
