"""A quiz as somebody types it in the browser: a question, its options, the right one marked, and why.

Each question is a paragraph: the first line asks; `*` begins the right option, `-` each other one, `>` what is shown to those
who chose otherwise.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from annotation.words.catalogue import to_translate, translate
from backend.errors import AnnotationError

MOST_DRAWN = 8  # as INSPIRED has it
SIGNS = {"*": to_translate("the right option"), "-": to_translate("another option"), ">": to_translate("the explanation")}


@dataclass
class _TypedQuestion:
    line: int
    question: str
    options: list[str] = field(default_factory=list)
    correct: list[str] = field(default_factory=list)
    explanation: list[str] = field(default_factory=list)


def quiz_toml(text: str) -> str:
    """The file of questions. Raises AnnotationError naming the line of a question that is not whole."""
    questions = list(_questions(text))
    for each in questions:
        if len(each.options) < 2 or len(each.correct) != 1:
            raise AnnotationError(
                translate(
                    "Quiz, line {line}: “{question}” needs two options or more, each on a line that begins with -, or with * "
                    "if it is the right one.",
                    line=each.line,
                    question=f"{each.question:.60}",
                )
            )
    return "\n".join(_table(each) for each in questions)


def quiz_table(text: str) -> str:
    """The table `[quiz]` for so many questions: at most eight are drawn, and one may be wrong where there are more than two."""
    drawn = min(MOST_DRAWN, len(list(_questions(text))))
    return f'\n[quiz]\nquestions = "quiz.toml"\ndraw = {drawn}\npass_mark = {drawn - 1 if drawn > 2 else drawn}\n'


def _questions(text: str) -> Iterator[_TypedQuestion]:
    now: _TypedQuestion | None = None
    for number, line in enumerate([*text.splitlines(), ""], 1):
        words = line.strip()
        if not words:
            if now is not None:
                yield now
            now = None
        elif now is None:
            if words[0] in SIGNS:
                raise AnnotationError(
                    translate(
                        "Quiz, line {line}: a question comes before {what}.", line=number, what=translate(SIGNS[words[0]])
                    )
                )
            now = _TypedQuestion(number, words)
        else:
            _read(now, words, number)


def _read(question: _TypedQuestion, words: str, number: int) -> None:
    sign, rest = words[0], words[1:].strip()
    if sign not in SIGNS or not rest:
        signs = ", ".join(f"{each} ({translate(about)})" for each, about in SIGNS.items())
        raise AnnotationError(
            translate("Quiz, line {line}: after the question, a line begins with one of {signs}.", line=number, signs=signs)
        )
    if sign == ">":
        question.explanation.append(rest)
        return
    question.options.append(rest)
    if sign == "*":
        question.correct.append(rest)


def _table(each: _TypedQuestion) -> str:
    explanation = " ".join(each.explanation) or translate("Right is: {answer}", answer=each.correct[0])
    values = {"question": each.question, "options": each.options, "correct": each.correct[0], "explanation": explanation}
    return "[[question]]\n" + "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
