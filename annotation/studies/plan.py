"""What a study is, as its folder says: `study.toml` with the files that it names, checked before anything is kept.

Every phase is a table that may be left out: `[consent]`, `[tutorial]`, `[quiz]`, `[trial]`, `[batches]`, always in this
order. The numbers are those of the INSPIRED collection (table 1) unless the file says otherwise.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from annotation.studies.access_codes import plain_username
from annotation.studies.quality.rules import QualityRule
from annotation.studies.recruiting import Recruiting
from annotation.tasks.task_types import TASK_TYPES
from annotation.words.catalogue import ENGLISH, LANGUAGES, translate
from backend.errors import AnnotationError
from backend.text.storable import storable

STUDY_FILE = "study.toml"
ATTEMPTS_ON_PROLIFIC = 2  # of a check of comprehension, before somebody may be sent back
LARGEST_TEXT_FILE = 2_000_000  # bytes of one slide or instruction


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


Amount = Annotated[Decimal, BeforeValidator(lambda value: str(value) if isinstance(value, float) else value),
                   Field(ge=0, decimal_places=2)]  # fmt: skip


class Consent(_Table):
    text: str = Field(min_length=1, description="Markdown file with what workers agree to")
    version: str = Field("", max_length=100, description="of the text, noted with the time when somebody agrees")
    keep_days: int | None = Field(None, ge=1, description="how long data of a worker are kept after the last sign of them")


class TutorialSlides(_Table):
    slides: str = Field(min_length=1, description="folder with Markdown files, shown in the order of their names")


class Quiz(_Table):
    questions: str = Field(min_length=1, description="TOML file with [[question]] tables")
    draw: int = Field(8, ge=1)
    pass_mark: int = Field(7, ge=1)
    wait_minutes: float = Field(10, ge=0)
    most_attempts: int | None = Field(
        None, ge=1, description="after so many a worker's part ends; no limit if not set (two on Prolific)"
    )

    @model_validator(mode="after")
    def _can_be_passed(self) -> Self:
        if self.pass_mark > self.draw:
            raise ValueError(
                translate(
                    "pass_mark is {pass_mark}, but only {draw} questions are drawn", pass_mark=self.pass_mark, draw=self.draw
                )
            )
        return self


class Trial(_Table):
    items: str = Field(min_length=1)
    tasks: int = Field(10, ge=1)


class Batches(_Table):
    """The next batch grows if of the checked tasks at least the share `good` was accepted as it was, and the worker's median
    time a task was at most `slow` times that of everybody in the study; batch number `grow_from` is the first that may."""

    start: int = Field(100, ge=1)
    spot_check: float = Field(0.1, ge=0, le=1)
    growth: float = Field(1.5, ge=1)
    grow_from: int = Field(2, ge=2)
    good: float = Field(0.9, ge=0, le=1)
    slow: float = Field(2.0, gt=0)


class AttentionChecks(_Table):
    """`share`: how many of the tasks of a batch are attention items, drawn for each batch by itself; at least one."""

    items: str = Field(min_length=1)
    share: float = Field(0.05, gt=0, le=0.5)


class Warnings(_Table):
    """`near_copy`: likeness to the source, from 0 to 1, above which a wording is no rewording; one that keeps its source
    but for order, politeness and a word is none in any case. `other_language` judges where the source is English."""

    near_copy: float = Field(default=0.95, gt=0, le=1)
    max_length: int = Field(default=500, ge=1)
    missing_entity: bool = True
    duplicate: bool = True
    empty: bool = True
    assistant: bool = True
    only_names: bool = True
    other_language: bool = True


class Payment(_Table):
    """`batch`: a bonus for each batch that is passed, or, with `bonus_tasks`, for each so many tasks of passed batches."""

    currency: str = Field(default="USD", min_length=1, max_length=20)
    per_task: Amount = Decimal(0)
    tutorial_and_quiz: Amount = Decimal(0)
    batch: Amount = Decimal(0)
    bonus_tasks: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _bonus_is_there(self) -> Self:
        if self.bonus_tasks is not None and not self.batch:
            raise ValueError(
                translate(
                    "bonus_tasks is {bonus_tasks}, but batch, which is the amount of that bonus, is not set",
                    bonus_tasks=self.bonus_tasks,
                )
            )
        return self


class HuggingFace(_Table):
    """Where this table is there, people join by themselves as workers: `accounts` names who may (empty: anybody with an
    account), `most` how many."""

    accounts: tuple[str, ...] = ()
    most: int | None = Field(None, ge=1)

    @field_validator("accounts")
    @classmethod
    def _are_usernames(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(plain_username(name) for name in names)
        except AnnotationError as error:
            raise ValueError(error.message.rstrip(".")) from error


class StudyFile(_Table):
    """`study.toml`. `items` are the files with the items, relative to the folder."""

    title: str = Field(min_length=1, max_length=200)
    task: str
    items: tuple[str, ...] = ()
    instructions: str = ""
    language: str = Field(ENGLISH, description="of the screens of workers: en, de or es")
    overlap: int = Field(1, ge=1, le=1000)
    lease_minutes: float = Field(30, gt=0)
    cap: int = Field(1800, ge=1)
    seed: int = 0
    most_skips: int = Field(20, ge=0, description="tasks that one worker may skip, for each batch")
    consent: Consent | None = None
    tutorial: TutorialSlides | None = None
    quiz: Quiz | None = None
    trial: Trial | None = None
    batches: Batches | None = None
    attention: AttentionChecks | None = None
    warnings: Warnings = Warnings()
    payment: Payment = Payment()
    hugging_face: HuggingFace | None = None
    recruiting: Recruiting | None = None
    rule: tuple[QualityRule, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def most_quiz_attempts(self) -> int | None:
        """How often the quiz may be tried; twice where people come from Prolific, as its policy for such checks has it."""
        if self.quiz is None or self.quiz.most_attempts is not None:
            return self.quiz.most_attempts if self.quiz else None
        return ATTEMPTS_ON_PROLIFIC if self.recruiting and self.recruiting.platform == "prolific" else None

    @field_validator("language")
    @classmethod
    def _language_is_there(cls, language: str) -> str:
        if language not in LANGUAGES:
            there = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
            raise ValueError(
                translate("there are no screens in {language}; there are {there}", language=repr(language), there=there)
            )
        return language

    @model_validator(mode="after")
    def _task_is_known(self) -> Self:
        if self.task not in TASK_TYPES:
            raise ValueError(translate("task is {task}; there are {names}", task=repr(self.task), names=", ".join(TASK_TYPES)))
        return self


class QuizQuestion(_Table):
    """A question with one right option; `explanation` is for those who got it wrong."""

    question: str = Field(min_length=1)
    options: tuple[str, ...] = Field(min_length=2)
    correct: str
    explanation: str = ""

    @model_validator(mode="after")
    def _right_answer_is_offered(self) -> Self:
        if self.correct not in self.options or len(set(self.options)) < len(self.options):
            raise ValueError(
                translate("correct is {correct}, which must be one of the options, all different", correct=repr(self.correct))
            )
        return self


class _QuizFile(_Table):
    question: tuple[QuizQuestion, ...] = Field(min_length=1)


class StudyPlan(_Table):
    """A study file with the texts that it names; this is what the database keeps."""

    file: StudyFile
    instructions: str = ""
    consent: str = ""
    slides: tuple[str, ...] = ()
    questions: tuple[QuizQuestion, ...] = ()

    @property
    def task_settings(self) -> Any:
        return TASK_TYPES[self.file.task].settings.model_validate(self.file.settings)


def read_plan(folder: Path) -> StudyPlan:
    """Raises AnnotationError naming the file, the line and the field that cannot be used, and what would be valid."""
    path = folder / STUDY_FILE
    text = read_text(path)
    file = checked(StudyFile, _toml(path, text), path, text)
    checked(TASK_TYPES[file.task].settings, file.settings, path, text, ("settings",))
    return StudyPlan(
        file=file,
        instructions=read_text(folder / file.instructions) if file.instructions else "",
        consent=read_text(folder / file.consent.text) if file.consent else "",
        slides=tuple(_slides(folder / file.tutorial.slides)) if file.tutorial else (),
        questions=_questions(folder / file.quiz.questions, file.quiz.draw) if file.quiz else (),
    )


def checked(
    model: type[Any], values: Any, path: Path | str, text: str = "", inside: tuple[str, ...] = (), line: int | None = None
) -> Any:
    """`values` as the model has them. Raises AnnotationError naming the place of the first thing that is wrong."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = (*inside, *(str(part) for part in first["loc"]))
        number = line if line is not None else line_of(text, where)
        location = translate("{path}, line {line}", path=path, line=number) if number else str(path)
        raise AnnotationError(f"{location}: {_reason(model, first, where)}") from error


