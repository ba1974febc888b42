"""The screens of workers and leads in other languages: whole catalogues, and no sentence beside them."""

import ast
import re
import shutil
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from sqlalchemy import select

import annotation
from annotation.studies.beginning.sandbox import Sandbox
from annotation.studies.beginning.study_drafts import template
from annotation.studies.callers import Caller, Role
from annotation.studies.data_manager.answer_list import AnswerSearch, list_answers
from annotation.studies.data_manager.bulk_review import review_matching
from annotation.studies.labels.adjudication import decide_labels
from annotation.studies.labels.item_labels import disagreements
from annotation.studies.people.recruited import sign_in_recruited
from annotation.studies.people.sessions import begin_session
from annotation.studies.plan import StudyFile
from annotation.studies.refusals import CallRefusedError
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import EXAMPLE, Study, open_study
from annotation.studies.tables import study_items, study_workers
from annotation.studies.work.answers import edit, flag, submit
from annotation.studies.work.bonuses import give_bonus
from annotation.studies.work.grading import LeadVerdict, decide_trial, review, review_queue
from annotation.studies.work.leases import next_item
from annotation.studies.work.own_work import own_answers
from annotation.studies.work.qualification import agree, draw_quiz, see_slide, submit_quiz
from annotation.studies.work.quality_rules import hold
from annotation.studies.work.taking_back import end_and_take_back
from annotation.studies.work.withdrawal import withdraw
from annotation.ui import endpoints
from annotation.web import pages, sign_in
from annotation.words import catalogue
from annotation.words.catalogue import LANGUAGES, speaking, translate
from backend.storage.database import Database
from tests.annotation.studies.small_studies import (
    HandClock,
    hand_in,
    join,
    json_lines,
    ratings,
    right_answers,
    write_study,
)

ROOM = Path(annotation.__file__).parent
OTHERS = [language for language in LANGUAGES if language != "en"]
BEGIN, END = "⟦", "⟧"
CALLS = ("translate", "to_translate", "translate_all", "translate_count")
NOT_OURS = {"study-typed", "study-prose", "study-code"}  # texts of the study, and what people wrote
# What is read where people type in a study and its items; what only a terminal prints is English.
OF_FILES = ("studies/plan.py", "studies/item_files.py", "studies/picture_files.py", "studies/beginning/study_drafts.py",
            "studies/beginning/quiz_text.py", "studies/beginning/moved_items.py", "studies/people/workers.py",
            "studies/files/approvals.py", "studies/recruiting.py", "studies/quality/rules.py", "tasks/custom.py",
            "tasks/custom_settings.py", "tasks/task_type.py", "tasks/user_study.py")  # fmt: skip


def _calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield from (str(each.value) for each in node.args if isinstance(each, ast.Constant) and each.value)


@lru_cache(maxsize=1)
def _in_code() -> dict[str, set[str]]:
    written = {sentence for path in ROOM.rglob("*.py") for sentence in _calls(path)}
    written |= {one for path in ROOM.rglob("*.jinja") for one in re.findall(r'translate\("([^"]+)"', path.read_text("utf-8"))}
    scripts = {one for path in ROOM.rglob("*.js") for one in re.findall(r'translate\("([^"]+)"', path.read_text("utf-8"))}
    return {"pages": written, "scripts": scripts}


