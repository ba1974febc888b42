"""A file of made-up dialogues, and one of three that can be counted by hand."""

from pathlib import Path
from typing import Any

import pytest

from tests.inspired.conftest import Query
from tests.inspired.dialogue_files import made_records, write_lines

CAPITAL = "?c ns:location.country.capital #entity1#"
LANGUAGE = "?c ns:location.country.official_language ?x"
ANTHEM = "?c ns:location.country.national_anthem ?x"


def by_hand(id_: str, name: str, asked: list[str], predicted: list[str], **more: Any) -> dict[str, Any]:
    """A record with answers as lists, numbers for ids and fields of others, as published files may have them."""
    templates = [f"What is/are the country with the capital {name}?", "That entity is/are the country with the language what?"]
    steps = zip(asked, templates, strict=True)
    return {
        "id": id_,
        "question": f"Which language does the country of {name} speak?",
        "gold_parse": "SELECT DISTINCT ?x WHERE { ?c ns:location.country.capital ns:m.1 . "
        "?c ns:location.country.official_language ?x . }",
        "gold_sub_lfs": [CAPITAL + " .", LANGUAGE],
        "pred_sub_lfs": predicted,
        "gold_sub_qs": [
            {"sub_id": number, "sub_question": one, "temp_sub_question": other, "answer": ["a", "b"], "worker": 3}
            for number, (one, other) in enumerate(steps, 1)
        ],
        "pred_sub_qs": None,
        **more,
    }


@pytest.fixture
def three() -> list[dict[str, Any]]:
    return [
        by_hand("a", "Oslo", ["Which country has Oslo as capital?", "Which language does it speak?"], [CAPITAL, LANGUAGE]),
        by_hand("b", "Lima", ["Lima is the capital where?", "What is the tongue of that country?"], [CAPITAL, ANTHEM]),
        by_hand("c", "New Delhi", ["Where is New Delhi?", "What do they speak?"], [ANTHEM, CAPITAL, "?x ns:a.b ?y", LANGUAGE]),
    ]


@pytest.fixture
def file_of_three(three: list[dict[str, Any]], tmp_path: Path) -> Path:
    return write_lines(tmp_path / "three.jsonl", three)


@pytest.fixture(scope="session")
def made(queries: list[Query]) -> list[dict[str, Any]]:
    return made_records(queries, 200)


@pytest.fixture
def made_file(made: list[dict[str, Any]], tmp_path: Path) -> Path:
    return write_lines(tmp_path / "made.jsonl", made)
