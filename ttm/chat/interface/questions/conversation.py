"""The conversation about one model from Python: questions in words or in the parse language, readings, undo, corrections."""

import asyncio

import pandas as pd

from backend.errors import ExecutionError
from backend.program.settings import Settings
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.chat.conversation import Turn
from ttm.chat.interface.chat_answer import ChatAnswer, answer_of
from ttm.chat.interface.notebook_display import ChatReading
from ttm.chat.session import ChatSession
from ttm.language.grammar import grammar_of
from ttm.operations.rows.context import Memory
from ttm.parsers import Understanding
from ttm.tabular.data.schema import Schema


class ModelConversation:
    """What has been asked about one model and one table, and what the two are."""

    def __init__(self, loaded: Loaded, settings: Settings | None = None) -> None:
        self.subjects = SubjectCatalogue(settings or Settings.model_validate({}), ready=loaded)
        self._session = ChatSession(self.subjects)

    @property
    def session(self) -> ChatSession:
        """The conversation as the app has it."""
        return self._session

    @property
    def schema(self) -> Schema:
        """The features and the target with their units, as they were stated or inferred."""
        return self.session.schema

    @property
    def frame(self) -> pd.DataFrame:
        """The rows that the chat is about (n, d), by id, in the units of the data. A copy."""
        return self.session.loaded.subject.dataset.frame.copy()

    @property
    def predictions(self) -> pd.Series:
        """What the model predicts for each row (n,): class values as in the data, or numbers in the unit of the target."""
        subject = self.session.loaded.subject
        predicted, target = subject.predictions, self.schema.target
        values = [target.class_values[int(one)] for one in predicted] if target.is_classification else predicted
        return pd.Series(values, index=subject.dataset.frame.index, name=target.name)

    @property
    def answers(self) -> tuple[ChatAnswer, ...]:
        """The answers of the conversation so far, oldest first."""
        with self.session.lock:
            return tuple(self._answer(turn) for turn in self.session.turns)

    # --- the conversation --------------------------------------------------------------------------------------------

    def ask(self, question: str) -> ChatAnswer:
        """Answer a question in words, as the app does; the next one may refer to it.

        Args:
            question: At most 500 characters.

        Returns:
            The answer. What cannot be answered, or is asked back, is said in its `text`.

        Raises:
            ExecutionError: The question is empty or too long.

        Source:
            TalkToModel (Slack et al.), section 2.1.
        """
        with self.session.lock:
            return self._answer(self.session.ask(question))

    async def ask_async(self, question: str) -> ChatAnswer:
        """Answer a question as `ask` does, without holding up other tasks of an event loop.

        Args:
            question: At most 500 characters.

        Returns:
            The answer, as of `ask`.

        Raises:
            ExecutionError: The question is empty or too long.

        Source:
            TalkToModel (Slack et al.), section 2.1.
        """
        return await asyncio.to_thread(self.ask, question)

    def readings(self, question: str) -> tuple[ChatReading, ...]:
        """Show how a question would be understood, without asking it.

        Args:
            question: At most 500 characters.

        Returns:
            Readings with their parse, words and probability (0 to 1), best first.

        Raises:
            ExecutionError: The question is empty or too long.

        Source:
            TalkToModel (Slack et al.), section 2.1.
        """
        understanding = self.session.understand(question)
        turn = Turn(0, question, understanding, None, (), Memory())
        return answer_of(self.session, turn, _unknown).readings

    def undo(self) -> ChatAnswer | None:
        """Take the last question back.

        Returns:
            What its answer was; None if nothing has been asked.
        """
        with self.session.lock:
            answers = self.answers
            self.session.undo()
            return answers[-1] if answers else None

    def restart(self) -> None:
        """Begin a new conversation about the same model."""
        self.session.restart()

    def correct(self, number: int, parse: str) -> ChatAnswer:
        """Answer a question again by another parse; later ones are answered again after it.

        Args:
            number: Which question, as `ChatAnswer.number` counts them.
            parse: What was meant, in the parse language.

        Returns:
            The new answer.

        Raises:
            ParseError: The parse is outside the grammar.
            ExecutionError: There is no such question, or what it asks for cannot be carried out.

        Source:
            TalkToModel (Slack et al.), A.2 for the grammar.
        """
        with self.session.lock:
            return self._answer(self.session.correct(number, parse))

    def parse(self, parse: str) -> ChatAnswer:
        """Answer a question that is written in the parse language, beside the conversation.

        Args:
            parse: Such as "filter age greater than 50 and score accuracy".

        Returns:
            The answer, with no `number` and no `confidence`.

        Raises:
            ParseError: The parse is outside the grammar.
            ExecutionError: What it asks for cannot be carried out.

        Source:
            TalkToModel (Slack et al.), section 2.1, A.2 and Table 1.
        """
        read = grammar_of(self.schema).read(parse)
        execution = self.session.loaded.engine.execute(read)
        turn = Turn(0, str(read), Understanding(str(read), (), True), read, execution.results, execution.memory)
        return answer_of(self.session, turn, _unknown, counted=False)

    def _answer(self, turn: Turn) -> ChatAnswer:
        return answer_of(self.session, turn, lambda index: self._choose(turn.number, index))

    def _choose(self, number: int, index: int) -> ChatAnswer:
        candidates = self.session.turn(number).understanding.candidates
        if not 0 <= index < len(candidates):
            raise ExecutionError(f"There is no reading {index}; they go from 0 to {len(candidates) - 1}.")
        return self.correct(number, str(candidates[index].parse))


def _unknown(index: int) -> ChatAnswer:
    raise ExecutionError("This answer is no part of a conversation, so there are no other readings to choose.")
