"""A study made in the browser: from a template, with items that were dropped there, without a shell.

It becomes a folder as any other, which can be edited and read again later. What stands in it names no file but its own, so
that nothing else of the computer is read.
"""

import re
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.studies.beginning.quiz_text import quiz_table, quiz_toml
from annotation.studies.item_files import ItemKind, NewItem, file_items, own_columns, plan_items
from annotation.studies.picture_files import Picture
from annotation.studies.plan import STUDY_FILE, StudyPlan, read_plan
from annotation.studies.study import Clock, Study, open_study, study_names
from annotation.tasks.task_type import ItemPart
from annotation.tasks.task_types import TASK_TYPES
from annotation.words.catalogue import speaking, to_translate, translate
from backend.errors import AnnotationError
from backend.storage.database import Database

FOLDER = Path(__file__).with_name("templates")
INSTRUCTIONS, ITEMS = "instructions.md", "items"
# What a template is called where one is chosen.
TEMPLATES: Mapping[str, str] = {
    "side_by_side": to_translate("Two answers side by side: which is better?"),
    "pictures": to_translate("Questions about a picture"),
    "rating": to_translate("Do two sentences mean the same? A scale"),
    "checking": to_translate("Is it right? If not, what should it say?"),
    "marking": to_translate("Mark the words that show it, in a passage"),
    "own_scale": to_translate("Your own scale and fields (here in German)"),
    "rewriting": to_translate("Say something in other words"),
    "dialogue": to_translate("INSPIRED dialogues, step by step"),
}
CONSENT, TUTORIAL, QUIZ = "consent.md", "tutorial", "quiz.toml"
# The one file, or folder, that each table may name.
TRIAL, ATTENTION = "trial", "attention"
OWN_FILES = {"consent": ("text", CONSENT), "tutorial": ("slides", TUTORIAL), "quiz": ("questions", QUIZ)}
LARGEST = 20_000_000  # characters of items
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_BETWEEN_SLIDES = re.compile(r"(?m)^\s*---+\s*$")
ENDINGS = (".jsonl", ".json", ".csv")
_PICTURE = re.compile(r"[\w][\w .()-]{0,100}\.(png|jpe?g|gif|webp)", re.IGNORECASE)


@dataclass(frozen=True)
class StudyDraft:
    """What was typed and dropped: `toml` is the text of study.toml, `ending` that of the file that the items came from.

    `consent`, `slides` (a line of --- between two), `quiz` (as `quiz_text` reads it), `trial` and `attention` (items): empty
    where the study has none. `pictures`: what items show, by the names of their files.
    """

    toml: str
    instructions: str
    items: str
    ending: str = ".jsonl"
    consent: str = ""
    slides: str = ""
    quiz: str = ""
    trial: str = ""
    attention: str = ""
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def items_ending(text: str) -> str:
    """How a file with these items would end."""
    return {"": ".jsonl", "{": ".jsonl", "[": ".json"}.get(text.strip()[:1], ".csv")


def template(name: str) -> StudyDraft:
    """Raises AnnotationError if there is no such template, naming those there are."""
    if name not in TEMPLATES:
        raise AnnotationError(
            translate("There is no template {name}; there are {names}.", name=f"{name!r:.50}", names=", ".join(TEMPLATES))
        )
    folder = FOLDER / name
    toml, instructions, items = ((folder / file).read_text("utf-8") for file in (STUDY_FILE, INSTRUCTIONS, f"{ITEMS}.jsonl"))
    pictures = {path.name: path.read_bytes() for path in sorted(folder.glob("*.png"))}
    return StudyDraft(toml, instructions, items, pictures=pictures)


def rows_of_text(text: str, ending: str = "") -> list[Mapping[str, Any]]:
    """The items in a text, whatever they hold. Raises AnnotationError naming the line that cannot be read."""
    if not text.strip():
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"items{ending or items_ending(text)}"
        path.write_text(text, "utf-8")
        try:
            return [row for _, row in file_items(path)]
        except AnnotationError as error:
            raise AnnotationError(error.message.replace(f"{folder}/", "")) from error


@dataclass(frozen=True)
class Preview:
    """The study as it would be: the parts and pictures of its first item, and how many items there are of each kind."""

    plan: StudyPlan
    parts: tuple[ItemPart, ...]
    pictures: Mapping[str, Picture]
    counts: Mapping[ItemKind, int]


def preview(draft: StudyDraft) -> Preview:
    """Read a draft; nothing is kept.

    Raises AnnotationError naming what is wrong, with its line.
    """
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where) / "study"
        folder.mkdir()
        plan, items = _written(folder, draft)
    task = TASK_TYPES[plan.file.task]
    first = task.content.model_validate(own_columns(items[0].content))
    counts = Counter(item.kind for item in items)
    with speaking(plan.file.language):
        return Preview(plan, task.parts(first, plan.task_settings, {}), items[0].pictures, counts)


