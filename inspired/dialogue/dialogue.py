"""One question while its steps are looked at and corrected: every change gives a new value, and none is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from backend.errors import LogicalFormError
from backend.text.words import in_quotes
from inspired.decomposition.asked_variable import following_the_steps
from inspired.decomposition.decompose import decompose, read_steps
from inspired.decomposition.steps import Decomposition, Step, compose
from inspired.dialogue.answer_rows.rows import AnswerRow, Cell
from inspired.dialogue.references import resolve_all, with_names
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.query_limits import check_patterns
from inspired.logical_form.sparql_reader import is_compact, read_query
from inspired.sub_questions.verbalise import Verbalised, verbalise

Names = Mapping[str, str]


@dataclass(frozen=True)
class ShownAnswer:
    """What a step, or the whole question, was answered with, in words.

    `more` says that there are more answers than these; `problem` is a sentence, if there could be none at all, and `note` one
    about the answers. `rows` are the answers with what else is known of them; what was read from a file has none.
    """

    answers: tuple[str, ...] = ()
    more: bool = False
    problem: str | None = None
    note: str = ""
    rows: tuple[AnswerRow, ...] = field(default=(), compare=False, repr=False)

    def table(self) -> tuple[AnswerRow, ...]:
        """The answers as rows, whatever is known of them."""
        return self.rows or tuple(AnswerRow(Cell(each, each)) for each in self.answers)


@dataclass(frozen=True)
class Answers:
    """Of each step, and of the whole question; None where nothing is known. `recorded` ones were read from a file."""

    steps: tuple[ShownAnswer | None, ...]
    final: ShownAnswer | None
    recorded: bool = False


@dataclass(frozen=True)
class QuestionOrigin:
    """What a record tells of where its question comes from: its id, and the question in other words.

    `replaces` says that the other words take the place of the first ones, which were unclear.
    """

    id: str = ""
    rephrased: str = ""
    replaces: bool = False


@dataclass(frozen=True)
class Dialogue:
    """`predicted` is the query as it came, `current` as it is now; `feedback` says what was done, oldest first.

    `own_words` holds, for each current step, the words in which the person put it, and `wordings` those in which a model
    asks it; both are empty where there are none.
    """

    predicted: Decomposition
    current: Decomposition
    names: Names = field(default_factory=dict)
    question: str = ""
    feedback: tuple[str, ...] = ()
    before: "Dialogue | None" = None
    own_words: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()
    answers: Answers | None = None
    predicted_answers: Answers | None = None
    origin: QuestionOrigin = QuestionOrigin()
    undone: "Dialogue | None" = field(default=None, compare=False, repr=False)

    @property
    def form(self) -> LogicalForm:
        return compose(self.current)

    @property
    def asked(self) -> str:
        """The question in the words that count."""
        return self.origin.rephrased if self.origin.replaces and self.origin.rephrased else self.question

    def in_words(self) -> Verbalised:
        return self._in_words

    @cached_property
    def _in_words(self) -> Verbalised:
        # Each step is shown by it, so that a long query would be put into words as often as it has steps.
        return verbalise(self.current, self.names)

    def step_text(self, number: int) -> str:
        """The sub-logical form of step `number` (from 1) with names in place of ids, as a person edits it."""
        return with_names(self.current.steps[number - 1].readable(), self.names)

    def words_of(self, number: int) -> str:
        """The person's own words for step `number` (from 1), if there are any."""
        return self.own_words[number - 1] if number <= len(self.own_words) else ""

    def asked_as(self, number: int) -> str:
        """The question of step `number` (from 1) as it is shown: worded by a model if there is one, else templated."""
        worded = self.wordings[number - 1] if number <= len(self.wordings) else ""
        return worded or self.in_words().questions[number - 1]

    def answer_of(self, number: int) -> ShownAnswer | None:
        return self.answers.steps[number - 1] if self.answers and number <= len(self.answers.steps) else None


def start(sparql: str, names: Names, question: str = "") -> Dialogue:
    """Read a query, standard or compact. Raises LogicalFormError if it cannot be read or has no step."""
    if not sparql.strip():
        raise LogicalFormError("There is no query yet. Paste one, or choose an example.")
    placeholders = tuple(key for key in names if not key.startswith("#")) if is_compact(sparql) else ()
    return begin(read_query(sparql, placeholders), names, question)


def begin(form: LogicalForm, names: Names, question: str = "") -> Dialogue:
    """The dialogue about a query. Raises LogicalFormError if it has no step."""
    steps = decompose(form)
    if not steps.steps:
        raise LogicalFormError("The query has no triples, so there is nothing to ask step by step.")
    return Dialogue(steps, steps, dict(names), question.strip())


def with_answers(dialogue: Dialogue, answers: Answers) -> Dialogue:
    """`dialogue` with the answers to its current steps; those to the query as it came are kept apart."""
    first = answers if dialogue.current == dialogue.predicted else dialogue.predicted_answers
    return replace(dialogue, answers=answers, predicted_answers=first)


def replace_step(dialogue: Dialogue, number: int, text: str) -> Dialogue:
    """Put what the SPARQL `text` says in place of step `number` (from 1). Raises LogicalFormError if it cannot be read."""
    return put_step(dialogue, number, _read(dialogue, text, number))


def insert_step(dialogue: Dialogue, after: int, text: str) -> Dialogue:
    """Put what the SPARQL `text` says behind step `after`; 0 puts it first. Raises LogicalFormError as `replace_step`."""
    return add_step(dialogue, after, _read(dialogue, text, after + 1))


