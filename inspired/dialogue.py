"""One question while its steps are looked at and corrected: every change gives a new value, and none is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from backend.errors import LogicalFormError
from inspired.decompose import decompose, read_steps
from inspired.logical_form import LogicalForm
from inspired.references import resolve_all, with_names
from inspired.sparql import read_compact, read_sparql
from inspired.steps import Decomposition, Step, compose
from inspired.verbalise import Verbalised, verbalise

Names = Mapping[str, str]


@dataclass(frozen=True)
class Dialogue:
    """`predicted` is the query as it came, `current` as it is now; `feedback` says what was done, oldest first."""

    predicted: Decomposition
    current: Decomposition
    names: Names = field(default_factory=dict)
    question: str = ""
    feedback: tuple[str, ...] = ()
    before: Dialogue | None = None

    @property
    def form(self) -> LogicalForm:
        return compose(self.current)

    def in_words(self) -> Verbalised:
        return verbalise(self.current, self.names)

    def step_text(self, number: int) -> str:
        """The sub-logical form of step `number` (from 1) with names in place of ids, as a person edits it."""
        return with_names(self.current.steps[number - 1].readable(), self.names)


def start(sparql: str, names: Names, question: str = "") -> Dialogue:
    """Read a query, standard or compact. Raises LogicalFormError if it cannot be read or has no step."""
    if not sparql.strip():
        raise LogicalFormError("There is no query yet. Paste one, or choose an example.")
    compact = sparql.lstrip().startswith("<sparql-header-") or "select" not in sparql.lower()
    placeholders = tuple(key for key in names if not key.startswith("#")) if compact else ()
    form = read_compact(sparql, placeholders) if compact else read_sparql(sparql)
    steps = decompose(form)
    if not steps.steps:
        raise LogicalFormError("The query has no triples, so there is nothing to ask step by step.")
    return Dialogue(steps, steps, dict(names), question.strip())


def replace_step(dialogue: Dialogue, number: int, text: str) -> Dialogue:
    """Put what `text` says in place of step `number` (from 1). Raises LogicalFormError if it cannot be read."""
    steps = list(dialogue.current.steps)
    new = _read(dialogue, text, number)
    if tuple(new) == (steps[number - 1],):
        return dialogue
    return _corrected(dialogue, [*steps[: number - 1], *new, *steps[number:]], f"Replaced step {number}")


def insert_step(dialogue: Dialogue, after: int, text: str) -> Dialogue:
    """Put what `text` says behind step `after`; 0 puts it first. Raises LogicalFormError if it cannot be read."""
    steps = list(dialogue.current.steps)
    new = _read(dialogue, text, after + 1)
    return _corrected(dialogue, [*steps[:after], *new, *steps[after:]], f"Inserted step {after + 1}")


def delete_step(dialogue: Dialogue, number: int) -> Dialogue:
    """Raises LogicalFormError for the only step: without it nothing is asked."""
    steps = list(dialogue.current.steps)
    if len(steps) == 1:
        raise LogicalFormError("This is the only step; without it nothing is asked. Edit it instead.")
    return _corrected(dialogue, [*steps[: number - 1], *steps[number:]], f"Deleted step {number}")


def undo(dialogue: Dialogue) -> Dialogue:
    """As it was before the last correction; names learnt since then stay."""
    return replace(dialogue.before, names=dialogue.names) if dialogue.before else dialogue


def _read(dialogue: Dialogue, text: str, number: int) -> tuple[Step, ...]:
    earlier = replace(dialogue.current, steps=dialogue.current.steps[: number - 1])
    nouns = verbalise(earlier, dialogue.names).nouns if earlier.steps else dialogue.in_words().nouns
    return read_steps(resolve_all(text, dialogue.names, nouns))


def _corrected(dialogue: Dialogue, steps: list[Step], did: str) -> Dialogue:
    current = dialogue.current.with_steps(steps)
    compose(current)
    return replace(dialogue, current=current, feedback=(*dialogue.feedback, did), before=dialogue)


def read_names(text: str) -> dict[str, str]:
    """Names of entities from lines such as `m.03_dwn = Lou Seal`; `ns:` before the id may stand or not.

    Raises LogicalFormError naming the line that is not of this form.
    """
    names = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        id_, equals, name = line.partition("=")
        if not equals or not id_.strip() or not name.strip():
            raise LogicalFormError(f"Line {number} of the names is not of the form m.03_dwn = Lou Seal.")
        names[id_.strip().removeprefix("ns:")] = name.strip()
    return names


def write_names(names: Names) -> str:
    return "\n".join(f"{id_} = {name}" for id_, name in names.items())
