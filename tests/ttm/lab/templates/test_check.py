"""The checker finds what is wrong with templates, and finds nothing wrong with those of the project."""

import json
import re
from typing import get_args

import pytest

from ttm.__main__ import main
from ttm.lab.templates import check, command
from ttm.lab.templates.check import TemplateReport, check_templates, duplicates, report_text
from ttm.lab.templates.forms import FORMS, forms, items
from ttm.lab.templates.proving import ProvingGround, grounds, made_up
from ttm.language.grammar import Grammar
from ttm.language.parse import Condition, Operation, Parse, Selection
from ttm.parsers.templates import UtteranceTemplate, load_templates
from ttm.parsers.templates.template import filter_clauses, read_lines
from ttm.tabular.data.schema import FeatureKind


@pytest.fixture(scope="module")
def proving_grounds() -> tuple[ProvingGround, ...]:
    return tuple(grounds())


@pytest.fixture(autouse=True)
def _made_once(monkeypatch: pytest.MonkeyPatch, proving_grounds: tuple[ProvingGround, ...]) -> None:
    """The data sets never change, so all tests here may have the same ones."""
    monkeypatch.setattr(check, "grounds", lambda: proving_grounds)


def lines(*texts: str) -> list[UtteranceTemplate]:
    return list(read_lines(texts, "own.tsv"))


def problems(report: TemplateReport) -> list[str]:
    return [problem.what for problem in report.problems]


# --- the templates of the project ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_projects_templates_are_good() -> None:
    """All are read on all data sets; a sample is carried out here, the rest by `python -m ttm templates check`."""
    report = check_templates(load_templates(), fillings=1, fast=True, most_executed=6)
    assert [str(problem) for problem in report.problems] == []
    assert report.uncovered == []
    assert report.templates >= 1_000
    assert report.carried_out >= 20
    assert min(report.lengths[count] for count in (1, 2, 3, 4)) >= 20
    assert min(report.fitting.values()) > 800


# --- what it finds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("mean of {num}\tstatistics {num}", '"statistics" does not fit at the beginning'),
        ("mean of {num}\tstatistic  {num} and  AND", "AND"),
        ("over {val} {num}\tfilter {num} greater than {val} and", "something is missing"),
        ("who is older than {count}\tfilter age greater than {count}", "does not fit"),
        ("rows with {flag}\tfilter {flag} True", "should be written"),
        ("{quantity} {class}\tlabelfilter less than {quantity} or predictionfilter {class}", "no demo or made-up data set has"),
        ("a threshold of 3 please\tthreshold 3 and predict", "no data set answers it: A decision threshold is a probability"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(line: str, says: str) -> None:
    report = check_templates(lines("hello\tself", line), fast=True, fillings=1)
    (problem,) = report.problems
    assert says.lower() in problem.what.lower()
    assert str(problem).startswith("own.tsv:2: ")
    assert not report.good


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("How old are they?", "how old are they", True),
        ("mean {num}, please!", "Mean {num} please", True),
        ("{val} in {num}", "{val2:words} in {num2}", True),
        ("{num} > {val}", "{num} < {val}", False),
        ("mean {num}", "mean {feature}", False),
        ("why not 5", "why not 6", False),
    ],
)
def test_duplicates_are_the_same_words(one: str, other: str, same: bool) -> None:
    found = duplicates([UtteranceTemplate(one, "self", "a.tsv", 1), UtteranceTemplate(other, "function", "b.tsv", 9)])
    assert [problem.where for problem in found] == ["b.tsv:9"] * same
    assert all("a.tsv:1" in problem.what for problem in found)


def test_the_same_words_with_two_meanings_are_found_after_filling() -> None:
    report = check_templates(lines("{num} stats\tstatistic {num}", "{feature} stats\tdefine {feature}"), execute=False)
    (problem,) = report.problems
    assert re.search(r"is 'define (\w+) \[e\]' here, but 'statistic \1 \[e\]' at own.tsv:1", problem.what)


def test_a_refusal_on_one_data_set_is_none_where_another_answers() -> None:
    """A decision threshold has no meaning for three classes, so `orders` refuses what the demos answer."""
    chosen = lines("accuracy at {chance}\tthreshold {chance} and score accuracy")
    assert ProvingGround("orders", made_up("orders")).why_refused(chosen[0]) is not None
    report = check_templates(chosen)
    assert problems(report) == []
    assert report.carried_out == 4  # not on the quantity


# --- coverage ------------------------------------------------------------------------------------------------------------

FILLED = {"F": "items", "ID": "3", "N": "3", "VALUE": "red", "CMP": "less than", "...": "3"}


def filled(form: str) -> str:
    """A parse of a form, by hand: with words of the made-up data sets."""
    if form in ("or", "versus"):
        return f"filter id 3 {form} filter id 4"
    words = [FILLED.get(word, word) for word in form.split()]
    text = " ".join(words).replace("items items", "items weight")
    text = text.replace("items red", "colour red").replace("items not red", "colour not red")
    return re.sub(r"((label|prediction|probability)filter|class) 3\b", r"\1 1", text)


