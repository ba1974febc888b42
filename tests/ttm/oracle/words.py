"""What holds for the words of every answer, whatever was asked."""

import json
import re
from collections.abc import Iterator

from ttm.language.grammar import Grammar
from ttm.operations.render import Answer
from ttm.operations.results import Empty, Refused, Result, Versus, as_json


def check_words(text: str, results: tuple[Result, ...], answers: list[Answer], grammar: Grammar) -> None:
    """Fail if what is shown for the results of the parse `text` is empty, shows how it is stored, or offers no valid parse."""
    assert results, text
    json.dumps([as_json(result) for result in results], allow_nan=False)
    for answer in answers:
        assert re.search(r"\w{2}", answer.text), text
        assert not re.search(r"\b(nan|inf|None(?!\.)|Timestamp|dtype)\b|class [01]\b|np\.", answer.text), (text, answer.text)
        assert all(len(row) == len(table.columns) for table in answer.tables for row in table.rows), text
        assert "<b>" not in answer.text, "markup in the data must be escaped"
        assert "  " not in answer.text, (text, answer.text)
        assert answer.figure is None or answer.figure.data, text
        for following in answer.next_parses:
            grammar.read(following)
    for result in _parts(results):
        if isinstance(result, Empty | Refused):
            assert result.reason.endswith((".", "?")), (text, result.reason)


def _parts(results: tuple[Result, ...]) -> Iterator[Result]:
    for result in results:
        yield from result.results if isinstance(result, Versus) else (result,)
