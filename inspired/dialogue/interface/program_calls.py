"""What programs and agents call about knowledge bases. Each call stands alone: a dialogue goes on from its record.

The docstrings are read by programs and language models: each line under `Args:` must stay in one line.
"""

import json
from collections.abc import Callable
from typing import Any

from backend.errors import InspiredError
from inspired.dialogue.asked_after import ask_after, ask_all
from inspired.dialogue.dialogue import start
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.records import InspiredRecord, read_record, write_record
from inspired.dialogue.remembered_questions import RememberedQuestions
from inspired.dialogue.session import Assistant, silent
from inspired.parsers.follow_ups.before import MOST_EARLIER


class KnowledgeCalls:
    """The calls, over one knowledge base. Safe to use from several threads."""

    def __init__(self, assistant: Assistant, remembered: RememberedQuestions | None = None) -> None:
        """`remembered`: the corrections that a reviewer has accepted, by which questions are understood too."""
        self._assistant = assistant
        self._remembered = remembered

    @property
    def calls(self) -> tuple[Callable[..., InspiredRecord], ...]:
        """All of them, by the names under which they are offered."""
        return (self.inspired_ask, self.inspired_correct, inspired_decompose)

    def inspired_ask(self, question: str, earlier: list[str] | None = None) -> InspiredRecord:
        """Answer a question about the world by a knowledge base, with the steps that lead to the answer.

        Args:
            question: A question in plain language, such as "what is the official language of the country with capital Vienna?".
            earlier: The questions asked before it, oldest first, if it may go on from them, as "and of France?" does.

        Returns:
            an INSPIRED record: final_answer, the sub-questions under gold_sub_qs, their queries, and the SPARQL query
        """
        after = ask_all(self._assistant, self._remembered, (earlier or [])[-MOST_EARLIER:], silent)
        return write_record(ask_after(self._assistant, self._remembered, after, question, silent).dialogue)

    def inspired_correct(self, record: dict[str, Any], step: int, words: str) -> InspiredRecord:
        """Put one step of an answer otherwise, in plain language, and answer the question again.

        Args:
            record: The record that inspired_ask or an earlier correction gave.
            step: The number of the step to correct, from 1, as sub_id in gold_sub_qs.
            words: What the step should ask instead, such as "Which country borders Germany?".

        Returns:
            an INSPIRED record with the corrected step, its answers and the final answer
        """
        dialogue = read_record(json.dumps(record))
        steps = len(dialogue.current.steps)
        if not 1 <= int(step) <= steps:
            raise InspiredError(f"There is no step {step}; they go from 1 to {steps}.")
        choices = self._assistant.understood(dialogue, int(step), False, words, silent)
        asked = AskedQuestion(self._assistant.answered(choices[0].dialogue, silent))
        return write_record(asked.dialogue)


def inspired_decompose(sparql: str, names: dict[str, str] | None = None) -> InspiredRecord:
    """Decompose a SPARQL query into simple steps, each worded as a question; nothing is looked up.

    Args:
        sparql: A query of the kind that ComplexWebQuestions holds: SELECT DISTINCT ?x with triple patterns and filters.
        names: The names of the entities in the query by their id, such as {"m.0345h": "Germany"}; may be empty.

    Returns:
        an INSPIRED record without answers: the sub-questions under gold_sub_qs and their queries
    """
    return write_record(start(sparql, names or {}))
