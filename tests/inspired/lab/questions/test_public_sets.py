"""Files of QALD and LC-QuAD, as they are published."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.errors import InspiredError
from inspired.lab.questions.public_sets import PublicQuestion, read_public_questions

LAKES = "SELECT ?x WHERE { ?x a <http://example.org/Lake> }"


def written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_qald_gives_the_words_of_a_language_and_the_answers(tmp_path: Path) -> None:
    binding = {"x": {"type": "uri", "value": "http://example.org/Como"}}
    rows = [
        {
            "id": "7",
            "question": [{"language": "de", "string": "Welche Seen?"}, {"language": "en", "string": "Which  lakes?"}],
            "query": {"sparql": LAKES},
            "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": [binding]}}],
        },
        {"id": "8", "question": [{"language": "en", "string": "Is Como a lake?"}], "answers": [{"head": {}, "boolean": True}]},
        {"id": "9", "question": [{"language": "de", "string": "Nur auf Deutsch?"}], "query": {"sparql": LAKES}},
    ]
    path = written(tmp_path / "qald.json", {"questions": rows})
    assert read_public_questions(path) == (
        PublicQuestion("7", "Which lakes?", LAKES, ("http://example.org/Como",)),
        PublicQuestion("8", "Is Como a lake?", "", (True,)),
    )
    assert [each.question for each in read_public_questions(path, "de")] == ["Welche Seen?", "Nur auf Deutsch?"]


def test_both_lc_quads_give_words_and_a_query(tmp_path: Path) -> None:
    rows = [
        {"uid": 3, "question": "Which lakes are there?", "sparql_wikidata": LAKES},
        {"uid": 4, "question": "n/a", "paraphrased_question": "Name lakes.", "sparql_wikidata": LAKES},
        {"_id": "5", "corrected_question": "What lakes are there?", "sparql_query": LAKES},
    ]
    read = read_public_questions(written(tmp_path / "lcquad.json", rows))
    assert [(each.id, each.question, each.sparql, each.answers) for each in read] == [
        ("3", "Which lakes are there?", LAKES, None),
        ("4", "Name lakes.", LAKES, None),
        ("5", "What lakes are there?", LAKES, None),
    ]


@pytest.mark.parametrize("content", [{"rows": []}, [], ["text"], {"questions": [{"question": [{"language": "fr"}]}]}])
def test_other_files_are_refused_in_one_sentence(tmp_path: Path, content: Any) -> None:
    with pytest.raises(InspiredError, match="QALD"):
        read_public_questions(written(tmp_path / "other.json", content))
