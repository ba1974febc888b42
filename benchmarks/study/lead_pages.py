"""How long each page of a lead takes, and how much memory, in a study of as many dialogues as INSPIRED has.

Each dialogue has queries of its own, made out of those of the example study, and as many answers as are asked for.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from annotation.studies.callers import Caller, Role
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.study import EXAMPLE, Study, open_study
from annotation.studies.tables import study_assignments, study_items
from annotation.web.lead.lead_calls import file
from annotation.web.pages import OF_LEADS, page
from backend.storage.database import Database, now

PAGES = [name for name in OF_LEADS if name not in ("worker", "tutorial", "history")]  # which are about one thing
DIALOGUES = 10_374  # in INSPIRED (section 4.1)
WORKERS = 20
AT_ONCE = 500
_ENTITY = re.compile(r"\bm\.\w+")
PLAN = 'title = "Dialogues"\ntask = "inspired_dialogue"\nitems = ["items.jsonl"]\noverlap = {overlap}\n'


def write_folder(folder: Path, dialogues: int, overlap: int) -> Path:
    """A study whose dialogues ask about entities of their own."""
    examples = [json.loads(line) for line in (EXAMPLE / "items.jsonl").read_text("utf-8").splitlines()]
    folder.mkdir()
    (folder / "study.toml").write_text(PLAN.format(overlap=overlap), "utf-8")
    with (folder / "items.jsonl").open("w", encoding="utf-8") as items:
        for number in range(dialogues):
            example = examples[number % len(examples)] | {"id": f"dialogue-{number}"}
            items.write(_ENTITY.sub(lambda entity, n=number: f"{entity[0]}_{n}", json.dumps(example)) + "\n")  # type: ignore[misc]
    return folder


def answer_all(study: Study, workers: list[Caller], overlap: int) -> None:
    """Each dialogue answered by as many workers, as if they had handed it in."""
    with study.database.reading() as connection:
        items = connection.execute(select(study_items.c.id, study_items.c.content).where(study_items.c.study == study.id)).all()
    rows = _rows(study, items, workers, overlap)
    while some := [row for _, row in zip(range(AT_ONCE), rows, strict=False)]:
        with study.database.writing() as connection:
            connection.execute(insert(study_assignments), some)


def _rows(study: Study, items: Any, workers: list[Caller], overlap: int) -> Iterator[dict[str, Any]]:
    began = now()
    for number, item in enumerate(items):
        for slot in range(overlap):
            worker = workers[(number + slot) % len(workers)].worker
            answer = _answer(study, item.content, number + slot)
            about = {"shown": {}, "answer": answer, "final": None, "signals": None, "passed": None, "feedback": ""}
            moments = {"leased": began, "expires": began, "submitted": began - timedelta(minutes=number % 5000)}
            yield {
                "study": study.id, "item": item.id, "worker": worker, "phase": "tasks", "state": "submitted", "slot": slot,
                "seconds": 60 + number % 200, "number": number, "sampled": number % 10 == 0, "batch": 1, "active": 50.0,
                "verdict": "accepted" if number % 3 else "", **about, **moments,
            }  # fmt: skip


def _answer(study: Study, content: Mapping[str, Any], number: int) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for part in study.parts(content, {}):
        if part.name and (part.when is None or answer.get(part.when[0]) == part.when[1]):
            kind = part.options[number % 7 == 0] if part.kind == "choose" else f"{part.source or part.text} ({number})"
            answer[part.name] = kind
    return answer


def peak() -> float:
    """The most megabytes that this process has taken; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0.0
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dialogues", type=int, default=DIALOGUES, metavar="N", help=f"how many there are ({DIALOGUES})")
    parser.add_argument("--overlap", type=int, default=1, metavar="N", help="how many workers answer each (1)")
    parser.add_argument("--pages", nargs="+", metavar="NAME", choices=OF_LEADS, default=PAGES,
                        help=f"which pages: {', '.join(OF_LEADS)}")  # fmt: skip
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="make the study there, or take the one that is there")


def run(args: argparse.Namespace) -> None:
    """Make the study, then draw each page twice and write each file; print processor seconds and the peak so far."""
    with tempfile.TemporaryDirectory() as folder:
        _measure((args.folder or Path(folder)) / "study", args)


def _measure(folder: Path, args: argparse.Namespace) -> None:
    made = folder.exists()
    database = Database(f"sqlite:///{folder.parent / 'parley.sqlite'}")
    study = open_study(database, folder if made else write_folder(folder, args.dialogues, args.overlap))
    lead = sign_in_by_link(study, enrol(study, f"Lead {time.time_ns()}", Role.LEAD).link, "here")
    if not made:
        names = [f"Worker {number}" for number in range(WORKERS)]
        answer_all(study, [sign_in_by_link(study, enrol(study, name).link, "here") for name in names], args.overlap)
    sys.stdout.write(f"study of {args.dialogues:,} dialogues: peak {peak():.0f} MB\n")
    for name in args.pages:
        began = time.process_time()
        html = page(study, lead, {"page": name})["html"]
        sys.stdout.write(f"{name}: {time.process_time() - began:.1f} s, {len(html):,} letters, peak {peak():.0f} MB\n")
        sys.stdout.flush()
    for kind in ("answers", "inspired.jsonl", "archive"):
        began = time.process_time()
        size = len(str(file(study, lead, {"kind": kind, "packed": True})))
        sys.stdout.write(f"file {kind}: {time.process_time() - began:.1f} s, {size:,} letters, peak {peak():.0f} MB\n")
    database.close()
