"""Dialogues as HTML; every text that came from a person is escaped."""

from __future__ import annotations

import html
import re

from inspired.decompose import COMPARATIVE, COMPOSITION, CONJUNCTION, SIMPLE, SUPERLATIVE, question_type
from inspired.dialogue import Dialogue
from inspired.steps import problems

ABOUT_TYPES = {
    COMPOSITION: "an answer on the way leads to the final one",
    CONJUNCTION: "the answer meets all of several conditions",
    COMPARATIVE: "the answer's value lies above or below a limit",
    SUPERLATIVE: "the answer is first in an order",
    SIMPLE: "one step is enough",
}
_TOKEN = re.compile(
    r"(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<name>\[[^\[\]\n]+\])|(?P<variable>\?\w+)|(?P<word>\b(?:FILTER|UNION|NOT|EXISTS|ORDER|BY|DESC|LIMIT|OFFSET)\b)"
)


def type_html(dialogue: Dialogue) -> str:
    kind = question_type(dialogue.current)
    steps = len(dialogue.current.steps)
    count = "1 step" if steps == 1 else f"{steps} steps"
    asked = f'<p class="kb-asked">{html.escape(dialogue.question)}</p>' if dialogue.question else ""
    return (
        f'{asked}<p class="kb-type"><span class="kb-badge">{kind.capitalize()}</span> '
        f"<span>{count}; {ABOUT_TYPES[kind]}.</span></p>"
    )


def problems_html(dialogue: Dialogue) -> str:
    """What the corrections have left undone; empty if nothing."""
    found = problems(dialogue.current)
    if not found:
        return ""
    items = "".join(f"<li>{html.escape(each)}</li>" for each in found)
    title = "<strong>These steps do not make a question yet.</strong>"
    return f'<div class="kb-problems" role="status">{title}<ul>{items}</ul></div>'


def step_html(number: int, question: str, code: str) -> str:
    """One step: its number, its question and, unless empty, its sub-logical form."""
    shown = f'<pre class="kb-code"><code>{_coloured(code)}</code></pre>' if code else ""
    return (
        f'<div class="kb-step"><span class="kb-number" aria-hidden="true">{number}</span><div class="kb-said">'
        f'<p class="kb-question"><span class="kb-hidden">Step {number}: </span>{html.escape(question)}</p>'
        f"{shown}</div></div>"
    )


def history_html(dialogue: Dialogue) -> str:
    if not dialogue.feedback:
        return ""
    items = "".join(f"<li>{html.escape(each)}</li>" for each in dialogue.feedback)
    return f'<div class="kb-history"><strong>Your corrections</strong><ol>{items}</ol></div>'


def _coloured(code: str) -> str:
    """Code with its parts marked for colour, and each predicate allowed to break at its dots."""
    pieces, last = [], 0
    for match in _TOKEN.finditer(code):
        pieces += [_breakable(code[last : match.start()]), f'<span class="kb-{match.lastgroup}">{html.escape(match[0])}</span>']
        last = match.end()
    return "".join([*pieces, _breakable(code[last:])])


def _breakable(text: str) -> str:
    return re.sub(r"([._])(?=\w)", r"\1<wbr>", html.escape(text))
