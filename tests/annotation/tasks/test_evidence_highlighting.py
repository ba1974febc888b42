"""Marked words are exactly those of the passage, and are compared with the keywords that a model needs."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasks.evidence_highlighting import EvidenceHighlighting, EvidenceSettings, Passage, word_spans
from backend.errors import AnnotationError
from tests.annotation.tasks.task_results import result

TASK, SETTINGS = EvidenceHighlighting(), EvidenceSettings()
PASSAGE = Passage(question="When did it open?", context="The bridge opened on May 27, 1937, after four years of work.",
                  answer="1937", keywords=("May 27, 1937", "four years"))  # fmt: skip


@given(st.text())
def test_words_cover_all_but_the_blanks_of_any_text(context: str) -> None:
    spans = word_spans(context)
    assert all(start < end for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert "".join(context[start:end] for start, end in spans) == "".join(context.split())


def test_scripts_without_blanks_are_cut_into_characters() -> None:
    assert len(word_spans("橋は1937年に開通した。")) == 10


def test_marks_are_compared_with_necessary_keywords() -> None:
    words = PASSAGE.context.split()
    marked = [[words.index("opened"), words.index("1937,") + 1], [words.index("work."), words.index("work.") + 1]]
    row = TASK.rows([result(TASK, SETTINGS, PASSAGE, {"evidence": marked})], SETTINGS)[0]
    assert row["evidence"] == ["opened on May 27, 1937,", "work."]
    assert [PASSAGE.context[start:end] for start, end in row["characters"]] == row["evidence"]
    assert (row["keywords_marked"], row["keyword_recall"], row["span_precision"]) == (["May 27, 1937"], 0.5, 0.5)


def test_nothing_may_be_marked_only_where_the_study_says_so() -> None:
    with pytest.raises(AnnotationError, match="evidence"):
        result(TASK, SETTINGS, PASSAGE, {"evidence": []})
    relaxed = EvidenceSettings(may_be_empty=True)
    row = TASK.rows([result(TASK, relaxed, PASSAGE, {"evidence": []})], relaxed)[0]
    assert (row["evidence"], row["keyword_recall"], row["span_precision"]) == ([], 0.0, None)


def test_the_keywords_are_not_shown() -> None:
    shown = " ".join(part.text for part in TASK.parts(PASSAGE.model_copy(update={"keywords": ("secret",)}), SETTINGS, {}))
    assert "secret" not in shown


def test_each_word_is_a_unit_of_agreement() -> None:
    units = TASK.units(result(TASK, SETTINGS, PASSAGE, {"evidence": [[0, 2]]}))
    assert [int(value) for value in units.values()] == [1, 1] + [0] * 10


def test_attention_is_half_of_the_words() -> None:
    known = {"evidence": [[0, 4]]}
    assert TASK.attention_passed({"evidence": [[0, 2]]}, known)
    assert not TASK.attention_passed({"evidence": [[3, 9]]}, known)
