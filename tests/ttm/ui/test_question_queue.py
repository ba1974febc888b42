"""A chat has only so many questions that wait."""

import pytest

from backend.errors import ExecutionError
from backend.network.shares.fair_shares import SHARES
from ttm.ui.exchange.question_queue import PendingQuestion, QuestionQueue


def test_only_so_many_questions_of_a_chat_wait() -> None:
    questions = QuestionQueue()
    asked = [PendingQuestion(f"question {number}", lambda session, report: None) for number in range(SHARES.of_session + 2)]
    assert questions.add(asked[0])
    assert questions.next() is asked[0]
    for question in asked[1:-1]:
        assert not questions.add(question)
    with pytest.raises(ExecutionError, match=f"You have {SHARES.of_session} waiting"):
        questions.add(asked[-1])
    assert questions.next() is asked[1]
    assert not questions.add(asked[-1])
