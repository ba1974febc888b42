"""Parsers by name."""

from pathlib import Path

import pytest

from backend.errors import InspiredError
from inspired.knowledge_base.graph import read_graph
from inspired.parsers.opening import likely_predicates, open_parser
from inspired.parsers.prompted import PromptedParser
from inspired.parsers.query_graphs.default_parser import DefaultParser

FILMS = read_graph(Path(__file__).with_name("films.ttl"))


def test_each_name_opens_its_parser() -> None:
    assert isinstance(open_parser("default", FILMS), DefaultParser)
    assert isinstance(open_parser("some-model", FILMS, "http://127.0.0.1:1/v1"), PromptedParser)
    with pytest.raises(InspiredError, match="give --base-url too"):
        open_parser("some-model", FILMS)


def test_what_the_words_speak_for_is_offered_to_a_language_model_first() -> None:
    predicates = [each.id for each in likely_predicates(DefaultParser(FILMS))("Who directed Orchard of Glass?")]
    assert "direct" in predicates[0]
    assert set(predicates) <= set(FILMS.predicates)
