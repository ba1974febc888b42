"""ROUGE by hand, names masked, and dialogues that hang together against those that do not."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspired.lab.metrics.context import context_overlap, rouge
from inspired.lab.metrics.dialogues import MeasuredDialogue, MeasuredSubQuestion, read_split
from inspired.lab.metrics.masking import MASK, Masking, form_key

texts = st.lists(st.sampled_from("abcd"), max_size=8)


def test_rouge_by_hand() -> None:
    candidate, reference = "the cat sat on the mat".split(), "the cat was on a mat".split()
    assert rouge(candidate, reference, 1) == pytest.approx(4 / 6)  # the, cat, on, mat of six words each
    assert rouge(candidate, reference, 2) == pytest.approx(1 / 5)  # the cat, of five pairs each
    asked, wife = "who was that person married to".split(), "who was the wife of the subject".split()
    assert rouge(asked, wife, 1) == pytest.approx(4 / 13)
    assert rouge(["the"], ["the"] * 3, 1) == 0.5  # precision 1, recall 1/3
    assert rouge([], [], 1) == rouge(["a"], ["a"], 2) == 0


@given(texts, texts)
def test_rouge_is_symmetric_and_one_only_for_the_same_words(one: list[str], other: list[str]) -> None:
    assert rouge(one, other, 1) == rouge(other, one, 1) <= 1
    assert (rouge(one, other, 1) == 1) == (sorted(one) == sorted(other) and bool(one))


def test_forms_are_the_same_whatever_they_name() -> None:
    assert form_key("?c ns:a.b #entity1#") == form_key("?x ns:a.b #entity2#") != form_key("#entity1# ns:a.b ?c")
    assert form_key("?c ns:a.b ?x . ?c ns:c.d ?c") != form_key("?c ns:a.b ?x . ?c ns:c.d ?x")


def test_names_of_a_record_are_masked() -> None:
    dialogue = MeasuredDialogue("a", "simple", "", names=("York", "New York", "C++ (language)"))
    names = Masking([dialogue]).names(dialogue)
    masked = Masking([dialogue]).masked("Is New york's mayor from york, not Yorkshire? C++ (language)?", names)
    assert masked == f"Is {MASK}'s mayor from {MASK}, not Yorkshire? {MASK}?"


def test_names_are_found_in_templates_where_the_record_gives_none(file_of_three: Path) -> None:
    dialogues = read_split(file_of_three)
    masking = Masking(dialogues)
    assert [masking.names(each) for each in dialogues] == [("Oslo",), ("Lima",), ("New Delhi",)]
    assert masking.masked(dialogues[2].question, ("New Delhi",)) == f"Which language does the country of {MASK} speak?"


def test_frames_of_templates_are_no_names() -> None:
    asked = ["What is/are the lake of Peru?", "That entity is/are the lake of Bali?", "Of which, what is/are the lake of Rome?"]
    dialogues = [
        MeasuredDialogue(text, "simple", "", gold=(MeasuredSubQuestion("1", "", text, "?x ns:a.b #entity1#"),))
        for text in asked
    ]
    masking = Masking(dialogues)
    assert [masking.names(each) for each in dialogues] == [("Peru",), ("Bali",), ("Rome",)]


def test_names_in_a_template_without_another_to_compare_with() -> None:
    text = "That band is the artist of “The Lord of the Rings” (Live), released before 3 May 2010 and with 12 tracks?"
    dialogue = MeasuredDialogue("a", "simple", "", gold=(MeasuredSubQuestion("1", "", text, "?x ns:a.b #entity1#"),))
    assert set(Masking([dialogue]).names(dialogue)) == {"Lord of the Rings", "Live"}


def test_by_hand() -> None:
    def dialogue(id_: str, question: str, first: str, second: str) -> MeasuredDialogue:
        steps = (MeasuredSubQuestion("1", first, "", f"?c ns:a.{id_} ?x"), MeasuredSubQuestion("2", second, "", "?c ns:b.c ?x"))
        return MeasuredDialogue(id_, "composition", question, gold=steps, names=("Bali", "Rome"))

    # The contexts of the second steps are "a #entity# b / c d" and "e f g / h c".
    two = [dialogue("p", "a Bali b", "c d", "c d Bali"), dialogue("q", "e f g", "h c", "h")]
    found = context_overlap(two, Masking(two))
    assert (found.compared, found.left_out) == (2, 2)
    assert found.actual is not None
    assert found.random is not None
    assert found.actual.rouge_1 == pytest.approx((2 * 3 / 8 + 2 * 1 / 6) / 2)
    assert found.random.rouge_1 == pytest.approx((2 * 1 / 8 + 0) / 2)
    assert found.actual.rouge_2 == pytest.approx((2 * 1 / 6 + 0) / 2)


@pytest.mark.slow
def test_workers_who_keep_their_words_are_closer_to_their_own_context(made_file: Path) -> None:
    """As in Table 5. Contexts that are all alike make no difference."""
    dialogues = read_split(made_file)
    masking = Masking(dialogues)
    found = context_overlap(dialogues, masking)
    assert found.actual is not None
    assert found.random is not None
    assert found.compared > 300
    assert found.actual.rouge_1 > found.random.rouge_1 + 0.05
    assert found.actual.rouge_2 > found.random.rouge_2 + 0.05
    assert found == context_overlap(dialogues, masking)
    assert found.random != context_overlap(dialogues, masking, seed=1).random
    single = [replace(each, gold=each.gold[:1], question="one and the same") for each in dialogues]
    alike = context_overlap(single, masking)
    assert alike.actual == alike.random


def test_the_random_context_is_of_another_dialogue() -> None:
    steps = tuple(MeasuredSubQuestion(str(number), "a", "", "?c ns:a.b ?x") for number in range(3))
    own = [MeasuredDialogue("p", "simple", "a a a", gold=steps)]
    assert context_overlap(own, Masking(own)).actual is None
    for seed in range(20):
        others = [
            MeasuredDialogue(id_, "simple", "z", gold=(MeasuredSubQuestion("1", "y", "", "?c ns:a.b ?x"),)) for id_ in "qr"
        ]
        found = context_overlap([others[0], *own, others[1]], Masking(own), seed)
        assert found.compared == 5
        assert found.random is not None
        assert found.random.rouge_1 < 0.2
