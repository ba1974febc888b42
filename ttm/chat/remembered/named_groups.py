"""Rows that somebody gave a name: kept by what selects them, and understood by that name in later questions.

A name stands for conditions. A question that has it is understood with "these people" in its place, among just these rows; the
parse then holds the conditions themselves, so that it can be corrected, exported and carried out again without the name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from backend.errors import ExecutionError, ParseError
from ttm.language.describe_group import group_words
from ttm.language.grammar import grammar_of
from ttm.language.operations.dialogue import NameRows
from ttm.language.parse import CountData, Expression, IdCondition, Instance, Parse, Selection, Step
from ttm.language.row_state import ALL_ROWS, RowState, recalled, recalls
from ttm.parsers import DialogueContext, Parser, Understanding
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.data.schema import Schema

MOST = 50
LONGEST_NAME = 60
NO_ROWS = "Which rows do you mean? Ask about some first, such as those with a high value, and then name them."
UNANSWERED = "Your last question has no answer yet. Choose one of its readings first, and then name the rows."
_THESE = r"(?:these|those|them|this|that|it|the (?:last |previous |same )?(?:group|rows?|slice|subset|selection|people))"
_NAMING = re.compile(
    rf"^(?:please |now |let(?:'s| us) |can you |could you |i(?:'ll| will| want to) )*"
    rf"(?:(?:call|name)\s+{_THESE}(?:\s+(?:people|rows?|group|slice|subset|ones|cases|selection))?(?:\s+as)?"
    rf"|(?:keep|save|remember|store)\s+{_THESE}(?:\s+\w+)?\s+(?:as|under the name(?: of)?))"
    r"\s*:?\s+[\"'“‘]?(?P<name>[^\"“”]+?)[\"'”’]?\s*[.!]?$",
    re.IGNORECASE,
)
# What joins two names in a question: with the second it goes, since the groups are set side by side anyway.
_JOINED = r"(?:,?\s*(?:and|or|versus|vs\.?|against|than|(?:compared )?(?:with|to))\s+(?:for |the |those |of )*)?"


def checked_name(name: str) -> str:
    """A name as it is kept: lower case, single spaces. Raises ExecutionError if it is empty, too long or no word."""
    kept = " ".join(name.lower().replace('"', " ").split())
    if not kept or len(kept) > LONGEST_NAME or not any(map(str.isalpha, kept)):
        raise ExecutionError(f"A name of a group has letters, and at most {LONGEST_NAME} characters.")
    return kept


def checked_rows(rows: RowState | None) -> RowState:
    """Rows that a name can be kept for. Raises ExecutionError for none, for all, and for what is not one group as it is."""
    if rows is None or (rows.groups == ALL_ROWS and rows.instance is None):
        raise ExecutionError(NO_ROWS)
    if rows.instance is not None or rows.changes or len(rows.groups) != 1:
        raise ExecutionError("A name is kept for one group of rows as they are: no made-up case, no changes, not several.")
    return rows


@dataclass(frozen=True)
class _AskedByName:
    """A question with the names taken out of it, and the groups that they stand for."""

    utterance: str
    groups: tuple[Expression, ...]


class NamedGroups:
    """The names that one person gave to rows of one data set."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.groups: dict[str, Expression] = {}
        self.forgotten: set[str] = set()

    def keep(self, name: str, rows: RowState | None) -> None:
        """Keep rows under a name. Raises ExecutionError where they are not one group of rows of the data, or are all of it."""
        name, rows = checked_name(name), checked_rows(rows)
        if name not in self.groups and len(self.groups) >= MOST:
            raise ExecutionError(f"{MOST} names are kept already. Forget one of them under Groups first.")
        self.groups[name] = rows.groups[0]
        self.forgotten.discard(name)

    def forget(self, name: str) -> None:
        if self.groups.pop(name, None) is not None:
            self.forgotten.add(name)

    def written(self) -> dict[str, str]:
        """Each name with the filters that it stands for, as a browser keeps them."""
        return {name: str(Parse((Selection((group,)),))).removesuffix(" [e]") for name, group in self.groups.items()}

    def read(self, kept: Mapping[str, str]) -> None:
        """Take up what a browser kept; what cannot be read, as after the data set has changed, is left out."""
        for name, filters in list(kept.items())[:MOST]:
            try:
                steps = grammar_of(self.schema).read(filters).steps
                if len(steps) == 1 and isinstance(steps[0], Selection) and not any(map(recalls, steps[0].groups)):
                    self.keep(name, RowState(steps[0].groups))
            except (ParseError, ExecutionError):
                continue

    def understand(self, utterance: str, context: DialogueContext, parser: Parser) -> Understanding:
        """How a question is understood: as a wish to name rows, with the names in it, or as the parser does."""
        naming = _NAMING.match(" ".join(utterance.split()))
        if naming is not None:
            return self._naming(utterance, naming["name"], context)
        asked = self._without_names(utterance)
        if asked is None:
            return parser.understand(utterance, context)
        understanding = parser.understand(asked.utterance, _as_if_asked(asked.groups[0]))
        candidates = [ParseCandidate(self._about(one.parse, asked.groups), one.confidence) for one in understanding.candidates]
        offered = tuple(self._about(one, asked.groups) for one in understanding.offered)
        return replace(understanding, utterance=utterance, candidates=tuple(candidates), offered=offered)

    def _naming(self, utterance: str, name: str, context: DialogueContext) -> Understanding:
        if context.question:
            return Understanding(utterance, (), True, UNANSWERED)
        try:
            steps = (Selection(checked_rows(context.rows).groups), NameRows(checked_name(name)))
        except ExecutionError as error:
            return Understanding(utterance, (), True, error.message)
        return Understanding(utterance, (ParseCandidate(Parse(steps), 1.0),), True)

    def _without_names(self, utterance: str) -> _AskedByName | None:
        """The question with "these people" for the first of its names and without the others; None where it has none."""
        text, mentioned = utterance, dict[int, str]()
        for name in sorted(self.groups, key=len, reverse=True):
            pattern = re.compile(rf"(?<!\w)(?:the |my )?{re.escape(name).replace(chr(92) + ' ', r'[ ]+')}(?!\w)", re.IGNORECASE)
            if match := pattern.search(text):
                mentioned[match.start()] = name
                text = text[: match.start()] + "\0" * (match.end() - match.start()) + text[match.end() :]
        if not mentioned:
            return None
        these = f"these {self.schema.entity}"
        text = re.sub(r"\0+", these, text, count=1)
        text = re.sub(rf"{_JOINED}\0+", "", text, flags=re.IGNORECASE)
        return _AskedByName(text, tuple(self.groups[mentioned[start]] for start in sorted(mentioned)))

    def _about(self, parse: Parse, groups: tuple[Expression, ...]) -> Parse:
        """A parse about the named rows: in the place of "these" or of what writes the first of them out, or before all else
        where it names no rows of its own."""
        rows, steps, names_rows = RowState(groups), list[Step](), False
        for step in parse.steps:
            names_rows = names_rows or isinstance(step, Instance) or _points(step)
            if isinstance(step, Selection):
                written_out = step.groups == groups[:1]
                names_rows = names_rows or written_out
                steps.append(Selection(groups if written_out else recalled(step.groups, rows), step.joiner))
            else:
                steps.append(step)
        return Parse(tuple(steps if names_rows else [Selection(groups), *steps]))

    def words(self, name: str) -> str:
        """What a name stands for."""
        return group_words(self.groups[name], self.schema)


def _as_if_asked(group: Expression) -> DialogueContext:
    """What a conversation offers to refer to after the question how many rows a group has, and nothing else."""
    parse = Parse((Selection((group,)), CountData()))
    return DialogueContext(parse, "How many are these?", rows=RowState((group,)), operations=(CountData(),))


def _points(step: Step) -> bool:
    """Whether a step points at the named rows, or at a single row that the question names by its id."""
    if not isinstance(step, Selection):
        return False
    by_id = any(isinstance(one, IdCondition) for group in step.groups for alternative in group for one in alternative)
    return by_id or any(map(recalls, step.groups))
