"""The turns of a recorded dialogue as what a correction model is measured on (section 5.1, Tables 9 and 10)."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.errors import LogicalFormError
from inspired.decomposition.correction_operations import Kind, diff
from inspired.decomposition.decompose import decompose
from inspired.decomposition.modifications import delexicalised_steps
from inspired.lab.simulation.alignment import meaning
from inspired.lab.simulation.correcting import same
from inspired.lab.training.evaluation import read_sub_form
from inspired.lab.training.examples import turns_of
from inspired.lab.training.records import TrainingRecord, gold_form, predicted_form
from inspired.logical_form.forms import LogicalForm, variables
from inspired.logical_form.substitution import delexicalise, lexicalise


@dataclass(frozen=True)
class GoldTurn:
    """One gold step: `feedback` in a person's words, else in those of the template, and its compact form.

    `kind` is what has to be done with the initial parser's step, whose meaning is `refused` (empty if there is none).
    """

    feedback: str
    compact: str
    form: LogicalForm
    kind: Kind
    refused: str


@dataclass(frozen=True)
class DialogueTurns:
    """`ids` are what `#entity1#`, ... stand for; `exact` is whether the initial parser was right before,
    up to the filters that belong to no step."""

    ids: tuple[str, ...]
    turns: tuple[GoldTurn, ...]
    exact: bool

    def right(self, number: int, sub_lf: str | None) -> bool:
        """Whether a compact form means the gold one of turn `number`, from 0, after the gold turns before.

        Order and the names of what a step newly finds carry no meaning. False for None and what cannot be read.
        """
        try:
            form = None if not sub_lf else lexicalise(read_sub_form(sub_lf), self.ids)
        except LogicalFormError:
            return False
        known = variables([pattern for each in self.turns[:number] for pattern in each.form.patterns])
        return form is not None and meaning(form, known) == meaning(self.turns[number].form, known)

    def put_right(self, sub_lfs: Sequence[str | None]) -> bool:
        """Whether the whole question is right after correction: each step that was kept was, each other one is now.

        Steps that the initial parser had too many are deleted, which needs no model.
        """
        wrong = [number for number, each in enumerate(self.turns) if each.kind != "keep"]
        return self.exact or all(self.right(number, sub_lfs[number]) for number in wrong)


def dialogue_turns(record: TrainingRecord) -> DialogueTurns:
    """The turns of a record. Raises LogicalFormError where it has none, or a gold form that cannot be read."""
    gold, predicted, listed = gold_form(record), predicted_form(record), turns_of(record)
    feedback = [question.sub_question or question.temp_sub_question for question, _ in listed]
    if "" in feedback:
        raise LogicalFormError(f"gold_sub_qs has no words for step {feedback.index('') + 1}.")
    ids = delexicalise(gold)[1]
    forms = [lexicalise(read_sub_form(text), ids) for _, text in listed]
    operations = diff(_predicted(record, predicted), [meaning(each) for each in forms])
    kept = [each for each in operations if each.kind != "delete"]
    turns = zip(feedback, listed, forms, kept, strict=True)
    return DialogueTurns(
        ids,
        tuple(GoldTurn(words, text, form, each.kind, each.old or "") for words, (_, text), form, each in turns),
        predicted is not None and same(predicted, gold),
    )


def _predicted(record: TrainingRecord, form: LogicalForm | None) -> list[str]:
    """The meanings of the initial parser's steps, as the record lists them, else as we would split its query."""
    texts = record.pred_sub_lfs
    if not texts and form is not None:
        texts = [step.compact() for step in delexicalised_steps(decompose(form))]
    ids = () if form is None else delexicalise(form)[1]
    return [_meaning(text, ids) for text in texts if text.strip()]


def _meaning(text: str, ids: tuple[str, ...]) -> str:
    try:
        return meaning(lexicalise(read_sub_form(text), ids))
    except LogicalFormError:
        return text
