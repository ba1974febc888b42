"""Dialogues, answers and drawings as HTML; every text that came from a person or a knowledge base is escaped."""

import re
from collections.abc import Sequence

from backend.text.markup import escape_html
from backend.text.words import percent
from inspired.decomposition.correction_operations import Kind
from inspired.decomposition.decompose import COMPARATIVE, COMPOSITION, CONJUNCTION, SIMPLE, SUPERLATIVE, question_type
from inspired.decomposition.steps import problems
from inspired.dialogue.dialogue import Dialogue, ShownAnswer, begin
from inspired.dialogue.last_change import ChangedStep, LastChange, last_change
from inspired.dialogue.session import Assistant
from inspired.dialogue.step_choices import StepChoice
from inspired.parsers.reading import QuestionReading
from inspired.ui.coloured_code import coloured

ABOUT_TYPES = {
    COMPOSITION: "what one step finds leads to the next",
    CONJUNCTION: "the answer meets several conditions",
    COMPARATIVE: "a value of the answer lies above or below a limit",
    SUPERLATIVE: "the answer comes first in an order",
    SIMPLE: "one step is enough",
}
EMPTY = (
    '<div class="kb-empty"><p>The answer appears here, and under it the steps that led to it.</p>'
    "<p>Each step is a small question with its own answer. If one is not what you meant, say it in your own words.</p></div>"
)
BY_MODEL = "The steps are worded by a trained model, where it names all that is looked up, and else by templates."
TEMPLATED = "The steps are worded by templates from what is looked up."
HOW_TO_CHOOSE = (
    "Another one is asked if Parley is started with --kb, or with PARLEY_KB in its environment: an RDF file, or the address "
    "of a SPARQL endpoint."
)
MARKS: dict[Kind, str] = {"keep": "kept", "insert": "new", "replace": "changed", "delete": "deleted"}
BIG, FEW = 5, 4  # answers shown at once: of the whole question, and of a step
_ABOUT_VARIABLES = (
    (re.compile(r" \?\w+, the answer"), " the answer"),
    (re.compile(r": no variable is shared"), ""),
    (re.compile(r" by \?\w+, which"), " by something that"),
)


def progress_html(fraction: float, text: str) -> str:
    bar = f'<progress value="{fraction:.3f}" max="1"></progress>'
    return f'<p class="kb-progress" role="status">{bar} {escape_html(text)} …</p>'


def problem_html(text: str) -> str:
    return f'<div class="kb-problems" role="alert">{escape_html(text)}</div>'


def source_html(assistant: Assistant) -> str:
    """The knowledge base in a line: its name and size; its sources, and how to ask another one, on request."""
    size = assistant.size()
    line = f"Knowledge base: {escape_html(assistant.label)}{f' · {escape_html(size)}' if size else ''}"
    return (
        f'<details class="kb-source"><summary>{line}</summary>'
        f"<p>{escape_html(assistant.about)}</p><p>{escape_html(HOW_TO_CHOOSE)}</p></details>"
    )


def question_html(dialogue: Dialogue) -> str:
    return f'<p class="kb-asked">{escape_html(dialogue.asked or "A query without a question in words")}</p>'


def steps_html(dialogue: Dialogue) -> str:
    """What stands over the steps: how many of which kind, and where their words come from."""
    kind, steps = question_type(dialogue.current), len(dialogue.current.steps)
    count = "One step" if steps == 1 else f"{steps} steps"
    return (
        f'<h3>How it was answered</h3><p class="kb-type"><span class="kb-badge">{kind.capitalize()}</span> '
        f"{count}: {ABOUT_TYPES[kind]}. {BY_MODEL if any(dialogue.wordings) else TEMPLATED}</p>"
    )


def problems_html(dialogue: Dialogue) -> str:
    """What the corrections have left undone; empty if nothing."""
    reasons = problems(dialogue.current)
    if not reasons:
        return ""
    items = "".join(f"<li>{escape_html(plainly(each))}</li>" for each in reasons)
    title = "<strong>These steps do not make a question yet.</strong>"
    return f'<div class="kb-problems" role="status">{title}<ul>{items}</ul></div>'


def answer_html(dialogue: Dialogue) -> str:
    """The final answer, big; the rest of a long one behind "show all"."""
    answers = dialogue.answers
    final = answers.final if answers else None
    if final is None:
        body = '<p class="kb-final kb-none">Not looked up</p>'
    elif not final.answers:
        body = f'<p class="kb-final kb-none">{"Not answered" if final.problem else "No answer"}</p>{_why(dialogue, final)}'
    else:
        body = _many(final) + (_quiet(plainly(final.problem)) if final.problem else "")
    recorded = _quiet("As recorded in the file that you opened.") if answers and answers.recorded else ""
    return f'<section class="kb-answer" aria-label="Answer"><h3>Answer</h3>{body}{recorded}</section>'


def _many(answer: ShownAnswer) -> str:
    first, rest = answer.answers[:BIG], answer.answers[BIG:]
    big = "".join(f"<li>{escape_html(each)}</li>" for each in first)
    count = f"{'more than ' if answer.more else ''}{len(answer.answers)} answers"
    if not rest:
        tail = _quiet(count) if len(first) > 1 or answer.more else ""
    else:
        items = "".join(f"<li>{escape_html(each)}</li>" for each in rest)
        tail = f'<details class="kb-rest"><summary>{count}; show all</summary><ul>{items}</ul></details>'
    return f'<ul class="kb-final">{big}</ul>{tail}'


