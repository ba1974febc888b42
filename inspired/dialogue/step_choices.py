"""What a correction in words can mean: the dialogue as each reading of it would leave it."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from backend.errors import InspiredError, LogicalFormError
from inspired.decomposition.steps import Step
from inspired.dialogue.dialogue import Dialogue, add_step, begin, put_step
from inspired.parsers.reading import History, ParseCorrector, QuestionReading, StepReading
from inspired.sub_questions.verbalise import verbalise

MOST, FEW = 6, 3
UNLIKELY = 0.01  # beyond the first few, what is less likely than this is not offered


@dataclass(frozen=True)
class StepChoice:
    """`dialogue` is what it would be, `question` the step in it that is new or other; `confidence` is from 0 to 1.

    `unused` are the words of the correction that this step does not explain.
    """

    dialogue: Dialogue
    question: str
    confidence: float
    unused: tuple[str, ...] = ()


def understood(parser: ParseCorrector, dialogue: Dialogue, number: int, inserts: bool, words: str) -> tuple[StepChoice, ...]:
    """What `words` can mean in place of step `number` (from 1), or before it if it `inserts`; the likeliest first.

    Raises InspiredError if they mean nothing here.
    """
    rejected = () if inserts else (dialogue.current.steps[number - 1],)
    readings = parser.correct(words, _history(dialogue, number, rejected), MOST)
    choices = _choices(dialogue, number, inserts, words, readings)
    if not choices:
        raise InspiredError("No step was found that means this and fits the others. Say it in other words, as a question.")
    return choices


def alternatives(
    parser: ParseCorrector | None, dialogue: Dialogue, number: int, readings: Iterable[QuestionReading]
) -> tuple[StepChoice, ...]:
    """What else step `number` could be, by its own words and by the other `readings` of the whole question."""
    step, earlier = dialogue.current.steps[number - 1], dialogue.current.steps[: number - 1]
    result: list[StepReading] = []
    if parser is not None:
        words = dialogue.words_of(number) or dialogue.in_words().questions[number - 1]
        with suppress(InspiredError):  # that its words have no other meaning is an answer too
            read = parser.correct(words, _history(dialogue, number, (step,)), MOST)
            result += [replace(each, unused=()) for each in read]  # other meanings of the step, not of what a person wrote
    for reading in readings:
        others = begin(reading.form, reading.names).current.steps
        if len(others) >= number and others[: number - 1] == earlier:
            result.append(StepReading(others[number - 1], reading.names, reading.confidence))
    return _choices(dialogue, number, False, "", [each for each in result if each.step != step])


def _history(dialogue: Dialogue, number: int, rejected: tuple[Step, ...]) -> History:
    earlier = dialogue.current.with_steps(dialogue.current.steps[: number - 1])
    nouns = verbalise(earlier, dialogue.names).nouns if earlier.steps else {}
    return History(dialogue.asked, earlier.steps, dialogue.current.frame.answer, rejected, nouns)


def _choices(
    dialogue: Dialogue, number: int, inserts: bool, words: str, readings: Iterable[StepReading]
) -> tuple[StepChoice, ...]:
    """One choice for each question that the step would be, if it is not the one that stands there."""
    by_text: dict[str, StepChoice] = {}
    present = None if inserts else dialogue.in_words().questions[number - 1]
    for each in sorted(readings, key=lambda reading: -reading.confidence):
        try:
            if inserts:
                then = add_step(dialogue, number - 1, (each.step,), words, each.names, each.unused)
            else:
                then = put_step(dialogue, number, (each.step,), words, each.names, each.unused)
        except LogicalFormError:  # such as a second step that sorts
            continue
        question = then.in_words().questions[number - 1]
        if question != present:
            by_text.setdefault(question, StepChoice(then, question, each.confidence, each.unused))
    choices = [each for index, each in enumerate(by_text.values()) if index < FEW or each.confidence >= UNLIKELY]
    return tuple(choices[:MOST])
