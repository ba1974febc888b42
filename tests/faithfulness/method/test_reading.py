"""Replies as models write them: read whatever their form, counted where it is not the one asked for, never guessed at."""

import unicodedata

import pytest

from backend.models.language_models import ScriptedModel
from faithfulness.method.correctness import Metric, numbers_agree
from faithfulness.method.explain import Plan, explain
from faithfulness.method.keywords import occurrences, read_keywords
from faithfulness.method.prompting import Chat, Continuation
from faithfulness.method.reading import read_continuation, read_json_parts, read_three_parts
from faithfulness.method.regions import Splitter, candidate_regions, words
from faithfulness.method.sample import Sample
from faithfulness.method.texts.number_words import in_digits

PASSAGE = "The Danube rises in the Black Forest. It flows into the Black Sea near Sulina. Ships use it."
STRICT = "Thought: it says so.\nKeywords: Danube, Black Sea\nShort answer: the Black Sea"
DEVIATIONS = {
    "Answer for Short answer": "Thought: it says so.\nKeywords: Danube, Black Sea\nAnswer: the Black Sea",
    "no thought": "Keywords: Danube, Black Sea\nShort answer: the Black Sea",
    "headings": "### Thought:\nit says so.\n### Keywords:\nDanube, Black Sea\n### Short answer:\nthe Black Sea",
    "a code fence": "```text\n" + STRICT + "\n```",
    "a lead": "Sure! Here is my answer.\n\n" + STRICT,
    "a space before the colon": STRICT.replace(":", " :"),
    "numbered labels": "1. Thought: it says so.\n2. Keywords: Danube, Black Sea\n3. Short answer: the Black Sea",
    "bold labels": "**Thought:** it says so.\n**Keywords:** Danube, Black Sea\n**Short answer:** the Black Sea",
    "bold up to the colon": "**Thought**: it says so.\n**Keywords**: Danube, Black Sea\n**Short answer**: **the Black Sea**",
    "another order": "Short answer: the Black Sea\nKeywords: Danube, Black Sea\nThought: it says so.",
    "bulleted keywords": "Thought: it says so.\nKeywords:\n- Danube\n- Black Sea\nShort answer: the Black Sea",
    "numbered keywords": "Thought: it says so.\nKeywords:\n1. Danube\n2) Black Sea\nShort answer: the Black Sea",
    "a list in brackets": 'Thought: it says so.\nKeywords: ["Danube", "Black Sea"]\nShort answer: the Black Sea',
    "a wide colon": STRICT.replace(":", "\uff1a"),
    "JSON in a fence": '```json\n{"thought": "t", "keywords": ["Danube", "Black Sea"], "short_answer": "the Black Sea"}\n```',
    "a second thought": "Thought: a\nKeywords: ships\nShort answer: Sulina\nWait, no.\n" + STRICT,
}
IN_FORM = ("bold labels", "bold up to the colon", "bulleted keywords", "numbered keywords", "a list in brackets")


@pytest.mark.parametrize("name", DEVIATIONS)
def test_usual_deviations_are_read_at_once_and_counted(name: str) -> None:
    model = ScriptedModel(lambda prompt: DEVIATIONS[name])
    exchange = Chat().explain(model, "which sea does the danube flow into", PASSAGE)
    assert exchange.reading.answer == "the Black Sea"
    assert exchange.reading.keywords == ("Danube", "Black Sea")
    assert exchange.reading.lenient == (name not in IN_FORM)
    assert exchange.retries == 0


def test_the_form_itself_and_the_one_line_of_the_paper_are_not_lenient() -> None:
    one_line = "Thought: it says so, Keywords: Danube, Black Sea, Short answer: the Black Sea"
    assert [read_three_parts(text, PASSAGE).lenient for text in (STRICT, one_line)] == [False, False]
    assert read_three_parts(one_line, PASSAGE).keywords == ("Danube", "Black Sea")


@pytest.mark.parametrize(
    "text",
    ["", "the Black Sea", "Thought: a\nKeywords: b", "Thought: a\nKeywords: b\nShort answer: ...", "Short answer: Sulina",
     "I cannot answer this.", '{"keywords": ["a"]}', "Keywords: a\nShort answer:"],
)  # fmt: skip
def test_what_lacks_a_part_is_malformed(text: str) -> None:
    assert read_three_parts(text, PASSAGE).malformed
    assert read_three_parts(text, PASSAGE).answer == ""


