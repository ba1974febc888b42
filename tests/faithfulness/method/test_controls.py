"""What stands beside f is judged as f is, so that a list which knows nothing of the question is seen to score as well."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.models.language_models import ScriptedModel
from faithfulness.method.chance import (
    FREQUENT_WORDS,
    capitals_and_numbers,
    question_words,
    random_keywords,
    word_class,
)
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.method.keywords import any_inside, bare
from faithfulness.method.prompting import Continuation
from faithfulness.method.regions import Span, candidate_regions, word_groups, words
from faithfulness.method.sample import Sample
from faithfulness.method.score import KeywordJudge, RegionEvidence, faithfulness
from faithfulness.reports.outcomes import SampleOutcome, outcome_of
from faithfulness.reports.sample_json import control_scores
from faithfulness.reports.summary import summarise
from faithfulness.reports.table_rows import ROWS
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


@given(st.lists(st.sampled_from("b c d e f".split()), min_size=6, max_size=24).map(" ".join), st.integers(0, 9))
def test_a_model_that_names_random_words_is_at_chance(passage: str, seed: int) -> None:
    evidence = [evidence_of(passage, 1, 0)]
    judge, tokens, generator = KeywordJudge(passage, evidence), words(passage), random.Random(seed)
    named = [judge.f([generator.choice(tokens).of(passage)]) for _ in range(400)]
    score = faithfulness(passage, evidence, [tokens[0].of(passage)], seed)
    assert score is not None
    # Means of 400 and of 200 draws of values between 0 and 1: six standard errors at the most.
    assert score.by_chance == pytest.approx(sum(named) / 400, abs=6 * 0.5 * (1 / 400 + 1 / 200) ** 0.5)


TOWN = "In 1912 the river Zubro flooded Quill Town, and 3,400 people left it for the hills of Ombra."


@pytest.mark.parametrize(
    ("keyword", "kind"),
    [("1912", "number"), ("3,400 people", "number"), ("Zubro", "name"), ("Quill Town", "name"), ("flooded", "content"),
     ("the river", "content"), ("for the", "function"), ("In", "function")],
)  # fmt: skip
def test_chance_is_matched_in_number_length_and_class(keyword: str, kind: str) -> None:
    assert word_class(keyword) == kind
    draws = list(random_keywords(TOWN, [keyword, "nowhere in it", keyword]))
    assert len(draws) == 200
    runs = {run for drawn in draws for run in drawn}
    assert {len(drawn) for drawn in draws} == {2}  # a keyword that is not there has no chance either
    assert {len(run.split()) for run in runs} == {len(keyword.split())}
    assert {word_class(run) for run in runs} == {kind}
    assert all(any_inside([run], TOWN, Span(0, len(TOWN))) for run in runs)


def test_by_the_letter_chance_stands_for_the_keywords_that_are_parts_of_the_text() -> None:
    """Part of "started", "art" scores; "ONE", in another case, does not: neither does chance in its stead."""
    passage = "One fine day. Two started arts. Three more."
    assert {len(drawn) for drawn in random_keywords(passage, ["art", "ONE"], literal=True)} == {1}
    assert {len(drawn) for drawn in random_keywords(passage, ["art", "ONE"])} == {1}
    assert next(random_keywords(passage, ["art"], literal=True)) != []
    assert next(random_keywords(passage, ["art"])) == []
    assert next(random_keywords(passage, ["ONE"], literal=True)) == []


def test_words_of_the_question() -> None:
    assert question_words("Which river did the Zubro flow into, in 1912?") == ("river", "Zubro", "flow", "1912")


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
    shown, controls = summary_html(report), control_scores(report)
    assert [f"<dt>{label}</dt>" in shown for label in ("the, of, in, a, and", "the answer as only keyword")] == [True, True]
    assert list(controls) == ["own_answer", "frequent_words", "capitals_and_numbers", "question_words", "all_words"]
    whole = outcome_of(Row(1, keywords, sample), report)
    assert list(controls.values()) == [
        whole.f_own_answer, whole.f_frequent_words, whole.f_capitals, whole.f_question_words, whole.f_all_words,
    ]  # fmt: skip
    return whole


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
    assert shown["F of all words"] == "1.000"
    assert gamed.lift is not None
    assert honest.lift is not None
    assert honest.f_random is not None
    assert honest.lift == pytest.approx((honest.f or 0) - honest.f_random)
    assert gamed.lift < 0.1 < honest.lift  # any five function words hit as much
    assert honest.keywords_necessary == 1
    assert honest.f_nk == pytest.approx(2 / 3)
    assert honest.keywords_f1 == pytest.approx(0.8)
    assert honest.f_per_keyword == (honest.f or 0) / 2


def test_samples_without_regions_to_tell_apart_are_not_in_the_lift() -> None:
    usual = outcome("Zubro, fen")
    trivial = replace(usual, id="t", whole_only=True, lift=-1.0)
    summary = summarise([usual, trivial])
    assert (summary.lift, summary.lift_n, summary.whole_only) == (usual.lift, 1, 1)
    assert summary.lift_interval is None
    lost = replace(usual, id="l", f=None, lift=None, stage="sufficient")
    assert summarise([usual, lost]).F_all == (usual.f or 0) / 2
