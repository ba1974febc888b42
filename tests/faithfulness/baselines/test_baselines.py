"""Baselines against answers whose dependence on words is known."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.models.language_models import ScriptedModel
from faithfulness.baselines.ablation import Ablation, BudgetSpent
from faithfulness.baselines.baseline_run import run_baselines
from faithfulness.baselines.compare import compare, explained
from faithfulness.baselines.methods import METHODS, named_words
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.method.prompting import Continuation
from faithfulness.method.sample import Sample
from faithfulness.method.score import KeywordJudge
from faithfulness.reports.page import report_html
from faithfulness.reports.tables import markdown_report, tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.run import RunSpecification, run_study
from tests.faithfulness.planted import reply_to, write_rows

PASSAGE = "Alpha beta gamma delta epsilon. The river Zubro ends in Lake Quill today. Eta theta iota kappa lambda."
WORDS = PASSAGE.split()
NEEDED = {WORDS.index("Lake"), WORDS.index("Quill")}


def needs_both(text: str) -> bool:
    return "Lake" in text.split() and "Quill" in text.split()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what lime, shap and their libraries say while they are imported
@pytest.mark.parametrize("name", METHODS)
def test_with_calls_enough_every_baseline_finds_the_words(name: str) -> None:
    ablation = Ablation(PASSAGE, needs_both, 600)
    weights = METHODS[name](ablation, 0)
    chosen = set(named_words(ablation, weights, 2, 0))
    if name == "leave one sentence out":
        sentence = set(range(5, 13))
        assert {place for place, weight in enumerate(weights) if weight > 0} == sentence
    else:
        assert chosen == NEEDED


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("budget", [0, 1, 3, 18])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.slow
def test_no_baseline_asks_more_than_it_may(name: str, budget: int) -> None:
    asked: list[str] = []

    def right(text: str) -> bool:
        asked.append(text)
        return needs_both(text)

    weights = METHODS[name](Ablation(PASSAGE, right, budget), 0)
    assert len(weights) == len(WORDS)
    assert np.isfinite(weights).all()
    assert len(asked) <= budget
    assert len(set(asked)) == len(asked)


@given(st.lists(st.booleans(), min_size=len(WORDS), max_size=len(WORDS)))
def test_masked_text_keeps_the_kept_words_and_has_one_mask_a_run(keep: list[bool]) -> None:
    text = Ablation(PASSAGE, needs_both, 0).text(np.array(keep))
    expected: list[str] = []
    for word, kept in zip(WORDS, keep, strict=True):
        if kept:
            expected.append(word)
        elif not expected or expected[-1] != "_":
            expected.append("_")
    assert text.split() == expected


def test_a_spent_budget_is_said_and_the_whole_passage_is_free() -> None:
    ablation = Ablation(PASSAGE, needs_both, 0)
    assert ablation.value(np.ones(len(WORDS), dtype=bool)) == 1
    with pytest.raises(BudgetSpent):
        ablation.value(np.zeros(len(WORDS), dtype=bool))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_comparison_pays_as_many_calls_and_names_as_many_words() -> None:
    def answer(prompt: str) -> str:
        last = prompt.rsplit("\n\n", 1)[1]
        return f" {'Lake Quill' if needs_both(last.replace('.', ' ')) else 'the sea'}\nKeywords: Lake Quill"

    sample = Sample("where does the zubro end", PASSAGE, ("Lake Quill",))
    report = list(explain(sample, ScriptedModel(answer), Continuation(), Metric(), Plan()))[-1]
    assert explained(report)
    outcomes, own = compare("1", "p", report, ScriptedModel(answer), Continuation(), Metric())
    assert [each.method for each in outcomes] == list(METHODS)
    for each in outcomes:
        assert each.calls <= 3 + 5
        assert each.words == 2
        assert each.f is not None
        assert 0 <= each.f <= 1
    assert own.sufficient
    assert own.comprehensive


def test_as_many_different_words_are_named_as_are_asked_for() -> None:
    ablation = Ablation("the Lake the Lake, – Quill.", needs_both, 0)
    heaviest = np.array([0.1, 0.9, 0.2, 0.8, 1.0, 0.3])
    assert named_words(ablation, heaviest, 1, 0) == [1]  # a dash alone is no keyword
    assert named_words(ablation, heaviest, 2, 0) == [1, 5]  # the second "Lake" is the first again
    assert named_words(ablation, heaviest, 9, 0) == [1, 2, 5]


def test_a_baseline_that_has_found_nothing_names_words_by_a_draw() -> None:
    ablation = Ablation(PASSAGE, lambda text: True, 8)
    weights = METHODS["leave one word out"](ablation, 0)
    assert not weights.any()
    drawn = {tuple(named_words(ablation, weights, 3, seed)) for seed in range(20)}
    assert {len(each) for each in drawn} == {3}
    assert len(drawn) > 10


@pytest.mark.filterwarnings("ignore")
def test_a_baseline_that_names_the_words_of_the_model_scores_as_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words stand twice; only the second time in the sufficient region."""
    passage = "Lake Quill is not here. The river Zubro ends in Lake Quill today. Eta theta iota kappa lambda."

    def answer(prompt: str) -> str:
        last = prompt.rsplit("\n\n", 1)[1]
        return f" {'Lake Quill' if 'Zubro ends' in last and 'Quill today' in last else 'the sea'}\nKeywords: Lake Quill"

    sample = Sample("where does the zubro end", passage, ("Lake Quill",))
    report = list(explain(sample, ScriptedModel(answer), Continuation(), Metric(), Plan()))[-1]
    assert report.score is not None
    named = np.array([float(word in ("Lake", "Quill")) for word in passage.split()])
    monkeypatch.setitem(METHODS, "the model's own", lambda ablation, seed: named)
    (outcome,), _ = compare("1", "p", report, ScriptedModel(answer), Continuation(), Metric(), ["the model's own"])
    assert outcome.agrees == 1
    assert outcome.f == KeywordJudge(passage, report.evidence).f(["Lake", "Quill"])
    assert outcome.f > report.score.f == 0.5  # a cut between groups runs through the keyword, and through neither word


def test_baselines_that_were_run_one_by_one_stand_side_by_side(tmp_path: Path) -> None:
    """The report counts the samples that were compared, whichever baseline was run first."""
    write_rows(tmp_path / "rows.jsonl", 3)
    profile = profile_of("planted", "http://127.0.0.1:1/v1", protocol="continuation")
    model = ScriptedModel(lambda prompt: str(reply_to(prompt)["choices"][0]["text"]), "planted")
    folder = RunFolder(tmp_path / "out")
    for _ in run_study(RunSpecification(str(tmp_path / "rows.jsonl"), (profile,), Plan()), folder,
                       open_model=lambda profile: model, metric=Metric()):  # fmt: skip
        pass
    for method in ("leave one sentence out", "leave one word out"):
        assert list(run_baselines(folder, [method], lambda profile: model, Metric()))[-1] == ("planted", 3, 3)
        tables = tables_of(folder)
        assert "planted, 3 explained samples, as many words and calls for each:" in markdown_report(tables)
        assert "3 explained samples" in report_html(tables)
    assert [row.method for row in tables.baselines["planted"]] == ["leave one word out", "leave one sentence out"]
    asked = len(model.prompts)
    list(run_baselines(folder, ["leave one sentence out", "leave one word out"], lambda profile: model, Metric()))
    assert len(model.prompts) == asked