def make(database: Database, home: Path, name: str, draft: StudyDraft, clock: Clock) -> Study:
    """Make the study as a folder of this name in `home`. Raises AnnotationError if there is one, or the draft is wrong."""
    if not _NAME.fullmatch(name):
        raise AnnotationError(
            translate("A study is called by letters, digits, - and _, at most 60, and begins with a letter or digit.")
        )
    folder = home / name
    if folder.exists() or name in study_names(database):
        raise AnnotationError(translate("There is a study {name} already; choose another name.", name=repr(name)))
    preview(draft)  # so that a folder is only there for a study that is right
    folder.mkdir(parents=True)
    try:
        _written(folder, draft)
        return open_study(database, folder, clock)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _written(folder: Path, draft: StudyDraft) -> tuple[StudyPlan, list[NewItem]]:
    if draft.ending not in ENDINGS:
        raise AnnotationError(
            translate(
                "Items come from a file with the ending {endings}, not {ending}.",
                endings=", ".join(ENDINGS),
                ending=f"{draft.ending!r:.20}",
            )
        )
    if len(draft.items) > LARGEST:
        raise AnnotationError(
            translate(
                "The items have {count:,} characters; at most {largest:,} can be dropped here.",
                count=len(draft.items),
                largest=LARGEST,
            )
        )
    file = f"{ITEMS}{draft.ending}"
    # Whatever the template called its items, they are those that were dropped.
    toml = re.sub(r"(?m)^items\s*=.*$", f'items = ["{file}"]', draft.toml, count=1)
    more = _further_files(draft)
    toml = f"{toml.rstrip()}\n{_further_tables(draft)}"
    for name, text in {STUDY_FILE: toml, INSTRUCTIONS: draft.instructions, file: draft.items, **more}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    _write_pictures(folder, draft.pictures)
    try:
        plan = _own_files_only(folder, file, draft)
        return plan, plan_items(plan, folder)
    except AnnotationError as error:
        raise AnnotationError(error.message.replace(f"{folder}/", "").replace(str(folder), translate("the study"))) from error


def _further_files(draft: StudyDraft) -> dict[str, str]:
    """The files of consent, tutorial and quiz, as far as they were typed."""
    files = {CONSENT: draft.consent} if draft.consent.strip() else {}
    slides = [slide.strip() for slide in _BETWEEN_SLIDES.split(draft.slides) if slide.strip()]
    files |= {f"{TUTORIAL}/{number:02}.md": f"{slide}\n" for number, slide in enumerate(slides, 1)}
    files |= {_items_file(kind, text): text for kind, text in _further_items(draft).items()}
    return files | ({QUIZ: quiz_toml(draft.quiz)} if draft.quiz.strip() else {})


def _further_items(draft: StudyDraft) -> dict[str, str]:
    """The items of the trial and for attention, as far as there are any."""
    return {kind: text for kind, text in ((TRIAL, draft.trial), (ATTENTION, draft.attention)) if text.strip()}


def _items_file(kind: str, text: str) -> str:
    return f"{kind}{items_ending(text)}"


def _write_pictures(folder: Path, pictures: Mapping[str, bytes]) -> None:
    for name, content in pictures.items():
        if not _PICTURE.fullmatch(name):
            raise AnnotationError(
                translate(
                    "A picture is called by letters, digits, blanks and ._()-, and .png, .jpg, .gif or .webp, not {name}.",
                    name=f"{name!r:.100}",
                )
            )
        (folder / name).write_bytes(content)


def _further_tables(draft: StudyDraft) -> str:
    """Their tables, for a study.toml that has none of its own."""
    tables = {
        "consent": (draft.consent, f'\n[consent]\ntext = "{CONSENT}"\n'),
        "tutorial": (draft.slides, f'\n[tutorial]\nslides = "{TUTORIAL}"\n'),
        "quiz": (draft.quiz, quiz_table(draft.quiz)),
        "trial": (draft.trial, _trial_table(draft.trial)),
        "attention": (draft.attention, f'\n[attention]\nitems = "{_items_file(ATTENTION, draft.attention)}"\n'),
    }
    there = set(re.findall(r"(?m)^\s*\[\s*(\w+)\s*\]", draft.toml))
    return "".join(table for name, (typed, table) in tables.items() if typed.strip() and name not in there)


def _trial_table(text: str) -> str:
    """For a study.toml that does not say how many tasks the trial has: all."""
    rows = len(rows_of_text(text))
    return f'\n[trial]\nitems = "{_items_file(TRIAL, text)}"\ntasks = {rows}\n'


def _own_files_only(folder: Path, items: str, draft: StudyDraft) -> StudyPlan:
    try:
        tables: Mapping[str, Any] = tomllib.loads((folder / STUDY_FILE).read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise AnnotationError(translate("{file}: this is not TOML: {error}.", file=STUDY_FILE, error=error)) from error
    own_items = {
        kind: ("items", _items_file(kind, text)) for kind, text in ((TRIAL, draft.trial), (ATTENTION, draft.attention))
    }
    for name, (key, own) in (OWN_FILES | own_items).items():
        if name in tables and (not isinstance(tables[name], dict) or tables[name].get(key) != own):
            raise AnnotationError(
                translate(
                    "{file}: here, {key} of {table} is {own}, with what is typed in the field for it.",
                    file=STUDY_FILE,
                    key=key,
                    table=f"[{name}]",
                    own=f'"{own}"',
                )
            )
    if tables.get("items") != [items] or tables.get("instructions", "") not in ("", INSTRUCTIONS):
        raise AnnotationError(
            translate(
                "{file}: here, items are {items} and instructions {instructions}.",
                file=STUDY_FILE,
                items=f'["{items}"]',
                instructions=f'"{INSTRUCTIONS}"',
            )
        )
    return read_plan(folder)
