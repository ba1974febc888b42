"""Reading template files: what a line may hold, and what is said of a bad one."""

from pathlib import Path

import pytest

from backend.errors import DatasetError
from tests.ttm.parsers.templates.conftest import LINES
from ttm.parsers.templates import UtteranceTemplate, read_templates
from ttm.parsers.templates.template import WILDCARDS, Wildcard, filter_clauses, read_lines


def test_comments_and_blank_lines_are_skipped_and_lines_are_counted_as_an_editor_does(
    templates: list[UtteranceTemplate],
) -> None:
    first, second, third = templates[:3]
    assert (first.where, second.where, third.where) == ("own.tsv:2", "own.tsv:3", "own.tsv:5")
    assert first.parse == "filter {num} greater than {val} and countdata"
    assert {slot.kind for template in templates for slot in template.slots} >= set(WILDCARDS) - {"lateday", "olderyears"}


def test_a_form_is_no_other_wildcard(templates: list[UtteranceTemplate]) -> None:
    third = templates[2]
    assert set(third.slots) == {Wildcard("num"), Wildcard("val"), Wildcard("num", 2), Wildcard("val", 2)}
    assert third.owner(Wildcard("val", 2)) == Wildcard("num", 2)


def test_a_second_value_belongs_to_the_only_feature_there_is() -> None:
    (template,) = read_lines(["{cat} {catval} or {catval2}\tfilter {cat} {catval} or filter {cat} {catval2}"], "own.tsv")
    assert template.owner(Wildcard("catval", 2)) == Wildcard("cat")


BAD = {
    "one side only": "is an utterance, one tab and a parse; not 'one side only'",
    "three\tparts\there": "one tab",
    "\tpredict": "one tab",
    "what of {nothing}\tpredict": r"no wildcard \{nothing\}; known are num, age, cat",
    "what of {num:latin} and {val:latin}\tfilter {num} greater than {val}": "num is no number",
    "over {val:latin} {num}\tfilter {num} greater than {val}": "the form 'latin'; known are digits, comma, words",
    "what of {num\tstatistic {num}": "a brace without its partner",
    "what of it\tstatistic {num}": r"\{num\} stands in the parse, but not in the utterance",
    "what of {num}\tpredict": r"\{num\} stands in the utterance, but not in the parse",
    "over {val}\tfilter greater than {val}": r"\{val\} is a value of \{num\}, which is missing",
    "over {val}\tfilter {num} greater than {val}": r"\{num\} stands in the parse, but not",
    "in them\tfilter {age} less than {nextdecade}": r"\{age\} stands in the parse, but not",
    "the {count} highest\thighest {count} {age}": r"\{age\} stands in the parse, but not",
    "by {delta} years\tchange {age} increase {delta}": r"\{age\} stands in the parse, but not",
    "{delta} older\tchange age increase {delta}": r"\{delta\} is a value of \{num\} or \{age\}, which is missing",
    "become {goal}\texplain cfe": r"\{goal\} stands in the utterance, but not",
    "show {entities}\tshow {entities}": r"\{entities\} cannot stand in a parse",
    "likely {positive}\texplain cfe {positive}": r"\{positive\} cannot stand in a parse",
    "over {val} {num}\tfilter {num} greater than {val:words}": r"\{val:words\} cannot stand in a parse",
    "predict\tpredict [e]": "leave that out",
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_line_is_told_with_file_line_and_what_would_be_valid(line: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(f"# comment\n\nhello\tself\n{line}\n", "utf-8")
    with pytest.raises(DatasetError, match=rf"^mine\.tsv, line 4: .*{BAD[line]}"):
        read_templates(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"Cannot read .*absent\.tsv"):
        read_templates(tmp_path / "absent.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"caf\xe9\tpredict\n")
    with pytest.raises(DatasetError, match=r"Cannot read .*latin\.tsv"):
        read_templates(tmp_path / "latin.tsv")


def test_every_filter_clause_is_made_of_filters_only() -> None:
    assert len({clause.utterance for clause in filter_clauses()}) == len(filter_clauses()) >= 50
    for clause in filter_clauses():
        assert clause.parse.startswith("filter ")
        assert all(part.startswith("filter ") for part in clause.parse.replace(" or ", " and ").split(" and "))


def test_the_example_lines_stay_readable() -> None:
    assert len(list(read_lines(LINES.splitlines(), "own.tsv"))) == 23