def put_step(
    dialogue: Dialogue,
    number: int,
    new: Sequence[Step],
    words: str = "",
    names: Names | None = None,
    unused: Sequence[str] = (),
) -> Dialogue:
    """`new` in place of step `number` (from 1): what the person meant by `words`, with the `names` of its entities.

    `unused` are those of the words that the new step does not explain.
    """
    steps, own = list(dialogue.current.steps), _own_words(dialogue)
    if tuple(new) == (steps[number - 1],):
        return dialogue
    steps[number - 1 : number], own[number - 1 : number] = new, _one_each(words, new)
    return _corrected(dialogue, steps, own, _change_text(f"Replaced step {number}", words, unused), names)


def add_step(
    dialogue: Dialogue,
    after: int,
    new: Sequence[Step],
    words: str = "",
    names: Names | None = None,
    unused: Sequence[str] = (),
) -> Dialogue:
    """`new` behind step `after`; 0 puts it first. A new last step goes on from the answer. Else as `put_step`."""
    steps, own = list(dialogue.current.steps), _own_words(dialogue)
    at_end = after == len(steps)
    steps[after:after], own[after:after] = new, _one_each(words, new)
    did = _change_text(f"Inserted step {after + 1}", words, unused)
    return _corrected(dialogue, steps, own, did, names, extended=at_end)


def delete_step(dialogue: Dialogue, number: int) -> Dialogue:
    """Raises LogicalFormError for the only step: without it nothing is asked."""
    steps, own = list(dialogue.current.steps), _own_words(dialogue)
    if len(steps) == 1:
        raise LogicalFormError("This is the only step; without it nothing is asked. Edit it instead.")
    del steps[number - 1], own[number - 1]
    return _corrected(dialogue, steps, own, f"Deleted step {number}")


def ask_otherwise(dialogue: Dialogue, form: LogicalForm, names: Names, did: str) -> Dialogue:
    """Another reading of the same question; `did` says how it came. Raises LogicalFormError if it has no step."""
    current = begin(form, names).current
    if current == dialogue.current:
        return dialogue
    return replace(_after(dialogue, did, names), current=current, own_words=())


def undo(dialogue: Dialogue) -> Dialogue:
    """As it was before the last correction; names learnt since then stay."""
    return replace(dialogue.before, names=dialogue.names, undone=dialogue) if dialogue.before else dialogue


def redo(dialogue: Dialogue) -> Dialogue:
    """The correction that was taken back last, once more; after another correction there is none."""
    return replace(dialogue.undone, names={**dialogue.undone.names, **dialogue.names}) if dialogue.undone else dialogue


def _read(dialogue: Dialogue, text: str, number: int) -> tuple[Step, ...]:
    earlier = replace(dialogue.current, steps=dialogue.current.steps[: number - 1])
    nouns = verbalise(earlier, dialogue.names).nouns if earlier.steps else dialogue.in_words().nouns
    return read_steps(resolve_all(text, dialogue.names, nouns))


def _corrected(
    dialogue: Dialogue, steps: list[Step], own: list[str], did: str, names: Names | None = None, extended: bool = False
) -> Dialogue:
    current = following_the_steps(dialogue.current.with_steps(steps), extended)
    check_patterns(compose(current).patterns)
    return replace(_after(dialogue, did, names or {}), current=current, own_words=tuple(own) if any(own) else ())


def _after(dialogue: Dialogue, did: str, names: Names) -> Dialogue:
    """`dialogue` as the one before a correction: its answers no longer hold."""
    return replace(
        dialogue,
        names={**dialogue.names, **names},
        feedback=(*dialogue.feedback, did),
        before=dialogue,
        wordings=(),
        answers=None,
        undone=None,
    )


def _own_words(dialogue: Dialogue) -> list[str]:
    return [dialogue.words_of(number) for number in range(1, len(dialogue.current.steps) + 1)]


def _one_each(words: str, steps: Sequence[Step]) -> list[str]:
    """The words belong to the first of the steps that they became."""
    return [words, *[""] * (len(steps) - 1)][: len(steps)]


def _change_text(did: str, words: str, unused: Sequence[str]) -> str:
    left = f" (not used: {in_quotes(unused)})" if unused else ""
    return f"{did}: {words}{left}" if words else did


CSV_COLUMNS = ("step", "question", "answer", "value", "latitude", "longitude", "complete")


def answer_rows(dialogue: Dialogue) -> list[tuple[str, ...]]:
    """List the answers under a row of headings, one a row with its step; the whole question has no number of a step.

    `value` is what a comparison or an order was decided by; `complete` is "no" where only the first answers are known. What
    else the question asks of each answer stands in columns of its own, the last ones.
    """
    asked = [(str(number), words, dialogue.answer_of(number)) for number, words in enumerate(dialogue.in_words().questions, 1)]
    asked.append(("", dialogue.question, dialogue.answers.final if dialogue.answers else None))
    listed = [(number, words, shown, row) for number, words, shown in asked if shown is not None for row in shown.table()]
    further = tuple(dict.fromkeys(heading for *_, row in listed for heading, _ in row.columns))
    rows = [
        (number, words, row.name.text, row.value.plain, *_degrees(row), "no" if shown.more else "yes", *_further(row, further))
        for number, words, shown, row in listed
    ]
    return [(*CSV_COLUMNS, *further), *rows]


def _further(row: AnswerRow, headings: Sequence[str]) -> tuple[str, ...]:
    cells = {heading: cell.plain for heading, cell in row.columns}
    return tuple(cells.get(each, "") for each in headings)


def _degrees(row: AnswerRow) -> tuple[str, str]:
    return (str(row.position[0]), str(row.position[1])) if row.position else ("", "")


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
