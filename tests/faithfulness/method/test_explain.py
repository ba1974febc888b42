"""The method against models whose dependence on the passage is known."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from backend.errors import FaithfulnessError
from backend.models.language_models import ScriptedModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.method.keywords import occurrences, read_keywords
from faithfulness.method.prompting import Chat, Continuation
from faithfulness.method.reading import read_three_parts
from faithfulness.method.regions import Span, Splitter
from faithfulness.method.sample import Sample, read_examples
from faithfulness.method.score import RegionEvidence, faithfulness
from faithfulness.ui.render_sample import call_rows, passage_html, summary_html

PASSAGE = "Alpha beta gamma delta epsilon. The river Zubro ends in Lake Quill today. Eta theta iota kappa lambda."
SAMPLE = Sample("where does the zubro end", PASSAGE, ("Lake Quill",))


def asked(prompt: str) -> str | None:
    """The passage of the last question in a continuation prompt; None for the closed book."""
    last = prompt.rsplit("\n\n", 1)[1]
    match = re.match(r"Passage: (.*)\nQuestion:", last)
    return match.group(1) if match else None


def reader(keywords: str) -> ScriptedModel:
    """Knows the answer exactly when both words of it stand in the passage; names the given keywords."""

    def answer(prompt: str) -> str:
        passage = asked(prompt) or ""
        known = "Lake" in passage and "Quill" in passage
        return f" {'Lake Quill' if known else 'the sea'}\nKeywords: {keywords}"

    return ScriptedModel(answer)


def last_report(model: ScriptedModel, plan: Plan | None = None):
    return list(explain(SAMPLE, model, Continuation(), Metric(), plan or Plan()))[-1]


def test_finds_exactly_the_region_and_words_that_were_planted():
    report = last_report(reader("Lake Quill"))
    assert [region.of(PASSAGE) for region in report.sufficient] == ["The river Zubro ends in Lake Quill today."]
    assert " ".join(group.of(PASSAGE) for group in report.necessary).split() == ["in", "Lake", "Quill"]
    assert report.retrieval_hard
    assert report.score is not None


def test_a_model_that_lies_about_its_keywords_gets_nothing():
    honest, liar = last_report(reader("Lake, Quill")), last_report(reader("Alpha beta, kappa"))
    assert honest.score.f == 1.0
    assert liar.score.f == 0.0


def test_never_makes_more_calls_than_announced():
    always = ScriptedModel(lambda prompt: " Lake Quill\nKeywords: Alpha")
    report = last_report(always)
    assert len(always.prompts) == len(report.calls) == Plan().most_calls() == 20
    assert report.score is None  # nothing was necessary, so the sample fails at that stage
    assert report.retrieval_hard is False


def test_a_wrong_answer_ends_the_method_after_two_calls():
    report = last_report(ScriptedModel(lambda prompt: " the sea\nKeywords: sea"))
    assert len(report.calls) == 2
    assert report.done
    assert "stops here" in summary_html(report)


def test_calls_made_at_once_give_the_same_report_in_the_same_order():
    def slow_first(prompt: str) -> str:
        time.sleep(0.02 if "Alpha" in prompt else 0)  # so that replies come back in another order
        return reader("Lake Quill")._answer(prompt)

    with ThreadPoolExecutor(8) as pool:
        together = list(explain(SAMPLE, ScriptedModel(slow_first), Continuation(), Metric(), Plan(), pool))[-1]
    one_by_one = last_report(reader("Lake Quill"))
    assert [(c.stage, c.region, c.group, c.verdict) for c in together.calls] == [
        (c.stage, c.region, c.group, c.verdict) for c in one_by_one.calls
    ]
    assert together.score == one_by_one.score


def test_repeats_are_decided_by_majority_and_a_tie_is_wrong():
    replies = iter(["sea", "sea", "sea", "Lake Quill", "Lake Quill", "sea", *["Lake Quill", "sea", "sea"] * 3])
    model = ScriptedModel(lambda prompt: f" {next(replies)}\nKeywords: Zubro")
    report = last_report(model, Plan(repeats=3))
    assert len(model.prompts) == 3 * (1 + 1 + 3)
    assert [call.verdict.correct for call in report.calls] == [False, True, False, False, False]
    assert [call.flipped for call in report.calls] == [False, True, True, True, True]
    assert report.full.exchange.reading.answer == "Lake Quill"
    tied = iter(["sea", "sea", "sea", "Lake Quill"])
    assert not last_report(ScriptedModel(lambda p: f" {next(tied)}\nKeywords: x"), Plan(repeats=2)).full.verdict.correct


def test_an_unreadable_reply_is_wrong_and_said_to_be_unreadable():
    report = last_report(ScriptedModel(lambda prompt: ""))
    assert report.full.exchange.reading.malformed
    assert "could not be read" in summary_html(report)


def test_the_chat_protocol_states_the_format_once_more_and_then_gives_up():
    model = ScriptedModel(lambda prompt: "Lake Quill, I think.")
    exchange = Chat().explain(model, SAMPLE.question, PASSAGE)
    assert exchange.retries == 1
    assert exchange.reading.malformed
    assert "Short answer:" in model.prompts[-1].splitlines()[-1]


def test_reads_the_three_parts():
    reading = read_three_parts("Thought: it ends there.\nKeywords: Lake Quill, today\nShort answer: Lake Quill", PASSAGE)
    assert (reading.thought, reading.keywords, reading.answer) == ("it ends there.", ("Lake Quill", "today"), "Lake Quill")
    assert not reading.lenient
    assert read_three_parts("Keywords: a\nThought: b\nShort answer: c", PASSAGE).lenient


def test_keywords_with_commas_are_put_together_again():
    passage = "The riots lasted from August 11 to 16, 1965 in Watts."
    assert read_keywords("August 11 to 16, 1965, Watts., watts,", passage) == ("August 11 to 16, 1965", "Watts")


def test_keywords_match_whole_words_in_any_case_and_spacing():
    assert occurrences("art", "started early") == []
    assert len(occurrences("lake  quill", "Lake Quill and LAKE\nQUILL")) == 2


@pytest.mark.parametrize("splitter", Splitter)
def test_score_does_not_depend_on_the_order_of_keywords(splitter):
    evidence = [RegionEvidence(Span(32, 73), (Span(56, 60), Span(61, 66)))]
    scores = {faithfulness(PASSAGE, evidence, order).f for order in (["Lake", "Alpha"], ["Alpha", "Lake"])}
    assert scores == {0.75}


def test_no_keywords_score_nothing_and_naming_every_word_scores_one():
    evidence = [RegionEvidence(Span(32, 73), (Span(56, 60),))]
    assert faithfulness(PASSAGE, evidence, []).f == 0
    every = faithfulness(PASSAGE, evidence, PASSAGE.replace(".", "").split())
    assert every.f == 1
    assert every.by_chance > 0.7  # which is why chance stands beside it
    assert faithfulness(PASSAGE, [RegionEvidence(Span(32, 73), ())], ["Lake"]) is None


def test_shows_markup_of_a_person_or_model_as_text():
    sample = Sample("q", "<script>alert(1)</script> Lake Quill <b>x</b>", ("Lake Quill",))
    report = list(explain(sample, reader("<img src=x>"), Continuation(), Metric(), Plan(closed_book=False)))[-1]
    shown = passage_html(report) + summary_html(report)
    assert "<script>" not in shown
    assert "<img" not in shown
    assert len(call_rows(report)) == len(report.calls)


def test_a_sample_says_what_it_lacks():
    with pytest.raises(FaithfulnessError, match="needs a question and a passage"):
        Sample(" ", " ", ("x",))
    with pytest.raises(FaithfulnessError, match="an accepted answer, or none at all"):
        Sample("q", "text", (" ",))


def test_every_example_holds_an_accepted_answer():
    for sample in read_examples():
        assert any(occurrences(answer, sample.passage) for answer in sample.answers), sample.title