def _filled_in(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("table", ["pages", "scripts"])
def test_a_catalogue_has_each_sentence_of_the_code_and_no_other(language: str, table: str) -> None:
    words = catalogue.catalogue(language, table)
    assert set(words) == _in_code()[table]
    for sentence, translated in words.items():
        assert translated.strip()
        assert _filled_in(sentence) == _filled_in(translated), sentence
        assert sentence.count("“{") == translated.count("“{"), sentence  # the browser finds fields by them
        assert re.findall(r"\[[^\]]\]", sentence) == re.findall(r"\[[^\]]\]", translated), sentence  # keys
        assert not set("<>&") & set(translated)
    assert sum(words[each] != each for each in words) > 0.95 * len(words)


def test_scripts_hold_no_sentence_that_is_not_looked_up() -> None:
    for path in (ROOM / "web").glob("*.js"):
        code = re.sub(r"^\s*//.*$|\s//\s.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
        bare = re.sub(r'translate\("[^"]+"', "", code)
        sentences = [one for one in re.findall(r'["`]([^"`\n]*)["`]', bare) if re.search(r"[A-Z][a-z]+ [a-z]+ [a-z]+", one)]
        assert sentences == [], path.name


def _messages(path: Path, errors: tuple[str, ...], position: int) -> Iterator[str]:
    """What errors of these names say that is not looked up: a sentence, or an f-string with words of its own."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in errors
            and len(node.args) > position
        ):
            message = node.args[position]
            pieces = message.values if isinstance(message, ast.JoinedStr) else [message]
            words = "".join(str(piece.value) for piece in pieces if isinstance(piece, ast.Constant))
            if re.search("[a-z]{2,} [a-z]{2,}", words):
                yield words


def test_what_anybody_is_refused_is_looked_up() -> None:
    bare = {path.name: list(_messages(path, ("CallRefusedError",), 1)) for path in ROOM.rglob("*.py")}
    assert {name: found for name, found in bare.items() if found} == {}


@pytest.mark.parametrize("name", OF_FILES)
def test_what_is_wrong_with_a_study_that_is_made_is_looked_up(name: str) -> None:
    assert list(_messages(ROOM / name, ("AnnotationError", "ValueError"), 0)) == []


class _Words(HTMLParser):
    """The words of a page that are neither of the study nor in brackets of the made-up language."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[bool] = []
        self.said = 0
        self.beside: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        for name in ("aria-label", "placeholder", "title"):
            if named.get(name):
                self._look(str(named[name]))
        if tag not in ("input", "br", "hr", "img"):
            skipped = tag in ("time", "kbd", "code", "svg", "dl", "textarea") or bool(
                NOT_OURS & set((named.get("class") or "").split())
            )
            self.open.append(skipped or bool(self.open and self.open[-1]))

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not (self.open and self.open[-1]):
            self._look(data)

    def _look(self, text: str) -> None:
        self.said += text.count(BEGIN) + text.count(END)
        if BEGIN not in text and END not in text and re.search("[A-Za-z]{2}", text):
            self.beside.append(text.strip())


def _beside(html: str, known: set[str]) -> list[str]:
    """Brackets may be closed in another element, so depth is counted over the whole page."""
    flat = re.sub(rf"{BEGIN}[^{BEGIN}{END}]*{END}", f"{BEGIN}{END}", html)
    flat = re.sub(rf"{BEGIN}[^{BEGIN}{END}]*({BEGIN}{END}[^{BEGIN}{END}]*)*{END}", f"{BEGIN}{END}", flat)
    read = _Words()
    read.feed(flat)
    assert read.said > 1, "the page says nothing"
    return [text for text in read.beside if text not in known]


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language in which each sentence stands in brackets."""
    languages: Mapping[str, str] = {**LANGUAGES, "xx": "Made up"}
    monkeypatch.setattr("annotation.studies.plan.LANGUAGES", languages)
    before = catalogue.catalogue

    def bracketed(language: str, table: str) -> Mapping[str, str]:
        return {each: f"{BEGIN}{each}{END}" for each in _in_code()[table]} if language == "xx" else before(language, table)

    monkeypatch.setattr(catalogue, "catalogue", bracketed)
    with speaking("xx"):
        yield


def _page(study: Study, caller: Caller, name: str, **asked: Any) -> list[str]:
    html = re.sub(r"[\d,]+\.\d\d EUR", "", pages.page(study, caller, {"page": name, **asked})["html"])
    return _beside(html, {study.plan.file.title, *_names(study)} | NAMES)


# What is called the same in every language: people, platforms, files, levels of measurement, words of the study's file.
NAMES = {"Ann", "Ben", "Cleo", "Dan", "Lena", "mturk:W1", "Mechanical Turk", "rating", "nominal", "ordinal", "careful", "odd",
         "rating:", "original", "rewrite", "parse", "dataset", *(f"How old is {n}?" for n in range(4)),
         *(f"What age has {n}?" for n in range(4))}  # fmt: skip


def _names(study: Study) -> list[str]:
    """Pseudonyms and keys of items."""
    with study.database.reading() as connection:
        people = connection.execute(select(study_workers.c.pseudonym)).scalars()
        return [*people, *connection.execute(select(study_items.c.key)).scalars()]


@pytest.mark.slow
def test_no_page_of_a_worker_has_a_sentence_of_its_own(
    database: Database, tmp_path: Path, clock: HandClock, made_up: None
) -> None:
    folder = tmp_path / "steps"
    shutil.copytree(EXAMPLE, folder)
    text = (folder / "study.toml").read_text("utf-8")
    (folder / "study.toml").write_text('language = "xx"\n' + text, "utf-8")
    study = open_study(database, folder, clock)
    worker, lead = join(study, "Ann"), join(study, "Lena", Role.LEAD)
    assert _beside(sign_in.door(OpenStudies(database))["html"], {study.plan.file.title}) == []
    left: list[str] = _page(study, worker, "work")
    agree(study, worker)
    left += _page(study, worker, "work")
    for number in range(1, len(study.plan.slides) + 1):
        see_slide(study, worker, number)
    left += _page(study, worker, "work")
    sheet = draw_quiz(study, worker)
    submit_quiz(study, worker, sheet.attempt, dict.fromkeys(range(1, 9), "?") | {
        number: next(option for option in each.options) for number, each in enumerate(sheet.questions, 1)
    })  # fmt: skip
    left += _page(study, worker, "work")
    clock.turn(11)
    sheet = draw_quiz(study, worker)
    submit_quiz(study, worker, sheet.attempt, right_answers(study, sheet.questions))
    for number in range(3):
        given = next_item(study, worker)
        left += _page(study, worker, "work")
        hand_in(study, worker, given, number, f"s{number}")
    left += _page(study, worker, "work")  # waits
    for work in review_queue(study, lead):
        review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED, "Well said.")
    decide_trial(study, lead, worker.worker, True, "Good.")
    hand_in(study, worker, next_item(study, worker), 9, "s9")
    for name in ("work", "tutorial", "mine", "earned"):
        left += _page(study, worker, name)
    key = own_answers(study, worker)[0].key
    left += _page(study, worker, "edit", key=key)
    left += _page(study, worker, "history", key=key)
    assert left == []


def test_the_pages_on_which_a_study_is_made_have_no_sentence_of_their_own(
    database: Database, tmp_path: Path, clock: HandClock, made_up: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.web.making.pages.LANGUAGES", {**LANGUAGES, "xx": "Made up"})
    shelf = OpenStudies(database, clock, home=tmp_path, sandbox=Sandbox(clock))
    made = {name: endpoints._before(shelf, call) for name, call in endpoints.BEFORE_A_STUDY.items()}
    own = {*LANGUAGES.values(), "Reading charts", "pie.png", "A", "B", "C", "D", "bars.png, pie.png", "1: hard", "5: easy"}
    page = made["study_making"]({"language": "xx", "template": "pictures"})
    assert _beside(page["html"], own) == []
    draft = template("pictures")
    typed = {"toml": draft.toml.replace('"en"', '"xx"'), "items": draft.items, "instructions": "", "pictures": page["pictures"]}
    typed |= {"consent": "?", "slides": "?", "quiz": "?\n* !\n- !!", "language": "xx"}
    shown = made["study_preview"](typed)
    assert shown["message"].startswith(BEGIN), shown
    assert _beside(shown["html"], own) == []
    for wrong in ({"toml": "x"}, {"items": "{}"}, {"quiz": "*"}, {"ending": ".exe"}, {"pictures": {"x": "y"}}, {"name": "?"}):
        refused = made["study_make"]({"name": "fine"} | typed | wrong)
        assert (refused["ok"], BEGIN in refused["message"]) == (False, True), refused


CONTENTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "similarity_rating": ("", {"original": "How old is 0?", "rewrite": "What age has 0?", "parse": "filter id 0 [e]"}),
    "utterance_rewriting": ("", {"utterance": "How old is 0?"}),
    "accuracy_check": ("", {"template": "How old is 0?", "rephrased": "What age has 0?"}),
    "evidence_highlighting": ("", {"question": "Who painted it?", "context": "It was painted by him."}),
    "custom": ('[[settings.part]]\nkind = "write"\nname = "x"\ntext = "Sag etwas zu {about}"\n', {"about": "Peru"}),
}


@pytest.mark.parametrize("task", CONTENTS)
@pytest.mark.slow
def test_no_task_has_a_sentence_of_its_own(
    database: Database, tmp_path: Path, clock: HandClock, made_up: None, task: str
) -> None:
    more, item = CONTENTS[task]
    toml = f'title = "T"\ntask = "{task}"\nlanguage = "xx"\nitems = ["items.jsonl"]\n{more}'
    study = open_study(database, write_study(tmp_path / "t", toml, items__jsonl=json_lines([{"id": "i1", **item}])), clock)
    worker = join(study, "Ann")
    assert _page(study, worker, "work") == []
    with pytest.raises(CallRefusedError) as refused:
        submit(study, worker, "i1", {"nothing": 1}, "one")
    assert refused.value.shown.startswith(BEGIN)
    with pytest.raises(CallRefusedError) as refused:
        edit(study, worker, "i1", {}, "two")
    assert refused.value.shown.startswith(BEGIN)


@pytest.mark.slow
def test_no_page_of_a_lead_has_a_sentence_of_its_own(
    database: Database, tmp_path: Path, clock: HandClock, made_up: None
) -> None:
    """With workers before, in and after the trial, one whose part was ended, disagreements, bonuses and decisions."""
    study = open_study(database, write_study(tmp_path / "leads", LEADS, items__jsonl=ratings(4), trial__jsonl=ratings(1, "t"),
                                             attention__jsonl=ratings(1, "a", known={"rating": 4})), clock)  # fmt: skip
    lead, workers = join(study, "Lena", Role.LEAD), [join(study, name) for name in ("Ann", "Ben", "Cleo", "Dan")]
    recruited = sign_in_recruited(study, "workerId", "W1")
    left = [text for name in pages.OF_LEADS if name not in NEED_MORE for text in _page(study, lead, name)]
    for worker, rating in zip([*workers[:3], recruited], (4, 1, 4, 1), strict=True):
        submit(study, worker, next_item(study, worker).key, {"rating": rating}, "t")
    left += _page(study, lead, "worker", worker=workers[0].worker)
    for work in review_queue(study, lead):
        review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED, "Good.")
    left += _page(study, lead, "review")
    for worker, rating in zip(workers[:2], (4, 1), strict=True):
        decide_trial(study, lead, worker.worker, True, "Good.")
        for number in range(3):
            clock.turn(1)
            key = next_item(study, worker).key
            if number == 0:
                flag(study, worker, key, "odd")
            submit(study, worker, key, {"rating": rating}, f"{number}", insist=True)
    hold(study, lead, workers[0].worker, "a look")
    give_bonus(study, lead, workers[0].worker, "careful", 100)
    end_and_take_back(study, lead, [workers[2].worker], "enough")
    review_matching(study, lead, AnswerSearch(state="waiting", kind="work"), _waiting(study, lead), LeadVerdict.ACCEPTED)
    withdraw(study, lead, "p3", "unclear")
    decide_labels(study, lead, disagreements(study)[0].key, {"rating": 2}, "so")
    for name in pages.OF_LEADS:
        for worker in workers if name == "worker" else workers[:1]:
            left += _page(study, lead, name, **({"worker": worker.worker, "key": "p0"} if name in NEED_MORE else {}))
    assert sorted(set(left)) == []
    calls = {**{name: call for name, call in endpoints.CALLS.items() if call.__module__.startswith("annotation.web.lead.")}}
    assert calls["study_bonus"](study, lead, {"worker": workers[1].worker, "amount": "1", "reason": "x"})["message"][0] == BEGIN
    assert calls["study_let_on"](study, lead, {"worker": workers[0].worker})["message"].startswith(BEGIN)


def _waiting(study: Study, lead: Caller) -> int:
    return list_answers(study, lead, AnswerSearch(state="waiting", kind="work")).count


NEED_MORE = ("worker", "history")
LEADS = """title = "T"
task = "similarity_rating"
language = "xx"
items = ["items.jsonl"]
overlap = 2
[trial]
items = "trial.jsonl"
tasks = 1
[batches]
start = 3
spot_check = 0.5
[attention]
items = "attention.jsonl"
share = 0.5
[payment]
currency = "EUR"
per_task = 0.1
[recruiting]
platform = "mturk"
places = 3
completed = "C"
"""


def test_everybody_is_answered_in_the_language_of_the_study(database: Database, tmp_path: Path, clock: HandClock) -> None:
    toml = 'title = "Bewertungen"\ntask = "similarity_rating"\nlanguage = "de"\nitems = ["items.jsonl"]\n'
    items = json_lines([{"id": "i1", **CONTENTS["similarity_rating"][1]}])
    study = open_study(database, write_study(tmp_path / "de", toml, items__jsonl=items), clock)
    shelf = OpenStudies(database, clock)
    worker = begin_session(study, join(study, "Ann"))
    lead = begin_session(study, join(study, "Lena", Role.LEAD))
    call = endpoints._signed_in(shelf, pages.page)
    page = call(worker, {"page": "work"})
    assert (page["language"], page["words"]["saved"]) == ("de", "gespeichert")
    assert "Bedeuten beide dasselbe?" in page["html"]
    assert "Abgeben" in page["html"]
    shown = call(lead, {"page": "items"})
    assert (shown["language"], "Zurückgezogene" in shown["html"]) == ("de", True)
    assert "Sie sind nicht oder nicht mehr angemeldet" in call("wrong", {})["message"]
    assert "Anmelden" in endpoints._door(shelf)()["html"]
    assert translate("Hand in") == "Hand in"


def test_a_language_without_screens_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"no screens in 'fr'; there are en .English., de .Deutsch., es .Español."):
        StudyFile.model_validate({"title": "T", "task": "custom", "language": "fr"})
