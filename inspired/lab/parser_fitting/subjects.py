"""What the default parser learns from conversations of people: when a question begins a new subject (`new_subject`).

Their follow-ups are read in context and alone, and so is each question that opens a conversation, behind the one that opens
the conversation before: what has the right answer is what was meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backend.errors import KnowledgeBaseError
from inspired.knowledge_base.seam import KnowledgeBase
from inspired.knowledge_base.vocabulary import Node
from inspired.lab.parser_fitting.people import Author, answers_of, authors_in, fair_answers
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.sparql_writer import write_sparql
from inspired.parsers.follow_ups.before import Before, without_interjections
from inspired.parsers.follow_ups.new_subject import GOES_ON, NewSubject, Readings, both_ways, evidence

_READINGS = 5
_UNDECIDED = 0.15  # weight of a question that both ways answer rightly, or neither: how it was asked is what was meant
_MOST_ANSWERS = 5000


@dataclass(frozen=True)
class WeighedFollowUp:
    """A question of `author` whose readings alone and in context differ; `follows` says that it was asked as a follow-up.

    `right` are whether the one alone and the one in context are answered rightly.
    """

    author: str
    evidence: tuple[float, ...]
    right: tuple[bool, bool]
    follows: bool

    @property
    def goes_on(self) -> bool:
        return self.follows if self.right[0] == self.right[1] else self.right[1]

    @property
    def weight(self) -> float:
        return _UNDECIDED if self.right[0] == self.right[1] else 1.0


def weighed_follow_ups(corpus: Path) -> Iterator[WeighedFollowUp]:
    """The questions of all authors in `corpus` that are read otherwise in context. Raises InspiredError if it has no author."""
    for author in authors_in(corpus):
        yield from _weighed(author)


def _weighed(author: Author) -> Iterator[WeighedFollowUp]:
    parser = author.parser
    opened: Before | None = None  # by the first question of the conversation before
    before: Before | None = None
    conversation: object = None
    for line in author.lines:
        question, follows = line["question"], line["conversation"] == conversation
        context = before if follows else opened
        alone, in_context, whole = both_ways(parser, question, context, _READINGS)
        if in_context and not (alone and equivalent(alone[0].form, in_context[0].form)):
            right = (_is_right(alone, line, author.kb), _is_right(in_context, line, author.kb))
            analysis = parser.analyse(without_interjections(question))
            yield WeighedFollowUp(author.name, evidence(analysis, alone, in_context), right, follows)
        taken = in_context if follows and in_context else alone
        if taken:
            before = Before(whole, taken[0].form, _nodes(taken, author.kb), before if follows else None)
            opened = opened if follows else before
        conversation = line["conversation"]


def _is_right(readings: Readings, line: Mapping[str, Any], kb: KnowledgeBase) -> bool:
    if not readings or readings[0].improbable:
        return bool(line.get("refuse"))
    return answers_of(write_sparql(readings[0].form), kb) in fair_answers(line)


def _nodes(readings: Readings, kb: KnowledgeBase) -> tuple[Node, ...]:
    try:
        rows = kb.select(write_sparql(readings[0].form), _MOST_ANSWERS).rows
    except KnowledgeBaseError:
        return ()
    return tuple(row[0] for row in rows if row[0] is not None)


def fit_new_subject(questions: Sequence[WeighedFollowUp]) -> NewSubject:
    """A logistic regression over the evidence; who was right in which way weighs more than who only meant it."""
    from sklearn.linear_model import LogisticRegression

    rows = np.array([each.evidence for each in questions])
    model = LogisticRegression(max_iter=1000).fit(
        rows, [each.goes_on for each in questions], sample_weight=[each.weight for each in questions]
    )
    return NewSubject(tuple(model.coef_[0].tolist()), float(model.intercept_[0]))


def unread_gains(questions: Sequence[WeighedFollowUp]) -> dict[str, tuple[int, int, int]]:
    """Of new subjects and of follow-ups: how many are right alone, all in context, and as a regression says that has not read
    their author."""
    gains = {}
    for name, follows in (("new subjects", False), ("follow-ups", True)):
        asked = [each for each in questions if each.follows == follows]
        models = {each: fit_new_subject([one for one in questions if one.author != each]) for each in {q.author for q in asked}}
        taken = [each.right[models[each.author].goes_on(each.evidence) >= GOES_ON] for each in asked]
        gains[name] = (sum(each.right[0] for each in asked), sum(each.right[1] for each in asked), sum(taken))
    return gains
