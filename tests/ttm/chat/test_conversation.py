"""Turns of a conversation: asking back, undoing, editing, correcting, and that conversations never mix."""

from dataclasses import dataclass, field

import pytest

from backend.errors import ExecutionError, ParseError
from tests.ttm.conftest import awkward_engine
from ttm.chat.conversation import Conversation
from ttm.language.grammar import grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.predictions.run import MeanProbabilities
from ttm.parsers import ALONE, DialogueContext, ParseCandidate, Understanding


@dataclass
class Scripted:
    """Reads every utterance as the parse that it is; "?" is asked back about."""

    engine: ExecutionEngine
    contexts: list[DialogueContext] = field(default_factory=list)

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        self.contexts.append(context)
        if utterance == "?":
            return Understanding(utterance, (), False, "What do you mean?")
        parse = grammar_of(self.engine.schema).read(utterance)
        return Understanding(utterance, (ParseCandidate(parse, 0.9),), True)


@pytest.fixture
def conversation() -> Conversation:
    engine = awkward_engine("binary")
    return Conversation(engine, Scripted(engine))


def counts(conversation: Conversation) -> list[int]:
    return [turn.results[0].group.rows for turn in conversation.turns if turn.results]


def test_turns_build_on_each_other(conversation: Conversation) -> None:
    conversation.ask("filter age greater than 40")
    narrower = conversation.ask("previousfilter and filter smoker true")
    assert [turn.number for turn in conversation.turns] == [1, 2]
    assert counts(conversation)[0] > counts(conversation)[1] == narrower.results[0].group.rows


def test_the_parser_learns_what_can_be_referred_to(conversation: Conversation) -> None:
    for utterance in ("?", "predict", "filter age greater than 40", "countdata"):
        conversation.ask(utterance)
    contexts = conversation.parser.contexts  # type: ignore[attr-defined]
    assert contexts[0] == ALONE
    assert [context.utterance for context in contexts] == ["", "?", "predict", "filter age greater than 40"]
    assert contexts[1].question, "what was asked back stays open"
    assert [context.rows is not None for context in contexts] == [False, False, False, True]
    assert [str(context.parse) for context in contexts[2:]] == ["predict [e]", "filter age greater than 40 [e]"]


def test_the_next_turn_trusts_this_one_as_far_as_it_was_sure_of_it(conversation: Conversation) -> None:
    assert conversation.context.trust == 1
    conversation.ask("filter age greater than 40")
    conversation.ask("?")
    assert conversation.context.trust == 0.9, "what cannot be gone on from changes nothing"
    conversation.correct(1, "filter age less than 40")
    assert conversation.context.trust == 1, "a person said so"


def test_asking_back_answers_nothing_and_forgets_nothing(conversation: Conversation) -> None:
    conversation.ask("filter age greater than 40")
    turn = conversation.ask("?")
    assert (turn.parse, turn.results) == (None, ())
    assert conversation.ask("previousfilter").results[0].group.rows == counts(conversation)[0]


def test_undo_takes_back_the_last_turn_and_its_memory(conversation: Conversation) -> None:
    conversation.ask("filter age greater than 40")
    conversation.ask("filter age greater than 60")
    undone = conversation.undo()
    assert undone is not None
    assert undone.utterance == "filter age greater than 60"
    assert conversation.ask("previousfilter").results[0].group.rows == counts(conversation)[0]
    assert conversation.turns[-1].number == 3, "numbers are not used twice"
    while conversation.undo():
        pass
    assert conversation.undo() is None


def test_editing_a_question_answers_later_turns_again(conversation: Conversation) -> None:
    for utterance in ("filter age greater than 40", "previousfilter and filter smoker true", "countdata"):
        conversation.ask(utterance)
    before = counts(conversation)
    conversation.edit(2, "previousfilter")
    assert [turn.utterance for turn in conversation.turns] == ["filter age greater than 40", "previousfilter", "countdata"]
    assert counts(conversation)[1] == counts(conversation)[0] > before[1]


def test_correcting_a_parse_answers_later_turns_again(conversation: Conversation) -> None:
    conversation.ask("filter age greater than 40 and predict")
    conversation.ask("previousfilter and countdata")
    conversation.ask("?")
    before = counts(conversation)
    turn = conversation.correct(1, "filter age greater than 60 and likelihood")
    assert isinstance(turn.results[0], MeanProbabilities)
    assert (turn.number, turn.corrected, turn.utterance) == (1, True, "filter age greater than 40 and predict")
    assert [t.number for t in conversation.turns] == [1, 2, 3]
    assert [t.corrected for t in conversation.turns] == [True, False, False]
    assert counts(conversation)[0] == counts(conversation)[1] < before[1]


def test_a_correction_that_does_not_parse_changes_nothing(conversation: Conversation) -> None:
    conversation.ask("filter age greater than 40")
    turns = list(conversation.turns)
    with pytest.raises(ParseError):
        conversation.correct(1, "filter age about 40")
    with pytest.raises(ExecutionError, match="no turn 7"):
        conversation.correct(7, "predict")
    with pytest.raises(ExecutionError, match="no turn 7"):
        conversation.edit(7, "predict")
    assert conversation.turns == turns


def test_a_suggestion_is_a_turn_like_any_other(conversation: Conversation) -> None:
    conversation.ask("filter age greater than 40")
    turn = conversation.ask_parse(grammar_of(conversation.engine.schema).read("previousfilter and likelihood"), "How likely?")
    assert turn.utterance == "How likely?"
    assert turn.results[0].group.rows == counts(conversation)[0]


def test_conversations_on_one_engine_never_mix(conversation: Conversation) -> None:
    other = Conversation(conversation.engine, conversation.parser)
    conversation.ask("filter age greater than 60")
    other.ask("filter age greater than 20")
    assert conversation.ask("previousfilter").results[0].group.rows == counts(conversation)[0]
    assert other.ask("previousfilter").results[0].group.rows == counts(other)[0] != counts(conversation)[0]
