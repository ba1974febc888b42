"""From 50 utterances over rewrites and ratings to a gold suite, as TalkToModel collects its gold parses."""

import random

import pytest

from annotation.parses.gold_suite import read_suite
from annotation.tasks.similarity_rating import RatingSettings, RewrittenPair, SimilarityRating, gold_suite
from annotation.tasks.utterance_rewriting import RewritingSettings, Utterance, UtteranceRewriting
from backend.errors import AnnotationError
from tests.annotation.tasks.task_results import result

REWRITING, RATING = UtteranceRewriting(), SimilarityRating()


def test_fifty_pairs_rewritten_eight_times_make_four_hundred() -> None:
    settings = RewritingSettings()
    found = [
        result(REWRITING, settings, Utterance(utterance=f"What of {n}?", parse=f"filter id {n} and show [e]"),
               {f"rewrite_{k}": f"Tell me of {n}, in way {k}" for k in range(1, 9)}, key=f"u{n}")
        for n in range(50)
    ]  # fmt: skip
    rows = REWRITING.rows(found, settings)
    assert len(rows) == len({row["id"] for row in rows}) == 400
    pairs = [RewrittenPair.model_validate({name: value for name, value in row.items() if name != "id"}) for row in rows]
    draw = random.Random(1)
    ratings = {pair.rewrite: [draw.randint(1, 4) for _ in range(5)] for pair in pairs}
    rated = [
        result(RATING, RatingSettings(), pair, {"rating": rating}, worker=f"w-{number}", key=pair.rewrite)
        for pair in pairs
        for number, rating in enumerate(ratings[pair.rewrite])
    ]
    suite = read_suite(gold_suite(rated, RatingSettings()).encode(), lambda parse: None)
    assert {item.utterance for item in suite} == {text for text, given in ratings.items() if sum(given) / 5 >= 3.0}
    assert all(item.parse.replace("[E]", "[e]") in {pair.parse for pair in pairs} for item in suite)


@pytest.mark.parametrize(("given", "kept"), [([3, 3, 3, 3, 3], True), ([4, 4, 4, 2, 1], True), ([4, 4, 4, 1, 1], False),
                                             ([4, 4, 4, 4], False)])  # fmt: skip
def test_a_mean_of_three_from_five_ratings_is_kept(given: list[int], kept: bool) -> None:
    pair = RewrittenPair(original="a?", rewrite="b?", parse="show [e]")
    found = [result(RATING, RatingSettings(), pair, {"rating": each}, worker=f"w-{n}") for n, each in enumerate(given)]
    assert RATING.rows(found, RatingSettings())[0]["kept"] is kept


def test_rewrites_of_one_utterance_differ() -> None:
    settings = RewritingSettings(rewrites=2)
    with pytest.raises(AnnotationError, match="“rewrite_2” says the same as “rewrite_1”"):
        result(REWRITING, settings, Utterance(utterance="Who?"), {"rewrite_1": "Which one?", "rewrite_2": "which  one?"})


def test_an_attentive_rating_is_near_the_known_one() -> None:
    assert [RATING.attention_passed({"rating": each}, {"rating": 1}) for each in (1, 2, 3, 4)] == [True, True, False, False]
