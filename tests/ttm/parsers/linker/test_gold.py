"""How much of our own gold utterances is understood, on schemas of a dozen domains."""

import pytest

from tests.ttm.parsers.linker.suites import NAMES, SCHEMAS, gold, scope
from ttm.lab.evaluate import same_text
from ttm.language.grammar import grammar_of
from ttm.parsers import LinkingParser, Parser

WANTED = 0.95  # of each file; what falls below is a change for the worse


@pytest.fixture(scope="module")
def parsers() -> dict[str, Parser]:
    return {name: LinkingParser(schema) for name, schema in SCHEMAS.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_gold_utterances_are_understood(name: str, parsers: dict[str, Parser]) -> None:
    misses = []
    items = gold(name)
    for schema, utterance, wanted in items:
        best = parsers[schema].understand(utterance).best
        found = str(best.parse) if best else ""
        if same_text(found).removesuffix("[e]") != same_text(wanted):
            misses.append(f"{utterance}\n  wanted {wanted}\n  found  {found}")
    assert len(misses) <= (1 - WANTED) * len(items), "\n".join(misses)


@pytest.mark.parametrize("name", NAMES)
def test_gold_parses_are_in_the_grammar(name: str) -> None:
    for schema, _, wanted in gold(name):
        assert same_text(str(grammar_of(SCHEMAS[schema]).read(wanted))) == same_text(wanted + "[e]")


def test_no_utterance_stands_twice() -> None:
    seen = [(schema, utterance.lower()) for name in NAMES for schema, utterance, _ in gold(name)]
    assert len(seen) == len(set(seen))


@pytest.mark.slow
def test_what_is_out_of_scope_is_recognised(parsers: dict[str, Parser]) -> None:
    judged = [(inside, parsers[schema].understand(utterance).in_scope) for inside, schema, utterance in scope()]
    refused_rightly = sum(not inside and not found for inside, found in judged)
    precision = refused_rightly / sum(not found for _, found in judged)
    recall = refused_rightly / sum(not inside for inside, _ in judged)
    assert precision >= 0.93
    assert recall >= 0.93


def test_out_of_scope_is_answered_with_an_offer(parsers: dict[str, Parser]) -> None:
    understanding = parsers["credit"].understand("what will the weather be tomorrow?")
    assert not understanding.in_scope
    assert understanding.question
    assert "predict" in understanding.question


@pytest.mark.slow
def test_confidence_orders_right_before_wrong(parsers: dict[str, Parser]) -> None:
    """Best candidates are right far more often than second ones, and stated confidences say so."""
    first, second = [], []
    for name in NAMES:
        for schema, utterance, _ in gold(name):
            candidates = parsers[schema].understand(utterance).candidates
            assert all(0 <= candidate.confidence <= 1 for candidate in candidates)
            assert [c.confidence for c in candidates] == sorted((c.confidence for c in candidates), reverse=True)
            first += [candidates[0].confidence] if candidates else []
            second += [candidates[1].confidence] if len(candidates) > 1 else []
    assert sum(first) / len(first) > 0.75
    assert sum(second) / len(second) < 0.3
