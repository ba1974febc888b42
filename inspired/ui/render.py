"""Dialogues, answers and drawings as HTML, by `render.html.jinja`, which escapes what came from people and knowledge bases."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from backend.text.templates import Macros
from backend.text.words import in_quotes, percent
from inspired.decomposition.correction_operations import Kind
from inspired.decomposition.decompose import COMPARATIVE, COMPOSITION, CONJUNCTION, SIMPLE, SUPERLATIVE, question_type
from inspired.decomposition.steps import problems
from inspired.dialogue.dialogue import Dialogue, ShownAnswer, begin
from inspired.dialogue.last_change import last_change
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.session import Assistant
from inspired.dialogue.step_choices import StepChoice
from inspired.parsers.reading import QuestionReading
from inspired.ui.coloured_code import coloured

HTML = Macros(__file__)
ABOUT_TYPES = {
    COMPOSITION: "what one step finds leads to the next",
    CONJUNCTION: "the answer meets several conditions",
    COMPARATIVE: "a value of the answer lies above or below a limit",
    SUPERLATIVE: "the answer comes first in an order",
    SIMPLE: "one step is enough",
}
BY_MODEL = "The steps are worded by a trained model, where it names all that is looked up, and else by templates."
TEMPLATED = "The steps are worded by templates from what is looked up."
HOW_TO_CHOOSE = (
    "A file of your own can be dropped below. Everybody asks another one if Parley is started with --kb, or with PARLEY_KB in "
    "its environment: an RDF file, or the address of a SPARQL endpoint."
)
MARKS: dict[Kind, str] = {"keep": "kept", "insert": "new", "replace": "changed", "delete": "deleted"}
BIG, FEW = 5, 4  # answers shown at once: of the whole question, and of a step
_ABOUT_VARIABLES = (
    (re.compile(r" \?\w+, the answer"), " the answer"),
    (re.compile(r": no variable is shared"), ""),
    (re.compile(r" by \?\w+, which"), " by something that"),
)


@dataclass(frozen=True)
class RefusedQuestion:
    """A question that has no answer, and why: it was not understood, or it was stopped."""

    question: str
    reason: str


def empty_html(example_comes: bool) -> str:
    """What stands where the answer will; `example_comes` where one is answered without being asked for."""
    return HTML("empty", example_comes)


def example_html() -> str:
    """What stands over an example that nobody asked."""
    return HTML("example")


def progress_html(
    fraction: float, text: str, question: str = "", waiting: Sequence[str] = (), refused: Sequence[RefusedQuestion] = ()
) -> str:
    return refusals_html(refused) + HTML("progress", f"{fraction:.3f}", text, question, waiting)


def refusals_html(refused: Sequence[RefusedQuestion], latest: bool = False) -> Markup:
    """Questions without an answer, each with the reason; `latest`: nothing was answered after the last of them."""
    return HTML("refusals", refused, latest)


def refused_html(about: str, reason: str) -> str:
    """Why there is no answer, under what was to be answered; `about` is empty where that stands on the screen anyway."""
    return HTML("refused", about, reason)


def problem_html(text: str) -> str:
    return HTML("problem", text)


def source_html(assistant: Assistant, own: bool = False) -> str:
    """The knowledge base in a line: its name and size; its sources, and how to ask another one, on request.

    `own`: a visitor brought it, so that questions about it are asked of nothing else.
    """
    return HTML("source", assistant.label, assistant.size(), assistant.about, HOW_TO_CHOOSE, own)


def question_html(dialogue: Dialogue) -> str:
    return HTML("question", dialogue.asked or "A query without a question in words")


def steps_html(dialogue: Dialogue, improbable: bool = False) -> str:
    """What stands over the steps: how many of which kind, and where their words come from."""
    heading = "The steps of the likeliest reading" if improbable else "How it was answered"
    kind, steps = question_type(dialogue.current), len(dialogue.current.steps)
    count = "One step" if steps == 1 else f"{steps} steps"
    origin = BY_MODEL if any(dialogue.wordings) else TEMPLATED
    return HTML("steps", heading, kind.capitalize(), count, ABOUT_TYPES[kind], origin)


def problems_html(dialogue: Dialogue) -> str:
    """What the corrections have left undone; empty if nothing."""
    reasons = problems(dialogue.current)
    return HTML("problems", map(plainly, reasons)) if reasons else ""


def answer_html(dialogue: Dialogue, doubtful: bool = False) -> str:
    """The final answer, big unless it is doubtful; the rest of a long one behind "show all"."""
    answers = dialogue.answers
    final = answers.final if answers else None
    if final is None:
        body = HTML("no_answer", "Not looked up", "")
    elif not final.answers:
        body = HTML("no_answer", "Not answered" if final.problem else "No answer", _why(dialogue, final))
    else:
        body = HTML("many", final.answers[:BIG], final.answers[BIG:], final.more, plainly(final.problem or final.note))
    return HTML("answer", body, answers is not None and answers.recorded, doubtful)


def _why(dialogue: Dialogue, answer: ShownAnswer) -> str:
    """Why there is no answer: the error of the knowledge base, or the first step that finds nothing."""
    if answer.problem:
        return plainly(answer.problem)
    for number in range(1, len(dialogue.current.steps) + 1):
        step = dialogue.answer_of(number)
        if step is not None and not step.answers:
            return f"Step {number} is the first that finds nothing: no such fact is in the knowledge base."
    return "No fact in the knowledge base fits all the steps together."


def step_html(dialogue: Dialogue, number: int, kind: Kind | None) -> str:
    """One step: its number, its question, its answers, and what the last correction did to it."""
    answer, code = shown_answer_html(dialogue.answer_of(number)), coloured(dialogue.step_text(number))
    mark = MARKS[kind] if kind else ""
    return HTML("step", number, dialogue.asked_as(number), dialogue.words_of(number), mark, kind, answer, code)


def shown_answer_html(answer: ShownAnswer | None) -> Markup:
    """The answers of a step: the first few, and how many more there are."""
    if answer is None:
        return HTML("quiet", "Not looked up.")
    if not answer.answers:
        return HTML("quiet", plainly(answer.problem or "No answer."))
    return HTML("step_answer", answer.answers[:FEW], answer.answers[FEW:], answer.more, plainly(answer.problem or ""))


def corrected_html(reviewer: str) -> str:
    """Whose accepted correction the question is understood by."""
    return HTML("quiet", f"Understood as corrected by {reviewer}.")


def offered_html(reviewer: str) -> str:
    """That a reading is offered which was corrected for close words."""
    ask = "Is that what you mean? It stands first under “Other readings of your question”."
    return HTML("doubt", f"A close question was understood otherwise, as corrected by {reviewer}. {ask}")


def follow_up_html(asked: AskedQuestion) -> str:
    """What a follow-up goes on from, and in which words it stands for itself, if there are others than its own."""
    other = f", as “{asked.whole}”" if asked.whole not in (asked.dialogue.asked, asked.follows) else ""
    text = f"Understood as a follow-up to “{asked.follows}”{other}."
    return HTML("quiet" if asked.follows == asked.goes_on_from[-1] else "doubt", text)


def keeping_html(text: str) -> str:
    return HTML("quiet", text)


def change_html(dialogue: Dialogue) -> str:
    """What the last correction changed; empty before the first one."""
    change = last_change(dialogue)
    if change is None:
        return ""
    return HTML("change", _short(change.before), _short(change.after), [each for each in change.steps if each.kind != "keep"])


def _short(answer: ShownAnswer | None) -> str:
    if answer is None:
        return "not looked up"
    if not answer.answers:
        return "none"
    rest = len(answer.answers) - FEW
    return ", ".join(answer.answers[:FEW]) + (f" and {rest} more" if rest > 0 else "")


def history_html(dialogue: Dialogue) -> str:
    return HTML("history", dialogue.feedback) if dialogue.feedback else ""


def drawing_html(drawing: str, sentences: Sequence[str]) -> str:
    """`drawing` is SVG that is already safe; the sentences say the same without it."""
    return HTML("drawing", Markup(drawing), sentences)


def doubt_html(name: str) -> str:
    return HTML("doubt", f"“{name}” can mean different things. Which one do you mean?")


def unused_html(words: Sequence[str]) -> str:
    return HTML("doubt", f"I did not use: {in_quotes(words)}. The answer may miss what they say.")


def unsure_html(reading: QuestionReading, improbable: bool = False) -> str:
    """A doubt about a reading; an `improbable` one is no answer (`AskedQuestion.is_improbable`)."""
    if improbable:
        likely = f"the likeliest reading of it is improbable ({confidence_words(reading.confidence)} likely)"
        return HTML("doubt", f"Nothing here seems to answer your question: {likely}. Ask in other words, or correct the steps.")
    why = "words of it were left out" if reading.unused else f"{confidence_words(reading.confidence)} likely"
    more = "Look at the steps and at the other readings before you rely on the answer."
    return HTML("doubt", f"I am not sure that this is what you asked ({why}). {more}")


def reading_html(reading: QuestionReading) -> str:
    """Another reading of the question: its steps, and how likely it is."""
    questions = begin(reading.form, reading.names).in_words().questions
    by = reading.corrected_by
    likely = f"as corrected by {by} for close words" if by else f"{confidence_words(reading.confidence)} likely"
    return HTML("reading", questions, likely)


def choice_words(choice: StepChoice) -> str:
    """As plain text, for a list to choose from: how likely it is, or what of the correction is missing in it."""
    if choice.unused:
        return f"{choice.question} (not used: {in_quotes(choice.unused)})"
    return f"{choice.question} ({confidence_words(choice.confidence)} likely)"


def confidence_words(confidence: float) -> str:
    if confidence < 0.01:
        return "less than 1%"
    return "more than 99%" if confidence > 0.99 else percent(confidence)


def plainly(text: str) -> str:
    """The message about steps that do not fit, without the variables, which only the logical form shows."""
    for pattern, words in _ABOUT_VARIABLES:
        text = pattern.sub(words, text)
    return text
