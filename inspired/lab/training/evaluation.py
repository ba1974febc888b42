"""How well a trained model does its task: exact match of logical forms, BLEU of sub-questions (Tables 8, 9 and 12)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from backend.errors import LogicalFormError
from backend.models.sequence_models.seam import BeamSearch, GeneratedText, SequenceModel
from inspired.lab.metrics.generation import Generated, score_generated
from inspired.lab.training.examples import TrainingExample
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.sparql_reader import ANSWER, read_fragment
from inspired.parsers.placeholders import Placeholders, read_form

# Sources that are decoded between two reports of progress.
_STRETCH = 16

Read = Callable[[str], LogicalForm]
Report = Callable[[int], None]


@dataclass(frozen=True)
class FormScores:
    """`exact` is the share of first readable outputs that are the target to the letter, `same` that mean the same.

    `among` is the share where one of all outputs means the same: what is left for a correction to choose from.
    """

    examples: int
    exact: float
    same: float
    among: float

    def __str__(self) -> str:
        return (
            f"exact match {self.exact:.1%}, same meaning {self.same:.1%} "
            f"(among all outputs {self.among:.1%}) over {self.examples} examples"
        )


@dataclass(frozen=True)
class WordingScores:
    """BLEU from 0 to 100, in lower case, over the whole set; `how` says how sacrebleu was set."""

    examples: int
    bleu_2: float
    bleu_4: float
    how: str

    def __str__(self) -> str:
        return f"BLEU-2 {self.bleu_2:.1f}, BLEU-4 {self.bleu_4:.1f} over {self.examples} examples ({self.how})"


Scores = FormScores | WordingScores


def evaluate(
    task: str, model: SequenceModel, examples: Sequence[TrainingExample], search: BeamSearch, report: Report
) -> Scores:
    """`report` receives how many examples are done. Needs at least one example."""
    if task == "subquestion":
        return _wording(model, examples, search, report)
    read = READERS[task]
    exact = same = among = 0
    for example, candidates in _outputs(model, examples, search, search.beams, report):
        wanted = read(example.pair.target)
        readable = [(each.text, form) for each in candidates if (form := _form(each.text, read)) is not None]
        right = [equivalent(form, wanted) for _, form in readable]
        exact += bool(readable) and readable[0][0] == " ".join(example.pair.target.split())
        same += bool(right) and right[0]
        among += any(right)
    count = len(examples)
    return FormScores(count, exact / count, same / count, among / count)


def read_sub_form(text: str) -> LogicalForm:
    """A sub-logical form as a query of its own, to be compared. Raises LogicalFormError as `read_fragment` does."""
    patterns, order = read_fragment(text)
    return LogicalForm(ANSWER, patterns, order)


READERS: dict[str, Read] = {"parser": lambda text: read_form(text, ()), "correction": read_sub_form}


def _form(text: str, read: Read) -> LogicalForm | None:
    try:
        return read(text)
    except LogicalFormError:
        return None


def _wording(model: SequenceModel, examples: Sequence[TrainingExample], search: BeamSearch, report: Report) -> WordingScores:
    pairs = []
    for example, candidates in _outputs(model, examples, search, 1, report):
        placeholders = Placeholders(example.names, list(example.ids))
        restored = placeholders.restored(candidates[0].text) if candidates else ""
        pairs.append(Generated(restored, placeholders.restored(example.pair.target), ""))
    scores = score_generated(pairs)
    return WordingScores(len(pairs), scores.bleu_2, scores.bleu_4, scores.bleu)


def _outputs(
    model: SequenceModel, examples: Sequence[TrainingExample], search: BeamSearch, n: int, report: Report
) -> Iterator[tuple[TrainingExample, tuple[GeneratedText, ...]]]:
    for first in range(0, len(examples), _STRETCH):
        stretch = examples[first : first + _STRETCH]
        yield from zip(stretch, model.generate([each.pair.source for each in stretch], n, search), strict=True)
        report(len(stretch))