@pytest.fixture(scope="module")
def grammars() -> list[Grammar]:
    return [ProvingGround(name, made_up(name)).grammar for name in ("orders", "flats")]


def test_the_forms_that_count_are_all_that_the_language_has(grammars: list[Grammar]) -> None:
    """Each form is read by a grammar, and there is none for which no class of the syntax tree is reached."""
    reached: set[type] = set()
    for form in FORMS:
        parses = [parse for grammar in grammars if (parse := _read(grammar, filled(form)))]
        assert parses, form
        for step in (step for parse in parses for step in parse.steps):
            nodes = [c for group in step.groups for part in group for c in part] if isinstance(step, Selection) else [step]
            reached |= {type(node) for node in nodes}
    assert reached >= {*get_args(Operation), *get_args(Condition)}


def _read(grammar: Grammar, text: str) -> Parse | None:
    from backend.errors import ParseError

    try:
        return grammar.read(text)
    except ParseError:
        return None


@pytest.mark.parametrize(
    ("line", "expected", "length"),
    [
        ("{flag} false\tfilter {flag} false and countdata", {"filter F VALUE", "countdata"}, 2),
        ("{cat} {catval}\tfilter {cat} not {catval}", {"filter F not VALUE"}, 1),
        ("{entities} {filter}\t{filter} and show", {"show"}, 2),
        ("{method}\texplain {method}", {"explain lime", "explain shap"}, 1),
        ("{goal}\texplain cfe {goal}", {"explain cfe", "explain cfe class N"}, 1),
        ("{count} {goal}\texplain cfe {count} {goal}", {"explain cfe N", "explain cfe class N"}, 1),
        ("{class}\tpredictionfilter {class} or labelfilter 0", {"predictionfilter N", "labelfilter N", "or"}, 2),
        ("{quantity}\tlabelfilter less equal than {quantity}", {"labelfilter CMP N"}, 1),
        ("{num} {val}\tfilter {num} less than {val} and explain cfe 4", {"filter F less than N", "explain cfe N"}, 2),
        ("{count} {class}\texplain cfe {count} class {class}", {"explain cfe class N"}, 1),
        ("{num} {val}\tinstance {num} {val} and predict", {"instance F ...", "predict"}, 2),
        ("{num} {percent}\tchange {num} decrease {percent} percent", {"change F decrease N percent"}, 1),
        ("{count} {num}\tlowest {count} {num}", {"lowest N F"}, 1),
    ],
)
def test_the_forms_of_a_template(line: str, expected: set[str], length: int) -> None:
    (template,) = lines(line)
    assert forms(template) == expected
    assert forms(template) <= set(FORMS)
    assert len(items(template)) == length


def test_every_form_of_the_projects_templates_counts() -> None:
    """None escapes the table, by being written in a way that it does not know."""
    assert {form for template in (*load_templates(), *filter_clauses()) for form in forms(template)} <= set(FORMS)


def test_what_no_template_covers_is_told() -> None:
    report = check_templates(lines("mean {num}\tstatistic {num}"), execute=False)
    assert "statistic F" not in report.uncovered
    assert {"statistic target", "previousfilter", "versus", "score r2"} <= set(report.uncovered)
    assert not report.good


def test_every_filter_clause_is_read_somewhere(proving_grounds: tuple[ProvingGround, ...]) -> None:
    for clause in filter_clauses():
        found = [(ground, example) for ground in proving_grounds for example in ground.examples(clause, 3)]
        assert found, clause.utterance
        for ground, example in found:
            assert str(ground.grammar.read(example.parse)) == example.parse
    assert duplicates(filter_clauses()) == []


# --- where it is proved --------------------------------------------------------------------------------------------------


def test_the_made_up_data_sets_have_what_the_demos_lack() -> None:
    orders, flats = made_up("orders").schema, made_up("flats").schema
    assert {feature.kind for feature in orders.features} == set(FeatureKind)
    assert len(orders.target.classes) == 3
    assert not flats.target.is_classification
    assert made_up("orders").dataset.frame.isna().to_numpy().any()


# --- the command ---------------------------------------------------------------------------------------------------------


def test_the_command_names_bad_lines_and_ends_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "load_templates", lambda: lines("hello\tself", "Hello!\tself"))
    assert main(["templates", "check", "--no-execute"]) == 2
    told = capsys.readouterr().out
    assert 'own.tsv:2: says the same as "hello" at own.tsv:1' in told
    assert "no template covers: filter id N" in told
    assert main(["templates", "check", "--no-execute", "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert (report["templates"], report["good"], len(report["problems"])) == (2, False, 1)
    assert report["forms"]["self"] == 2


def test_a_good_report_says_so() -> None:
    report = TemplateReport(2, forms={"self": 2}, lengths={1: 2}, fitting={"diabetes": 2})
    assert report.good
    assert report_text(report).endswith("all good")