def test_where_only_an_answer_is_needed_one_is_enough() -> None:
    assert read_three_parts("Short answer: Sulina", PASSAGE, answer_only=True).answer == "Sulina"
    assert read_json_parts('{"answer": 7}', PASSAGE, answer_only=True).answer == "7"


@pytest.mark.parametrize("text", ["None", "N/A", "none.", "[]"])
def test_no_keyword_is_no_keyword(text: str) -> None:
    assert read_keywords(text, PASSAGE) == ()
    assert read_keywords("None", "None of them came.") == ("None",)


def test_marks_of_lists_stay_where_the_passage_has_them() -> None:
    assert read_keywords("1. FC K\u00f6ln\n2. Bonn", "In Bonn the 1. FC K\u00f6ln won.") == ("1. FC K\u00f6ln", "Bonn")


def test_a_continuation_without_keywords_is_not_right() -> None:
    """The planted answer alone: unreadable, so wrong, and the sample goes no further."""
    model = ScriptedModel(lambda prompt: " the Black Sea")
    report = list(explain(Sample("q", PASSAGE, ("the Black Sea",)), model, Continuation(), Metric(), Plan()))[-1]
    assert report.full is not None
    assert report.full.exchange.reading.malformed
    assert not report.full.verdict.correct
    assert len(report.calls) == 2


def test_a_continuation_is_read_with_an_empty_line_between() -> None:
    reading = read_continuation(" the Black Sea\n\nKeywords: Danube, ships", PASSAGE)
    assert (reading.answer, reading.keywords, reading.lenient) == ("the Black Sea", ("Danube", "ships"), True)


@pytest.mark.parametrize(
    ("keyword", "passage", "count"),
    [
        ("\u5317\u4eac", "\u9996\u90fd\u5317\u4eac\u5e02\u5f88\u5927\u3002", 1),  # Beijing inside a longer word
        ("\u6771\u4eac", "\u65e5\u672c\u306e\u6771\u4eac\u306f\u5927\u304d\u3044", 1),
        ("2008", "\u57282008\u5e74", 1),
        ("art", "It started as art.", 1),
        (unicodedata.normalize("NFD", "Caf\u00e9"), "the caf\u00e9 is open", 1),
        ("caf\u00e9", unicodedata.normalize("NFD", "the caf\u00e9 is open; Cafe\u0301s are not"), 1),
        ("Newton's law", "By Newton\u2019s law it falls.", 1),
        ("la la", "Oh bla la la.", 1),  # begins where another begins inside a word
        ("1914-1918", "The war (1914\u20131918) ended.", 1),
    ],
)
def test_keywords_match_across_scripts_and_normal_forms(keyword: str, passage: str, count: int) -> None:
    spans = occurrences(keyword, passage)
    assert len(spans) == count
    for span in spans:
        plain = unicodedata.normalize("NFC", span.of(passage)).casefold()
        assert [c for c in plain if c.isalnum()] == [c for c in unicodedata.normalize("NFC", keyword).casefold() if c.isalnum()]


def test_chinese_is_cut_at_its_sentences_and_characters() -> None:
    passage = "\u5317\u4eac\u662f\u9996\u90fd\u3002\u5b83\u5f88\u5927\u3002\u4eba\u5f88\u591a\u3002"
    regions = candidate_regions(passage, 3, Splitter.SENTENCES)
    assert [region.of(passage) for region in regions] == [f"{part}\u3002" for part in passage.split("\u3002") if part]
    assert len(words(passage)) == 11


@pytest.mark.parametrize(
    ("gold", "answer", "right"),
    [
        ("seven", "7", True), ("two million", "2 million", True), ("2,000,000", "two million", True), ("third", "3rd", True),
        ("World War II", "World War 2", True), ("Henry VIII", "Henry 8", True), ("twenty-one", "21", True),
        ("seven", "8", False), ("World War II", "World War 1", False), ("two million", "2 billion", False),
        ("1,776 feet", "1,775 feet", False), ("10.5%", "10.6%", False), ("3rd", "4th", False),
    ],
)  # fmt: skip
def test_numbers_are_the_same_however_written(gold: str, answer: str, right: bool) -> None:
    assert Metric().judge([gold], answer).correct is right
    assert Metric().judge([answer], gold).correct is right


def test_number_words_veto_nothing_that_holds_no_other_number() -> None:
    assert numbers_agree("one of the men", "a man")
    assert numbers_agree("the second", "the second of May")
    assert in_digits("I am one hundred and five") == "I am 105"
