"""The simulated user: says what a step should have been, in words and never by ids or predicates."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from inspired.decomposition.steps import Decomposition
from inspired.lab.questions.step_words import say_steps
from inspired.lab.questions.wording import WordingLexicon
from inspired.sub_questions.verbalise import verbalise


class User(Protocol):
    def feedback(self, gold: Decomposition, names: Mapping[str, str], number: int, attempt: int, key: str) -> str:
        """The sub-question for step `number` (from 0) of `gold`; at a later attempt (from 1) in other words if possible.

        Equal for an equal `key`, the id of the question.
        """
        ...


class TemplateUser:
    """Repeats the templated sub-question at every attempt."""

    def feedback(self, gold: Decomposition, names: Mapping[str, str], number: int, attempt: int, key: str) -> str:
        return verbalise(gold, names).questions[number]


@dataclass(frozen=True)
class WordingUser:
    """Uses the words of `lexicon`, drawn again at each attempt; templates where it has none."""

    lexicon: WordingLexicon
    seed: int = 0

    def feedback(self, gold: Decomposition, names: Mapping[str, str], number: int, attempt: int, key: str) -> str:
        turns: list[str] = []
        for each in range(1, attempt + 1):
            turns.append(self._say(gold, names, number, f"{self.seed} {key} {number} {each}", avoiding=turns))
        return turns[-1]

    def _say(self, gold: Decomposition, names: Mapping[str, str], number: int, key: str, avoiding: list[str]) -> str:
        words = ""
        # Some steps have few wordings; then one is repeated.
        for turn in range(5):
            words = say_steps(gold, names, self.lexicon, random.Random(f"{key} {turn}"))[number] or ""
            if words not in avoiding:
                break
        return words or verbalise(gold, names).questions[number]
