"""Small studies whose clock is turned by hand, and workers who do something plausible."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from annotation.studies.callers import Caller, Role
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.study import Study, open_study
from annotation.studies.work.answers import Receipt, hand_in_turn, submit
from annotation.studies.work.leases import Assignment, next_item
from backend.storage.database import Database


@dataclass
class HandClock:
    """Tells the time that it was turned to."""

    moment: datetime = field(default_factory=lambda: datetime(2026, 1, 1, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.moment

    def turn(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)


def write_study(folder: Path, toml: str, **files: str) -> Path:
    """A study folder; in the names of `files`, `__` stands for a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(toml, encoding="utf-8")
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return folder


def json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def ratings(count: int, prefix: str = "p", **more: Any) -> str:
    """Items of the task similarity_rating."""
    texts = [{"original": f"How old is {n}?", "rewrite": f"What age has {n}?"} for n in range(count)]
    return json_lines([{"id": f"{prefix}{n}", **text, "parse": f"filter id {n} [e]", **more} for n, text in enumerate(texts)])


def rating_study(database: Database, folder: Path, clock: Callable[[], datetime], items: int = 5, toml: str = "") -> Study:
    """A study in which pairs are rated; `toml` is put behind its first lines."""
    head = f'title = "Ratings"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n{toml}\n'
    return open_study(database, write_study(folder, head, items__jsonl=ratings(items)), clock)


def join(study: Study, name: str, role: Role = Role.WORKER) -> Caller:
    return sign_in_by_link(study, enrol(study, name, role).link, "here")


def plausible(given: Assignment, mark: object = "") -> dict[str, Any]:
    """An answer of the form asked for; `mark` makes its texts differ from others."""
    answer: dict[str, Any] = {}
    for part in given.parts:
        if part.name in given.turns.handed_in:
            continue
        if part.when is not None and answer.get(part.when[0]) != part.when[1]:
            continue
        if part.kind == "choose":
            answer[part.name] = part.options[0]
        elif part.kind == "rate":
            answer[part.name] = part.scale[1]
        elif part.kind == "mark":
            answer[part.name] = [[0, 1]]
        elif part.kind == "write":
            answer[part.name] = f"Said anew: {part.name} {given.key} {mark} {' '.join(part.entities)}"
    return answer


def hand_in(study: Study, worker: Caller, given: Assignment, mark: object, submission: str) -> Receipt:
    """A plausible answer, turn by turn where an item is done so."""
    while given.turns.more:
        hand_in_turn(study, worker, given.key, given.turns.at, plausible(given, mark))
        given = next_item(study, worker)
    return submit(study, worker, given.key, plausible(given, mark), submission)


def right_answers(study: Study, questions: Any) -> Mapping[int, str]:
    known = {each.question: each.correct for each in study.plan.questions}
    return {number: known[each.question] for number, each in enumerate(questions, 1)}
