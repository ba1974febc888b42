"""Measures on models whose reasons are known, against what can be reckoned without them."""

import itertools
from dataclasses import replace

import pytest

from backend.models.language_models import ScriptedModel
from faithfulness.__main__ import main
from faithfulness.measures.attribution import attribution_quality
from faithfulness.measures.diagnosticity import diagnosticity, diagnosticity_table, planted_pairs, real_pairs
from faithfulness.measures.keyword_measures import MEASURES, ExplainedSample
from faithfulness.measures.planted import FALSE, PLANTED, PlantedRule, false_keywords, half_true_keywords, rule_for
from faithfulness.method.chance import word_class
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import KEPT, REDACTED, REDACTED_ELSEWHERE, Plan, explain
from faithfulness.method.keywords import occurrences, touched_words
from faithfulness.method.prompting import Continuation
from faithfulness.method.sample import Sample, read_examples
from faithfulness.reports.outcomes import outcome_of
from faithfulness.runs.records import read_report, write_report
from faithfulness.runs.rows import Row

SAMPLES = read_examples()[:8]


@pytest.mark.parametrize("kind", PLANTED)
def test_a_rule_holds_with_its_reasons_and_not_without(kind: str) -> None:
    for sample in SAMPLES:
        rule = rule_for(sample, kind)
        if rule is None:
            continue
        assert rule.holds(sample.passage)
        assert rule.holds(" _ ".join(rule.reasons))
        assert not rule.holds("_")
        assert all(occurrences(reason, sample.passage) for reason in rule.reasons)


def test_false_explanations_are_matched_and_share_no_word_with_true_ones() -> None:
    for sample in SAMPLES:
        rule = rule_for(sample, "needs answer and cue")
        false = false_keywords(sample, rule.reasons) if rule else None
        if rule is None or false is None:
            continue
        assert [word_class(text) for text in false] == [word_class(text) for text in rule.reasons]
        assert not touched_words(false, sample.passage) & touched_words(rule.reasons, sample.passage)
        assert half_true_keywords(sample, rule.reasons) == (rule.reasons[0], false[1])


def test_a_measure_that_knows_the_rule_has_an_area_of_one_and_a_coin_a_half() -> None:
    pairs = list(planted_pairs(SAMPLES, "needs the answer", "", Plan()))
    knowing, *_ = diagnosticity("m", pairs, ["keywords only"])
    assert (knowing.n, knowing.auc, knowing.lift) == (len(pairs), 1.0, 1.0)
    assert len(pairs) > 4
    swapped = [replace(pair, false=pair.true) for pair in pairs]
    blind, *_ = diagnosticity("m", swapped, ["keywords only"])
    assert (blind.auc, blind.lift) == (0.5, 0.0)
    turned = [replace(pair, false=pair.true, true=pair.false) for pair in pairs]
    assert diagnosticity("m", turned, ["keywords only"])[0].auc == 0.0
    assert "| keywords only | 1 | 1.00 (" in diagnosticity_table([knowing])


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_tells_the_reason_of_a_simple_rule(name: str) -> None:
    pairs = list(planted_pairs(SAMPLES[:5], "needs answer and cue", "", Plan()))
    if "probabilities" in name:  # of which rules have none
        assert diagnosticity("m", pairs, [name])[0].n == 0
        pairs = [replace(pair, right=lambda text, right=pair.right: 0.8 * right(text)) for pair in pairs]
    (result,) = diagnosticity("m", pairs, [name], at_once=2)
    assert result.auc is not None
    assert result.auc > 0.7
    most = {
        "faithfulness f": 0,
        "f above matched chance": 0,
        "keywords masked": 2,
        "keywords only": 2,
        "single words edited": 16,
        "single words edited, by probabilities": 17,
    }
    assert result.calls <= most.get(name, 64)


def test_redundant_evidence_escapes_edits_of_single_words() -> None:
    pairs = list(planted_pairs(SAMPLES, "two of three are enough", "", Plan()))
    (edits,) = diagnosticity("m", pairs, ["single words edited"])
    (masked,) = diagnosticity("m", pairs, ["keywords masked"])
    assert edits.auc == 0.5
    assert masked.auc == 1.0


