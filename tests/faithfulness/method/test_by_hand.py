"""The whole method on cases worked out by hand from the definitions (`hand_cases.toml`), and what holds for every passage."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.models.language_models import ScriptedModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, SampleReport, explain
from faithfulness.method.keywords import any_inside
from faithfulness.method.prompting import Continuation
from faithfulness.method.regions import Span, Splitter, candidate_regions, masked, word_groups, words
from faithfulness.method.sample import Sample
from faithfulness.method.score import RegionEvidence, faithfulness


def read_cases() -> dict[str, dict[str, Any]]:
    """Each case by its name; one that is `like` another takes from it what it does not say."""
    found: dict[str, dict[str, Any]] = {}
    for case in tomllib.loads(Path(__file__).with_name("hand_cases.toml").read_text(encoding="utf-8"))["case"]:
        inherited = {key: value for key, value in found.get(case.get("like"), {}).items() if key not in UNSHARED}
        found[case["name"]] = {**inherited, **case}
    return found


UNSHARED = ("name", "keywords", "overlap")
CASES = read_cases()


def knows(case: dict[str, Any], text: str) -> bool:
    """Whether the model of a case answers this text rightly."""
    return any(all(_word(word.lstrip("!"), text) != word.startswith("!") for word in each) for each in case["knows"])


def _word(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def scripted(case: dict[str, Any]) -> ScriptedModel:
    def reply(prompt: str) -> str:
        shown = re.match(r"Passage: (.*)\nQuestion:", prompt.rsplit("\n\n", 1)[1])
        right = knows(case, shown[1] if shown else "")
        answer = case.get("replies", case.get("answers", ["gold"])[0]) if right else "nope"
        return f" {answer}\nKeywords: {case['says']}"

    return ScriptedModel(reply)


def report_of(case: dict[str, Any]) -> SampleReport:
    sample = Sample("what is it", case["passage"], tuple(case.get("answers", ["gold"])))
    plan = Plan(case["p"], case["q"], Splitter(case.get("splitter", "words")))
    *_, report = explain(sample, scripted(case), Continuation(), Metric(), plan)
    return report


def listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(" | ") if part.strip()]


def texts(spans: list[Span] | tuple[Span, ...], passage: str) -> list[str]:
    return [span.of(passage) for span in spans]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_finds_what_was_worked_out_by_hand(case: dict[str, Any]) -> None:
    report, passage = report_of(case), case["passage"]
    regions = listed(case["regions"])
    assert texts(report.candidates, passage) == regions
    assert texts(report.sufficient, passage) == [regions[number - 1] for number in case["sufficient"]]
    asked = [[call.group for call in report.of("group") if call.region == region] for region in report.sufficient]
    assert [texts(sorted(groups), passage) for groups in asked] == [listed(each) for each in case["groups"]]
    assert [texts(each.necessary, passage) for each in report.evidence] == [listed(each) for each in case["necessary"]]
    assert list(report.keywords) == case.get("keywords", [word.strip() for word in case["says"].split(",")])
    assert report.full is not None
    assert report.full.verdict.correct is case.get("answered", True)
    assert report.retrieval_hard is case.get("hard", True)
    score = report.score
    assert ([score.f_sr, score.f_nk, score.f] if score else []) == pytest.approx(case["score"], abs=1e-5)
    if "overlap" in case:
        assert score is not None
        assert score.overlap == pytest.approx(case["overlap"])
    if "calls" in case:
        assert len(report.calls) == case["calls"]
    if "answer_cut" in case:
        assert report.answer_cut is case["answer_cut"]


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_cases_follow_from_the_definitions(case: dict[str, Any]) -> None:
    """The table against itself, on its strings alone: nothing of the program decides here."""
    regions = listed(case["regions"])
    assert " ".join(regions).split() == case["passage"].split()
    right = case.get("answered", True)
    assert case["sufficient"] == [i for i, text in enumerate(regions, 1) if right and knows(case, text)]
    best: list[float] = []
    for number, grouped, needed in zip(case["sufficient"], case["groups"], case["necessary"], strict=True):
        groups = listed(grouped)
        assert " ".join(groups).split() == regions[number - 1].split()
        masks = [" ".join("_" if i == at else group for i, group in enumerate(groups)) for at in range(len(groups))]
        assert listed(needed) == [group for group, text in zip(groups, masks, strict=True) if not knows(case, text)]
        keywords = case.get("keywords", [word.strip() for word in case["says"].split(",")])
        parts = [any(inside(k, text) for k in keywords) for text in (regions[number - 1], *listed(needed))]
        if listed(needed):
            best.append((parts[0] + sum(parts[1:]) / len(parts[1:])) / 2)
    assert case["score"][2:] == pytest.approx([max(best)] if best else [], abs=1e-5)


def inside(keyword: str, text: str) -> bool:
    """ "k is a part of s", word by word."""
    k, s = (re.findall(r"\w+", each.casefold()) for each in (keyword, text))
    return bool(k) and any(s[i : i + len(k)] == k for i in range(len(s)))


passages = st.lists(st.sampled_from("a b c d e f g h i j k".split()), min_size=1, max_size=30).map(" ".join)
keyword_lists = st.lists(st.sampled_from("a b c d e f g h i j k zz".split()), max_size=5)


@given(passages, st.integers(1, 5), st.integers(1, 6), st.data())
@pytest.mark.slow
def test_every_score_lies_between_0_and_1_whatever_is_necessary(passage: str, p: int, q: int, data: st.DataObject) -> None:
    evidence = [
        RegionEvidence(region, tuple(group for group in word_groups(passage, region, q) if data.draw(st.booleans())))
        for region in candidate_regions(passage, p)
    ]
    keywords = data.draw(keyword_lists)
    score = faithfulness(passage, evidence, keywords)
    assert (score is None) == (not any(each.necessary for each in evidence))
    if score is not None:
        assert all(0 <= part <= 1 for part in (score.f, score.f_sr, score.f_nk, score.overlap, score.by_chance))
        assert score.f == (score.f_sr + score.f_nk) / 2 <= score.overlap
        shuffled = data.draw(st.permutations(keywords)), data.draw(st.permutations(evidence))
        assert faithfulness(passage, shuffled[1], shuffled[0]).f == score.f  # type: ignore[union-attr]
        more = faithfulness(passage, evidence, [*keywords, "a"])
        assert more is not None
        assert more.f >= score.f


@given(passages, st.integers(1, 5), st.integers(1, 6), st.data())
def test_naming_a_word_of_every_necessary_group_scores_1(passage: str, p: int, q: int, data: st.DataObject) -> None:
    region = data.draw(st.sampled_from(candidate_regions(passage, p)))
    groups = word_groups(passage, region, q)
    necessary = data.draw(st.lists(st.sampled_from(groups), min_size=1, unique=True))
    keywords = [data.draw(st.sampled_from(words(passage, group))).of(passage) for group in necessary]
    score = faithfulness(passage, [RegionEvidence(region, tuple(necessary))], keywords)
    assert score is not None
    assert score.f == 1


@given(st.text("ab .,\n\té", min_size=1, max_size=120), st.integers(1, 5), st.integers(1, 6), st.sampled_from(Splitter))
def test_a_mask_changes_no_other_character(passage: str, p: int, q: int, splitter: Splitter) -> None:
    for region in candidate_regions(passage, p, splitter):
        groups = word_groups(passage, region, q)
        assert [word for group in groups for word in words(passage, group)] == words(passage, region)
        assert all(first.end <= second.start for first, second in pairwise(groups))
        for group in groups:
            before, after = passage[region.start : group.start], passage[group.end : region.end]
            assert masked(passage, region, group, "_") == f"{before}_{after}"
            assert len(masked(passage, region, group, "").split()) == len(words(passage, region)) - len(words(passage, group))


@given(passages, st.lists(st.sampled_from("a b c d".split()), min_size=1, max_size=3, unique=True), keyword_lists)
@pytest.mark.slow
def test_the_report_agrees_with_the_model_that_was_asked(passage: str, needed: list[str], keywords: list[str]) -> None:
    """Whatever the passage: a region is sufficient if the model knows it, a group necessary if it does not without it."""
    case = {"passage": passage, "p": 3, "q": 5, "knows": [needed], "says": ", ".join(keywords)}
    report = report_of(case)
    held = [region for region in report.candidates if set(needed) <= set(region.of(passage).split())]
    assert report.sufficient == held
    for each in report.evidence:
        for group in word_groups(passage, each.region, 5):
            left = masked(passage, each.region, group).split()
            assert (group in each.necessary) == (not set(needed) <= set(left))
    eligible = [each for each in report.evidence if each.necessary]
    assert (report.score is None) == (not eligible)
    if report.score and not any(any_inside(report.keywords, passage, each.region) for each in eligible):
        assert report.score.f_sr == 0
