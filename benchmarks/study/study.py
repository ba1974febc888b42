"""The study that is worked on: utterances to reword once, for as many workers as asked for."""

import json
from dataclasses import dataclass
from pathlib import Path

from annotation.studies.people.workers import enrol
from annotation.studies.plan import STUDY_FILE
from annotation.studies.study import Study, open_study
from backend.storage.database import Database

TOML = """\
title = "Bench"
task = "utterance_rewriting"
items = ["items.jsonl"]
overlap = {overlap}
lease_minutes = {lease_minutes}
[settings]
rewrites = {rewrites}
"""


@dataclass(frozen=True)
class Shape:
    """`overlap`: how many workers answer each item; `rewrites`: how many texts an answer has."""

    items: int
    overlap: int = 2
    rewrites: int = 1
    lease_minutes: float = 30.0


def write_folder(folder: Path, shape: Shape) -> Path:
    folder.mkdir(parents=True)
    toml = TOML.format(overlap=shape.overlap, lease_minutes=shape.lease_minutes, rewrites=shape.rewrites)
    (folder / STUDY_FILE).write_text(toml, encoding="utf-8")
    rows = ({"id": f"item-{number}", "utterance": f"How likely is it that patient {number} is ill?"}
            for number in range(shape.items))  # fmt: skip
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return folder


def make_study(database: Database, folder: Path, shape: Shape, names: list[str]) -> tuple[Study, dict[str, str]]:
    """The study, and a personal link for each of `names`."""
    study = open_study(database, write_folder(folder, shape))
    return study, {name: enrol(study, name).link for name in names}
