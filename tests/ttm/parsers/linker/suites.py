"""The gold utterances beside this file: `name.tsv` holds utterance and parse for the schema of that name; files that mix
schemas name it in a first column."""

from pathlib import Path

from tests.ttm.parsers.schemas import SCHEMAS

FOLDER = Path(__file__).parent


def gold(name: str) -> list[tuple[str, str, str]]:
    """Schema name, utterance and parse of every line of one file."""
    rows = [line.split("\t") for line in (FOLDER / f"{name}.tsv").read_text("utf-8").splitlines() if line.strip()]
    return [(name, *row) if len(row) == 2 else tuple(row) for row in rows]  # type: ignore[misc]


def scope() -> list[tuple[bool, str, str]]:
    """Whether in scope, schema name and utterance of every line of scope.tsv."""
    rows = [line.split("\t") for line in (FOLDER / "scope.tsv").read_text("utf-8").splitlines() if line.strip()]
    return [(word == "in", schema, utterance) for word, schema, utterance in rows]


NAMES = sorted(path.stem for path in FOLDER.glob("*.tsv") if path.stem != "scope")
__all__ = ["NAMES", "SCHEMAS", "gold", "scope"]