def _why(dialogue: Dialogue, answer: ShownAnswer) -> str:
    """Why there is no answer: the error of the knowledge base, or the first step that finds nothing."""
    if answer.problem:
        return _quiet(plainly(answer.problem))
    for number in range(1, len(dialogue.current.steps) + 1):
        step = dialogue.answer_of(number)
        if step is not None and not step.answers:
            return _quiet(f"Step {number} is the first that finds nothing: no such fact is in the knowledge base.")
    return _quiet("No fact in the knowledge base fits all the steps together.")


def step_html(dialogue: Dialogue, number: int, kind: Kind | None) -> str:
    """One step: its number, its question, its answers, and what the last correction did to it."""
    question = dialogue.asked_as(number)
    own = dialogue.words_of(number)
    quoted = f'<p class="kb-own">In your words: “{escape_html(own)}”</p>' if own and own != question else ""
    code = f"<summary>Logical form</summary><pre><code>{coloured(dialogue.step_text(number))}</code></pre>"
    return (
        f'<div class="kb-step"><span class="kb-number" aria-hidden="true">{number}</span><div class="kb-said">'
        f'<p class="kb-question"><span class="kb-hidden">Step {number}: </span>{escape_html(question)}{_mark(kind)}</p>'
        f'{quoted}{shown_answer_html(dialogue.answer_of(number))}<details class="kb-code">{code}</details></div></div>'
    )


def shown_answer_html(answer: ShownAnswer | None) -> str:
    """The answers of a step: the first few, and how many more there are."""
    if answer is None:
        return _quiet("Not looked up.")
    if not answer.answers:
        return _quiet(plainly(answer.problem or "No answer."))
    few, rest = answer.answers[:FEW], answer.answers[FEW:]
    shown = "".join(f"<li>{escape_html(each)}</li>" for each in few)
    more = ""
    if rest:
        items = "".join(f"<li>{escape_html(each)}</li>" for each in rest)
        at_least = "more than " if answer.more else ""
        more = f'<details class="kb-rest"><summary>and {at_least}{len(rest)} more</summary><ul>{items}</ul></details>'
    note = _quiet(plainly(answer.problem)) if answer.problem else ""
    return f'<ul class="kb-found" aria-label="Answers of this step">{shown}</ul>{more}{note}'


def change_html(dialogue: Dialogue) -> str:
    """What the last correction changed; empty before the first one."""
    change = last_change(dialogue)
    if change is None:
        return ""
    items = "".join(f"<li>{_changed(each)}</li>" for each in change.steps if each.kind != "keep")
    return (
        '<div class="kb-change" role="status"><strong>What your correction changed</strong>'
        f"<p>{_before_and_after(change)}</p><ul>{items}</ul></div>"
    )


def _before_and_after(change: LastChange) -> str:
    before, after = _short(change.before), _short(change.after)
    if before == after:
        return f"The answer stays the same: <b>{after}</b>."
    return f'Answer before: <s>{before}</s> <span aria-hidden="true">→</span> now: <b>{after}</b>'


def _short(answer: ShownAnswer | None) -> str:
    if answer is None:
        return "not looked up"
    if not answer.answers:
        return "none"
    rest = len(answer.answers) - FEW
    return escape_html(", ".join(answer.answers[:FEW])) + (f" and {rest} more" if rest > 0 else "")


def _changed(step: ChangedStep) -> str:
    question, before = escape_html(step.question), escape_html(step.before)
    if step.kind == "delete":
        return f"Deleted: <s>{question}</s>"
    if step.kind == "insert":
        return f"New step {step.number}: {question}"
    if step.question == step.before:
        return f"Changed step {step.number}: it says the same in words, but of something else of that name."
    return f"Changed step {step.number}: <s>{before}</s> → {question}"


def history_html(dialogue: Dialogue) -> str:
    if not dialogue.feedback:
        return ""
    items = "".join(f"<li>{escape_html(each)}</li>" for each in dialogue.feedback)
    return f'<div class="kb-history"><h3>Your corrections</h3><ol>{items}</ol></div>'


def drawing_html(drawing: str, sentences: Sequence[str]) -> str:
    """`drawing` is SVG that is already safe; the sentences say the same without it."""
    items = "".join(f"<li>{escape_html(each)}</li>" for each in sentences)
    return (
        f'<section class="kb-drawing"><h3>How the parts hang together</h3>{drawing}'
        f'<details class="kb-rest"><summary>The drawing in words</summary><ul>{items}</ul></details></section>'
    )


def doubt_html(name: str) -> str:
    return f'<p class="kb-doubt">“{escape_html(name)}” can mean different things. Which one do you mean?</p>'


def unused_html(words: Sequence[str]) -> str:
    listed = ", ".join(f"“{escape_html(each)}”" for each in words)
    return f'<p class="kb-doubt">I did not use: {listed}. The answer may miss what they say.</p>'


def unsure_html(confidence: float) -> str:
    more = "Look at the steps, and at the other readings of your question."
    return f'<p class="kb-doubt">I am not sure that this is what you asked ({confidence_words(confidence)} likely). {more}</p>'


def reading_html(reading: QuestionReading) -> str:
    """Another reading of the question: its steps, and how likely it is."""
    questions = begin(reading.form, reading.names).in_words().questions
    items = "".join(f"<li>{escape_html(each)}</li>" for each in questions)
    return f'<ol class="kb-reading-steps">{items}</ol><p class="kb-quiet">{confidence_words(reading.confidence)} likely</p>'


def choice_words(choice: StepChoice) -> str:
    """As plain text, for a list to choose from."""
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


def _mark(kind: Kind | None) -> str:
    return f' <span class="kb-mark kb-{kind}">{MARKS[kind]}</span>' if kind else ""


def _quiet(text: str) -> str:
    return f'<p class="kb-quiet">{escape_html(text)}</p>'