def line_of(text: str, where: Iterable[str]) -> int | None:
    """The line, from 1, on which a TOML file sets the field; that of its table if the field is missing."""
    names = [name for name in where if not name.isdigit()]
    counts = [int(name) for name in where if name.isdigit()]
    table: list[str] = []
    result: int | None = None
    seen = 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[(\[?)([^\[\]]+)\]", line):
            table = [part.strip().strip("\"'") for part in header[2].split(".")]
            seen += bool(header[1])
            if table == names[: len(table)] and (not header[1] or not counts or seen == counts[0] + 1):
                result = number
        elif (key := re.match(r"\s*([\w\"'.-]+)\s*=", line)) and (not counts or not table or seen == counts[0] + 1):
            path = [*table, key[1].strip("\"'")]
            if path == names[: len(path)]:
                return number
    return result


def read_text(path: Path) -> str:
    """Raises AnnotationError for a file that is missing, too large or no text."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AnnotationError(translate("Cannot read {path}: {value}.", path=path, value=error.strerror or error)) from error
    if len(content) > LARGEST_TEXT_FILE:
        raise AnnotationError(
            translate(
                "{path} has {count:,} bytes; at most {largest_text_file:,} are read.",
                path=path,
                count=len(content),
                largest_text_file=LARGEST_TEXT_FILE,
            )
        )
    try:
        return storable(content.decode("utf-8-sig"), f"file {path.name}")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise AnnotationError(
            translate("{path}, line {line}: this is not UTF-8 text; save the file as UTF-8.", path=path, line=line)
        ) from error


def _toml(path: Path, text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise AnnotationError(translate("{file}: this is not TOML: {error}.", file=path, error=error)) from error


def _slides(folder: Path) -> list[str]:
    slides = [read_text(path) for path in sorted(folder.glob("*.md"))]
    if not slides:
        raise AnnotationError(
            translate("{folder} holds no slide; tutorial.slides names a folder with Markdown files (*.md).", folder=folder)
        )
    return slides


def _questions(path: Path, draw: int) -> tuple[QuizQuestion, ...]:
    text = read_text(path)
    questions: tuple[QuizQuestion, ...] = checked(_QuizFile, _toml(path, text), path, text).question
    if len(questions) < draw:
        raise AnnotationError(
            translate(
                "{path} holds {count} questions, but quiz.draw asks for {draw}.", path=path, count=len(questions), draw=draw
            )
        )
    return questions


def _reason(model: type[Any], error: Any, where: tuple[str, ...]) -> str:
    name, reason = ".".join(where), str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        known = ", ".join(_known(model, error["loc"][:-1]))
        return translate("there is no {name}. Known here: {known}.", name=name, known=known)
    if error["type"] == "missing":
        return translate("{name} is missing.", name=name)
    if not name:
        return f"{reason}."
    reason = f"{reason[:1].lower()}{reason[1:]}"
    if isinstance(error["input"], dict) or error["type"] == "value_error":
        return f"{name}: {reason}."
    return translate("{name} cannot be {value}: {reason}.", name=name, value=f"{error['input']!r:.80}", reason=reason)


def _known(model: Any, path: Iterable[Any]) -> list[str]:
    for part in path:
        if part not in getattr(model, "model_fields", {}):
            continue
        annotation = model.model_fields[part].annotation
        inner = [each for each in (annotation, *getattr(annotation, "__args__", ())) if hasattr(each, "model_fields")]
        model = inner[0] if inner else model
    return list(getattr(model, "model_fields", {}))