def test_the_attribution_by_all_halves_is_the_least_squares_of_them() -> None:
    """On five words with every one of the 32 masks known, the needed words stand at the top."""
    sample = Sample("q", "aa bb cc dd ee", ("x",))
    (_, report) = list(explain(sample, ScriptedModel(lambda prompt: " x\nKeywords: bb"), Continuation(), Metric(), Plan()))[:2]
    shown = ExplainedSample(report, PlantedRule((("bb", "dd"),)).holds)
    for keep in itertools.product([False, True], repeat=5):
        shown.is_right(" ".join(word if kept else "_" for word, kept in zip("aa bb cc dd ee".split(), keep, strict=True)))
    weights = shown.attribution(64)
    assert sorted(range(5), key=lambda index: -weights[index])[:2] in ([1, 3], [3, 1])
    assert MEASURES["attribution by 64 ablations"].score(shown, ["bb", "dd"]) == 1.0
    assert MEASURES["attribution by 64 ablations"].score(shown, ["aa", "cc"]) < 0.5


def test_attributions_predict_new_halves_and_their_top_words_are_needed() -> None:
    pairs = list(planted_pairs(SAMPLES[:4], "needs answer and cue", "", Plan()))
    quality = attribution_quality("m", pairs, 64)
    assert quality.n == len(pairs) == quality.lds_n
    assert quality.lds is not None
    assert quality.lds > 0.3
    assert quality.top_drop == 1.0
    assert quality.random_drop is not None
    assert quality.random_drop < 0.8
    blind = [replace(pair, right=lambda text: True) for pair in pairs]
    nothing = attribution_quality("m", blind, 32)
    assert (nothing.lds, nothing.lds_n, nothing.top_drop) == (None, 0, 0.0)


def test_every_run_tests_the_keywords_by_masking_them() -> None:
    """The answer is in the keywords: it survives on them, is lost without them, and not without as many others."""
    passage = "Alpha beta gamma delta epsilon. The river Zubro ends in Lake Quill today. Eta theta iota kappa lambda."
    sample = Sample("where does the zubro end", passage, ("Lake Quill",))

    def answer(prompt: str) -> str:
        return f" {'Lake Quill' if 'Lake Quill' in prompt.rsplit('Question:', 1)[0] else 'the sea'}\nKeywords: Lake Quill"

    *_, report = explain(sample, ScriptedModel(answer), Continuation(), Metric(), Plan(redaction=True, seed=1))
    shown = {call.stage: call for call in report.calls}
    assert [shown[stage].verdict.correct for stage in (KEPT, REDACTED, REDACTED_ELSEWHERE)] == [True, False, True]
    assert len(report.calls) == 1 + 1 + 3 + 3 + 5
    assert Plan(redaction=True).most_calls() == 23
    outcome = outcome_of(Row(1, "a", sample), report)
    assert (outcome.keywords_suffice, outcome.keywords_needed, outcome.others_needed) == (True, True, False)
    _, again = read_report(write_report(Row(1, "a", sample), report), report.plan)
    assert outcome_of(Row(1, "a", sample), again) == outcome


def test_keywords_that_are_nowhere_are_not_tested() -> None:
    sample = Sample("q", "Lake Quill is deep. It is old. It is cold.", ("Lake Quill",))
    model = ScriptedModel(lambda prompt: " Lake Quill\nKeywords: elsewhere")
    *_, report = explain(sample, model, Continuation(), Metric(), Plan(redaction=True, closed_book=False))
    assert not {KEPT, REDACTED, REDACTED_ELSEWHERE} & {call.stage for call in report.calls}
    assert report.done


def test_of_a_run_the_necessary_words_stand_for_the_truth() -> None:
    (pair, *_) = planted_pairs(SAMPLES, "needs the answer", "", Plan())
    (real,) = real_pairs([(pair.report, pair.right)])
    group = pair.report.necessary[0].of(pair.report.sample.passage)
    assert real.true[0] in group
    assert not any(word in real.true[0].split() for word in real.false[0].split())


@pytest.mark.slow
def test_one_command_gives_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnosticity", "--limit", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in lines[2 : 2 + len(MEASURES)]] == list(MEASURES)
    assert lines[-8].startswith("| needs the answer | 32 |")
    assert all(kind in lines[0] for kind in PLANTED)
    assert len(FALSE) == 2
