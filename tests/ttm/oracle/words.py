"""What holds for the words of every answer, whatever was asked."""

import json
import re
from collections.abc import Iterator

from ttm.render import Answer
from ttm.results import Empty, Refused, Result, Versus, as_json


def check_words(text: str, results: tuple[Result, ...], answers: list[Answer]) -> None:
    """Fail if what is shown for the results of the parse `text` is empty, is no JSON, or shows how it is stored."""
    assert results, text
    json.dumps([as_json(result) for result in results], allow_nan=False)
    for answer in answers:
        assert re.search(r"\w{2}", answer.text), text
        assert not re.search(r"\b(nan|inf|None(?!\.)|Timestamp|dtype)\b|class [01]\b|np\.", answer.text), (text, answer.text)
        assert all(len(row) == len(table.columns) for table in answer.tables for row in table.rows), text
        assert answer.figure is None or answer.figure.data, text
    for result in _parts(results):
        if isinstance(result, Empty | Refused):
            assert result.reason.endswith((".", "?")), (text, result.reason)


def _parts(results: tuple[Result, ...]) -> Iterator[Result]:
    for result in results:
        yield from result.results if isinstance(result, Versus) else (result,)
