"""What stands beside f is judged as f is, so that a list which knows nothing of the question is seen to score as well."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.models.language_models import ScriptedModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.method.keywords import any_inside, bare
from faithfulness.method.prompting import Continuation
from faithfulness.method.regions import Span, candidate_regions, word_groups, words
from faithfulness.method.sample import Sample
from faithfulness.method.score import FREQUENT_WORDS, KeywordJudge, RegionEvidence, capitals_and_numbers, faithfulness
from faithfulness.reports.outcomes import SampleOutcome, outcome_of
from faithfulness.reports.summary import summarise
from faithfulness.reports.tables import ROWS
from faithfulness.runs.rows import Row
from faithfulness.ui.render_sample import summary_html


def evidence_of(passage: str, region: int, *groups: int) -> RegionEvidence:
    chosen = candidate_regions(passage)[region]
    parts = word_groups(passage, chosen)
    return RegionEvidence(chosen, tuple(parts[number] for number in groups))


def test_where_every_word_is_the_same_chance_is_as_good_as_any_keyword() -> None:
    """Counting only the place that is drawn, it would be far below."""
    passage = " ".join(["lake"] * 15)
    score = faithfulness(passage, [evidence_of(passage, 1, 2)], ["lake"])
    assert score is not None
    assert score.f == score.by_chance == 1


@given(st.lists(st.sampled_from("a b c d e".split()), min_size=6, max_size=24).map(" ".join), st.integers(0, 9))
def test_a_model_that_names_random_words_is_at_chance(passage: str, seed: int) -> None:
    evidence = [evidence_of(passage, 1, 0)]
    judge, tokens, generator = KeywordJudge(passage, evidence), words(passage), random.Random(seed)
    named = [judge.f([generator.choice(tokens).of(passage)]) for _ in range(400)]
    score = faithfulness(passage, evidence, ["a"], seed)
    assert score is not None
    # Means of 400 and of 200 draws of values between 0 and 1: six standard errors at the most.
    assert score.by_chance == pytest.approx(sum(named) / 400, abs=6 * 0.5 * (1 / 400 + 1 / 200) ** 0.5)


@given(st.lists(st.sampled_from('Lake "Lake Lake. lake, in 1965 (1965)'.split()), min_size=3, max_size=20).map(" ".join))
def test_a_run_of_the_passage_is_found_where_it_was_drawn(passage: str) -> None:
    for token in words(passage):
        assert any_inside([bare(token.of(passage))], passage, token)


@given(
    st.lists(st.sampled_from("a b c d e f".split()), min_size=1, max_size=24).map(" ".join),
    st.lists(st.sampled_from(["a", "b c", "f", "zz"]), max_size=4),
    st.data(),
)
def test_the_judge_scores_as_the_definition_does(passage: str, keywords: list[str], data: st.DataObject) -> None:
    evidence = [
        RegionEvidence(region, tuple(group for group in word_groups(passage, region) if data.draw(st.booleans())))
        for region in candidate_regions(passage)
    ]
    eligible = [each for each in evidence if each.necessary]
    if not eligible:
        return

    def holds(span: Span) -> bool:
        return any(any_inside([keyword], passage, span) for keyword in keywords)

    f = [(holds(each.region) + sum(map(holds, each.necessary)) / len(each.necessary)) / 2 for each in eligible]
    assert KeywordJudge(passage, evidence).f(keywords) == pytest.approx(max(f))


def test_capitals_and_numbers_are_those_of_the_passage() -> None:
    passage = 'The Watts riots, "Sometimes" in 11-16 August, the 3rd (Los Angeles) or los angeles.'
    assert capitals_and_numbers(passage) == ("The", "Watts", "Sometimes", "11-16", "August", "3rd", "Los", "Angeles")


PASSAGE = (
    "The tower of the town stands in a park and a garden. The river Zubro of the north ends in the lake and a fen today. "
    "A mill of the valley stands in the hills and a wood."
)


def outcome(keywords: str) -> SampleOutcome:
    """Of a model that needs "Zubro" and "fen", and names these keywords."""

    def answer(prompt: str) -> str:
        last = prompt.rsplit("\n\n", 1)[1]
        return f" {'a fen' if 'Zubro of' in last and 'fen today' in last else 'the sea'}\nKeywords: {keywords}"

    sample = Sample("where does the zubro end", PASSAGE, ("a fen",))
    *_, report = explain(sample, ScriptedModel(answer), Continuation(), Metric(), Plan())
    assert "the, of, in, a, and</dt>" in summary_html(report)
    return outcome_of(Row(1, keywords, sample), report)


def test_a_model_that_games_f_stands_beside_the_list_that_it_names() -> None:
    gamed, honest = outcome(", ".join(FREQUENT_WORDS)), outcome("Zubro, fen")
    assert gamed.f == gamed.f_frequent_words == honest.f_frequent_words
    assert gamed.f is not None
    assert gamed.f > 0.7  # though it knows nothing of the question
    assert honest.f_capitals is not None
    summary = summarise([gamed, honest])
    assert summary.F_frequent_words == gamed.f
    shown = {label: cell(summary) for label, cell in ROWS.items()}
    assert shown["F of a constant list: the, of, in, a, and"] == f"{gamed.f:.3f}"
    assert shown["F of all capitalised words and numbers"] == f"{honest.f_capitals:.3f}"
