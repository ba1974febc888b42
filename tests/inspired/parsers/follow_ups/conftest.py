"""Conversations about the graph that ships with Parley."""

from collections.abc import Callable

import pytest

from inspired.dialogue.conversations import Conversations
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.parsers.opening import open_default_parser

Ask = Callable[..., list[list[str]]]


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Ask questions one after another; the names of the answers of each."""
    kb = open_knowledge_base(None)
    parser = open_default_parser(None, kb)

    def answers(*questions: str) -> list[list[str]]:
        conversations = Conversations(kb, parser)
        results = [conversations.answer({"conversation": 1, "question": each}) for each in questions]
        return [[answer["name"] for answer in result["answers"]] for result in results]

    return answers
