"""Forms of all task types: every text is shown as it is, none becomes markup, and fields hold what was typed."""

import html
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasks.task_type import ItemPart
from annotation.tasks.task_types import TASK_TYPES
from annotation.web.forms import FORMS
from annotation.web.forms.answers_read import answer_html
from annotation.web.forms.fields import ItemForm, marked_text
from annotation.web.prose import prose

NASTY = '<script>alert(1)</script><img src=x onerror="alert(1)"> &amp; "quoted" שלום 😀'
SPARQL = "SELECT DISTINCT ?x WHERE { ns:m.1 ns:location.country.capital ?x . }"
CONTENTS: dict[str, dict[str, Any]] = {
    "accuracy_check": {"template": NASTY, "rephrased": NASTY + "2", "question": NASTY},
    "custom": {"text": NASTY, "a": NASTY, "b": "b", "rows": [{NASTY: NASTY}], "address": "javascript:alert(1)"},
    "evidence_highlighting": {"question": NASTY, "context": f"{NASTY} and\nmore", "answer": NASTY},
    "inspired_dialogue": {"question": NASTY, "gold": SPARQL, "predicted": SPARQL, "names": {"m.1": NASTY},
                          "gold_answers": [[NASTY]], "predicted_answers": [[NASTY]]},
    "similarity_rating": {"original": NASTY, "rewrite": NASTY},
    "user_study": {"block": "a", "question": NASTY, "options": [NASTY, "b"], "correct": "b"},
    "utterance_rewriting": {"utterance": NASTY, "entities": [NASTY]},
}  # fmt: skip
OPTIONS = [NASTY, "b"]
CUSTOM = {"part": [
    {"kind": "show", "text": "{text}"}, {"kind": "table", "text": NASTY, "column": "rows"},
    {"kind": "link", "text": NASTY, "column": "address"},
    {"kind": "pair", "name": "pair", "text": NASTY, "columns": ["a", "b"], "options": OPTIONS},
    {"kind": "several", "name": "several", "text": NASTY, "options": OPTIONS},
    {"kind": "rank", "name": "rank", "text": NASTY, "options": OPTIONS},
    {"kind": "slider", "name": "slider", "text": NASTY, "ends": OPTIONS},
    {"kind": "mark", "name": "mark", "column": "text"}, {"kind": "write", "name": "write", "text": NASTY},
]}  # fmt: skip
USER_STUDY = {"interfaces": [{"name": NASTY, "tutorial": NASTY}, {"name": "b"}], "comparisons": [], "statements": [NASTY]}


class _Read(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(str(page))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def _parts(name: str) -> tuple[ItemPart, ...]:
    task = TASK_TYPES[name]
    settings = task.settings.model_validate({"user_study": USER_STUDY, "custom": CUSTOM}.get(name, {}))
    return task.parts(task.content.model_validate(CONTENTS[name]), settings, {"interface": NASTY, "number": 1})


def test_every_task_type_has_a_form() -> None:
    assert set(FORMS) == set(TASK_TYPES) == set(CONTENTS)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_asks_for_every_part_and_runs_nothing(name: str) -> None:
    parts = _parts(name)
    page = FORMS[name](ItemForm(parts))
    found = _Read(page)
    assert not found.tags & {"script", "img"}
    assert NASTY in found.text
    assert 'href="javascript' not in page
    assert all(page.count(f'data-field="{part.name}"') == 1 for part in parts if part.name)


@given(st.text())
def test_a_box_holds_what_was_typed(text: str) -> None:
    part = ItemPart("write", NASTY, "words", source=NASTY)
    [box] = _boxes(FORMS["utterance_rewriting"](ItemForm((part,), {"words": text}, {"words": 3})))
    assert box == f"\n{text}"  # browsers drop the first line break behind the tag


def _boxes(page: str) -> list[str]:
    """What stands between the tags of text areas, unescaped."""
    return [html.unescape(each) for each in re.findall(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)]


@given(st.text(max_size=40), st.text(max_size=40))
def test_an_answer_is_read_as_it_was_written(before: str, after: str) -> None:
    part = ItemPart("write", "Say it", "words")
    found = _Read(answer_html((part,), {"words": before}, {"words": after}))
    assert before in found.text
    assert after in found.text
    assert ("del" in found.tags) == (before != after)


def test_what_is_not_asked_for_is_not_read() -> None:
    parts = (
        ItemPart("choose", "Right?", "right", options=("yes", "no")),
        ItemPart("write", "Why not?", "why", when=("right", "no")),
    )
    assert "Why not?" not in answer_html(parts, {"right": "yes"})
    assert "Why not?" in answer_html(parts, {"right": "no", "why": "so"})


def test_marked_words_stand_in_their_passage() -> None:
    part = ItemPart("mark", "a <b> a  c", "evidence", tokens=("a", "<b>", "a", "c"))
    assert marked_text(part, [[1, 3]]) == '<p class="study-typed" dir="auto">a <mark>&lt;b&gt; a</mark>  c</p>'
    drawn = FORMS["evidence_highlighting"](ItemForm((ItemPart("show", "q"), part), {"evidence": [[1, 3]]}))
    assert [drawn.count(f'aria-checked="{state}"') for state in ("true", "false")] == [2, 2]


def test_html_in_the_markdown_of_a_study_is_text() -> None:
    found = _Read(prose(f"# Hello\n\n{NASTY}\n\n[a](javascript:alert(1))"))
    assert not found.tags & {"script", "img", "a"}
    assert "h1" in found.tags


@pytest.mark.parametrize("embedded", [False, True])
def test_an_interface_opens_by_its_address_and_its_name_becomes_no_markup(embedded: bool) -> None:
    interface = {"name": NASTY, "address": "https://lab.example/?a=1&b=%22", "embedded": embedded}
    settings = TASK_TYPES["user_study"].settings.model_validate(USER_STUDY | {"interfaces": [interface, {"name": "b"}]})
    content = TASK_TYPES["user_study"].content.model_validate(CONTENTS["user_study"])
    parts = TASK_TYPES["user_study"].parts(content, settings, {"interface": NASTY, "number": 1})
    page = FORMS["user_study"](ItemForm(parts))
    read = _Read(page)
    assert {"script", "img"}.isdisjoint(read.tags)
    assert ("iframe" in read.tags) is embedded
    assert 'href="https://lab.example/?a=1&amp;b=%22"' in page
    assert "iframe" not in _Read(answer_html(parts, {"choice": NASTY, "statement_1": 4})).tags


def test_each_of_two_texts_side_by_side_says_which_side_it_is() -> None:
    task = TASK_TYPES["custom"]
    pair = {"kind": "pair", "name": "p", "columns": ["a", "b"], "options": ["die linke", "<die rechte>", "keine"]}
    content = task.content.model_validate({"a": "TEXT A", "b": "TEXT B"})
    parts = task.parts(content, task.settings.model_validate({"part": [pair]}), {"swapped": ["p"]})
    drawn = FORMS["custom"](ItemForm(parts))
    in_order = ["die linke</figcaption>", "TEXT B", "&lt;die rechte&gt;</figcaption>", "TEXT A"]
    assert sorted(in_order, key=drawn.index) == in_order
