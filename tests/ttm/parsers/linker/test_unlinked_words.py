"""Words that link to nothing are asked about or reported, never passed over in silence."""

import pytest

from tests.ttm.parsers.linker.suites import NAMES, gold
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.parsers import LinkingParser, Understanding

PARSERS: dict[str, LinkingParser] = {}


def understood(name: str, utterance: str) -> Understanding:
    if name not in PARSERS:
        PARSERS[name] = LinkingParser(SCHEMAS[name])
    return PARSERS[name].understand(utterance)


@pytest.mark.parametrize(
    ("name", "utterance", "words"),
    [
        ("clinic", "people predicted to be sick but actually healthy, how many", ("sick", "healthy")),
        ("clinic", "how many women are there?", ("women",)),
        ("clinic", "how many smokers have diabetes?", ("smokers",)),
        ("clinic", "How accurate is it for Vegetarians?", ("Vegetarians",)),
        ("subscriptions", "how many customers in Paris are there?", ("Paris",)),
        ("subscriptions", "how many unhappy customers", ("unhappy",)),
        ("credit", "accuracy on women?", ("women",)),
    ],
)
def test_a_group_that_is_not_known_is_asked_about(name: str, utterance: str, words: tuple[str, ...]) -> None:
    understanding = understood(name, utterance)
    assert understanding.unused == words
    assert understanding.question
    assert all(f'"{word}"' in understanding.question for word in words)
    assert all(candidate.confidence < 0.5 for candidate in understanding.candidates)


@pytest.mark.parametrize(
    ("name", "utterance", "column"),
    [
        ("clinic", "how many old people are there", "age"),
        ("clinic", "young people", "age"),
        ("clinic", "is the model fair to older people", "age"),
    ],
)
def test_an_adjective_without_a_number_is_asked_for_its_bound(name: str, utterance: str, column: str) -> None:
    understanding = understood(name, utterance)
    assert understanding.question
    assert column in understanding.question
    assert understanding.in_scope
    offered = [str(candidate.parse) for candidate in understanding.candidates]
    assert any(f"filter {column} " in parse for parse in offered)
    assert any(f"compare {column}" in parse for parse in offered)


@pytest.mark.parametrize(
    ("name", "utterance", "words"),
    [
        ("clinic", "compare women over 50 and under 30", ("women",)),
        ("clinic", "how many people are over 40 and obese", ("obese",)),
        ("flats", "average sqm of penthouses in Berlin", ("penthouses",)),
        ("subscriptions", "which 10 customers are most likely to vote", ("vote",)),
    ],
)
def test_a_minor_word_is_reported_and_the_answer_less_sure(name: str, utterance: str, words: tuple[str, ...]) -> None:
    understanding = understood(name, utterance)
    assert understanding.question is None
    assert understanding.unused == words
    assert understanding.best
    plain = understood(name, " ".join(word for word in utterance.split() if word not in words)).best
    assert plain
    assert understanding.best.confidence < plain.confidence


def test_a_near_name_is_offered() -> None:
    question = understood("flats", "how many flats in Berlinova").question
    assert question
    assert '"Berlin"' in question


def test_an_average_by_a_number_is_asked_for_groups() -> None:
    question = understood("clinic", "average glucose by age").question
    assert question
    assert "age" in question


@pytest.mark.slow
def test_what_is_understood_is_hardly_ever_asked_about() -> None:
    parsers = {name: LinkingParser(schema) for name, schema in SCHEMAS.items()}
    items = [item for name in NAMES for item in gold(name)]
    doubted = [(u, parsers[s].understand(u)) for s, u, _ in items]
    asked = [utterance for utterance, understanding in doubted if understanding.question]
    reported = [utterance for utterance, understanding in doubted if understanding.unused]
    assert len(asked) <= 0.015 * len(items), asked
    assert len(reported) <= 0.02 * len(items), reported
