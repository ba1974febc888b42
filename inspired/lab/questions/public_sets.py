"""Questions of the public sets QALD (9, 10) and LC-QuAD (1, 2), as their files have them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.errors import InspiredError

_QUESTION = ("corrected_question", "question", "NNQT_question", "paraphrased_question")
_QUERY = ("sparql_query", "sparql_wikidata", "sparql_dbpedia18", "sparql")
_WHAT = (
    'a QALD file is {"questions": [{"question": [{"language": "en", "string": TEXT}], "query": {"sparql": TEXT}}]}, '
    'one of LC-QuAD [{"question": TEXT, "sparql_wikidata": TEXT}]'
)


@dataclass(frozen=True)
class PublicQuestion:
    """`answers` are ids, values, or one truth value; None where the file has none, and `sparql` has to be run."""

    id: str
    question: str
    sparql: str = ""
    answers: tuple[str | bool, ...] | None = None


def read_public_questions(path: Path, language: str = "en") -> tuple[PublicQuestion, ...]:
    """The questions of a file that have words in `language`. Raises InspiredError for a file of another form."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InspiredError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InspiredError(f"{path} is no JSON: {error}.") from error
    rows = content.get("questions") if isinstance(content, Mapping) else content
    if not isinstance(rows, list) or not all(isinstance(each, Mapping) for each in rows):
        raise InspiredError(f"{path} is no file of QALD or LC-QuAD: {_WHAT}.")
    result = tuple(each for number, row in enumerate(rows, 1) if (each := _question(row, number, language)) is not None)
    if not result:
        raise InspiredError(f"{path} holds no question in the language {language!r}; {_WHAT}.")
    return result


def _question(row: Mapping[str, Any], number: int, language: str) -> PublicQuestion | None:
    text = _words(row, language)
    if not text.strip():
        return None
    query = row.get("query")
    sparql = query.get("sparql") if isinstance(query, Mapping) else next((row[each] for each in _QUERY if row.get(each)), "")
    answers = row.get("answers")
    id_ = str(row.get("id") or row.get("uid") or row.get("_id") or number)
    return PublicQuestion(id_, " ".join(text.split()), str(sparql or ""), _answers(answers) if answers else None)


def _words(row: Mapping[str, Any], language: str) -> str:
    question = row.get("question")
    if isinstance(question, list):
        spoken = {each.get("language"): each.get("string") for each in question if isinstance(each, Mapping)}
        return str(spoken.get(language) or "")
    # Some questions of LC-QuAD 2 have no words but "n/a".
    texts = (row.get(each) for each in _QUESTION)
    return next((each for each in texts if isinstance(each, str) and each.strip().lower() not in ("", "n/a")), "")


def _answers(listed: Iterable[Any]) -> tuple[str | bool, ...]:
    return tuple(value for each in listed if isinstance(each, Mapping) for value in _values(each))


def _values(answer: Mapping[str, Any]) -> Iterator[str | bool]:
    if isinstance(answer.get("boolean"), bool):
        yield answer["boolean"]
        return
    for binding in answer.get("results", {}).get("bindings", ()):
        yield from (str(cell["value"]) for cell in binding.values())
