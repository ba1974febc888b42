"""A question that is asked after another one: on a page, by a program, or in Python."""

from collections import ChainMap
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from backend.errors import InspiredError
from backend.jobs import ReportProgress
from inspired.dialogue.intermediate_answers import final_answer
from inspired.dialogue.readings import AskedQuestion, with_steps
from inspired.dialogue.remembered_questions import RememberedQuestions
from inspired.dialogue.session import READINGS, Assistant, Parts, checked
from inspired.parsers.follow_ups.before import Before, gone_on_from
from inspired.parsers.follow_ups.new_subject import read_after
from inspired.parsers.in_place import parser_about


def ask_after(
    assistant: Assistant,
    remembered: RememberedQuestions | None,
    after: AskedQuestion | None,
    question: str,
    report: ReportProgress,
) -> AskedQuestion:
    """What a question is understood as, with its answers: in the context of the one before if it goes on from that.

    Else, where there was none before, and in words whose correction was accepted, it is read by itself, as the `remembered`
    corrections have it. Raises InspiredError if it is not understood.
    """
    alone = assistant.ask if remembered is None else partial(remembered.ask, assistant)
    if after is None:
        return alone(question, report)
    text, before = checked(question, "question"), before_of(after, assistant.parts(report))
    if remembered is not None and remembered.knows(text):
        return replace(alone(text, report), earlier=before)
    report(0.2, "Working out what the question asks")
    parser = parser_about(assistant.parts(report).questions, text, [each.question for each in before.chain()])
    understood = None
    if parser is not None:
        with suppress(InspiredError):  # which is said by who reads it alone
            understood = read_after(parser, text, before, READINGS)
    readings = tuple(with_steps(understood.readings)) if understood else ()
    if understood is None or not readings or not understood.goes_on:
        return replace(alone(text, report, readings), earlier=before)
    stands_alone = bool(understood.alone) and not understood.alone[0].improbable
    asked, follows = assistant.ask_as(readings, text, report), gone_on_from(before, readings[0].form).question
    return replace(asked, earlier=before, follows=follows, whole=understood.whole, stands_alone=stands_alone)


def ask_all(
    assistant: Assistant, remembered: RememberedQuestions | None, questions: Iterable[str], report: ReportProgress
) -> AskedQuestion | None:
    """Questions one after another, and what the last that is understood was understood as."""
    after = None
    for each in questions:
        with suppress(InspiredError):  # what is not understood is nothing to go on from
            after = ask_after(assistant, remembered, after, each, report)
    return after


def before_of(asked: AskedQuestion, parts: Parts) -> Before:
    """A question as it is now, with its corrections, for one that is asked after it."""
    dialogue = asked.dialogue
    words = asked.whole or dialogue.asked or " ".join(dialogue.in_words().questions)
    answers = final_answer(dialogue.current, parts.kb, ChainMap(dict(dialogue.names), parts.names)).answers
    sure = asked.reading.confidence if asked.reading is not None and not dialogue.feedback else 1.0
    return Before(words, dialogue.form, tuple(each.node for each in answers), asked.earlier, sure).recent()
