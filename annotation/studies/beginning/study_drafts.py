"""A study made in the browser: from a template, with items that were dropped there, without a shell.

It becomes a folder as any other, which can be edited and read again later. What stands in it names no file but its own, so
that nothing else of the computer is read.
"""

import re
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.studies.beginning.quiz_text import quiz_table, quiz_toml
from annotation.studies.item_files import NewItem, own_columns, plan_items
from annotation.studies.plan import STUDY_FILE, StudyPlan, read_plan
from annotation.studies.study import Clock, Study, open_study, study_names
from annotation.tasks.task_type import ItemPart
from annotation.tasks.task_types import TASK_TYPES
from annotation.words.catalogue import speaking
from backend.errors import AnnotationError
from backend.storage.database import Database

FOLDER = Path(__file__).with_name("templates")
INSTRUCTIONS, ITEMS = "instructions.md", "items"
# What a template is called where one is chosen.
TEMPLATES: Mapping[str, str] = {
    "side_by_side": "Two answers side by side: which is better?",
    "own_scale": "Your own scale and fields (here in German)",
    "rewriting": "Say something in other words",
    "dialogue": "INSPIRED dialogues, step by step",
}
CONSENT, TUTORIAL, QUIZ = "consent.md", "tutorial", "quiz.toml"
# The one file, or folder, that each table may name.
OWN_FILES = {"consent": ("text", CONSENT), "tutorial": ("slides", TUTORIAL), "quiz": ("questions", QUIZ)}
LARGEST = 20_000_000  # characters of items
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_BETWEEN_SLIDES = re.compile(r"(?m)^\s*---+\s*$")
_ENDINGS = (".jsonl", ".json", ".csv")


@dataclass(frozen=True)
class StudyDraft:
    """What was typed and dropped: `toml` is the text of study.toml, `ending` that of the file that the items came from.

    `consent`, `slides` (a line of --- between two), `quiz` (as `quiz_text` reads it): empty where the study has none.
    """

    toml: str
    instructions: str
    items: str
    ending: str = ".jsonl"
    consent: str = ""
    slides: str = ""
    quiz: str = ""


def template(name: str) -> StudyDraft:
    """Raises AnnotationError if there is no such template, naming those there are."""
    if name not in TEMPLATES:
        raise AnnotationError(f"There is no template {name!r:.50}; there are {', '.join(TEMPLATES)}.")
    folder = FOLDER / name
    texts = [(folder / file).read_text("utf-8") for file in (STUDY_FILE, INSTRUCTIONS, f"{ITEMS}.jsonl")]
    return StudyDraft(*texts)


def preview(draft: StudyDraft) -> tuple[StudyPlan, tuple[ItemPart, ...], int]:
    """The study as it would be, the parts of its first item, and how many items there are; nothing is kept.

    Raises AnnotationError naming what is wrong, with its line.
    """
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where) / "study"
        folder.mkdir()
        plan, items = _written(folder, draft)
    task = TASK_TYPES[plan.file.task]
    first = task.content.model_validate(own_columns(items[0].content))
    with speaking(plan.file.language):
        return plan, task.parts(first, plan.task_settings, {}), len(items)


def make(database: Database, home: Path, name: str, draft: StudyDraft, clock: Clock) -> Study:
    """Make the study as a folder of this name in `home`. Raises AnnotationError if there is one, or the draft is wrong."""
    if not _NAME.fullmatch(name):
        raise AnnotationError("A study is called by letters, digits, - and _, at most 60, and begins with a letter or digit.")
    folder = home / name
    if folder.exists() or name in study_names(database):
        raise AnnotationError(f"There is a study {name!r} already; choose another name.")
    preview(draft)  # so that a folder is only there for a study that is right
    folder.mkdir(parents=True)
    try:
        _written(folder, draft)
        return open_study(database, folder, clock)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _written(folder: Path, draft: StudyDraft) -> tuple[StudyPlan, list[NewItem]]:
    if draft.ending not in _ENDINGS:
        raise AnnotationError(f"Items come from a file with the ending {', '.join(_ENDINGS)}, not {draft.ending!r:.20}.")
    if len(draft.items) > LARGEST:
        raise AnnotationError(f"The items have {len(draft.items):,} characters; at most {LARGEST:,} can be dropped here.")
    file = f"{ITEMS}{draft.ending}"
    # Whatever the template called its items, they are those that were dropped.
    toml = re.sub(r"(?m)^items\s*=.*$", f'items = ["{file}"]', draft.toml, count=1)
    more = _further_files(draft)
    toml = f"{toml.rstrip()}\n{_further_tables(draft)}"
    for name, text in {STUDY_FILE: toml, INSTRUCTIONS: draft.instructions, file: draft.items, **more}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    try:
        plan = _own_files_only(folder, file)
        return plan, plan_items(plan, folder)
    except AnnotationError as error:
        raise AnnotationError(error.message.replace(f"{folder}/", "").replace(str(folder), "the study")) from error


def _further_files(draft: StudyDraft) -> dict[str, str]:
    """The files of consent, tutorial and quiz, as far as they were typed."""
    files = {CONSENT: draft.consent} if draft.consent.strip() else {}
    slides = [slide.strip() for slide in _BETWEEN_SLIDES.split(draft.slides) if slide.strip()]
    files |= {f"{TUTORIAL}/{number:02}.md": f"{slide}\n" for number, slide in enumerate(slides, 1)}
    return files | ({QUIZ: quiz_toml(draft.quiz)} if draft.quiz.strip() else {})


def _further_tables(draft: StudyDraft) -> str:
    """Their tables, for a study.toml that has none of its own."""
    tables = {
        "consent": (draft.consent, f'\n[consent]\ntext = "{CONSENT}"\n'),
        "tutorial": (draft.slides, f'\n[tutorial]\nslides = "{TUTORIAL}"\n'),
        "quiz": (draft.quiz, quiz_table(draft.quiz)),
    }
    there = set(re.findall(r"(?m)^\s*\[\s*(\w+)\s*\]", draft.toml))
    return "".join(table for name, (typed, table) in tables.items() if typed.strip() and name not in there)


def _own_files_only(folder: Path, items: str) -> StudyPlan:
    try:
        tables: Mapping[str, Any] = tomllib.loads((folder / STUDY_FILE).read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise AnnotationError(f"{STUDY_FILE}: this is not TOML: {error}.") from error
    if more := [name for name in ("trial", "attention") if name in tables]:
        raise AnnotationError(
            f"{STUDY_FILE}: [{more[0]}] names files that cannot be dropped here. Make the study without it, add the files to "
            "its folder, and read it again with `parley study init`."
        )
    for name, (key, own) in OWN_FILES.items():
        if name in tables and (not isinstance(tables[name], dict) or tables[name].get(key) != own):
            raise AnnotationError(f'{STUDY_FILE}: here, {key} of [{name}] is "{own}", with what is typed in the field for it.')
    if tables.get("items") != [items] or tables.get("instructions", "") not in ("", INSTRUCTIONS):
        raise AnnotationError(f'{STUDY_FILE}: here, items are ["{items}"] and instructions "{INSTRUCTIONS}".')
    return read_plan(folder)
