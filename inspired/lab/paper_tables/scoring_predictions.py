"""The figures of one file of predictions against the gold records: exact match, F1 of answers, BLEU and BERTScore.

EM is by meaning: order and the names of variables do not count (the paper leaves open whether its EM is of texts). That of
whole queries (Table 8) counts every filter; that of steps (Tables 9 and 10) not those which belong to no step.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from backend.errors import InspiredError, LogicalFormError
from inspired.lab.metrics.generation import Generated, score_generated
from inspired.lab.simulation.scoring import Answering, Mean, mean
from inspired.lab.training.examples import turns_of
from inspired.lab.training.prediction_files import PredictedRecord
from inspired.lab.training.records import TrainingRecord, gold_form, read_parse
from inspired.lab.training.turns import DialogueTurns, dialogue_turns
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import LogicalForm
from inspired.parsers.placeholders import asking_for_x


@dataclass(frozen=True)
class Figure:
    """One cell, from 0 to 100, over `count` questions, turns or dialogues; the bounds are of a 95% bootstrap interval."""

    value: float
    count: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class PredictionScores:
    """`figures` by the name of their column; one that cannot be had is missing, and `remarks` say why."""

    figures: Mapping[str, Figure]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class GoldQuestionForm:
    """A question with its gold query."""

    form: LogicalForm


@dataclass(frozen=True)
class GoldWordings:
    """The words of each gold step, "" where no person has worded it, and its templated question."""

    steps: tuple[tuple[str, str], ...]


Text = TypeVar("Text")
Gold = GoldQuestionForm | DialogueTurns | GoldWordings


def gold_of(task: str, record: TrainingRecord) -> Gold:
    """What predictions for `record` are compared with. Raises LogicalFormError where the record does not have it."""
    return _GOLD[task](record)


def _gold_question(record: TrainingRecord) -> Gold:
    if not record.asked:
        raise LogicalFormError("question is empty.")
    return GoldQuestionForm(gold_form(record))


def _gold_wordings(record: TrainingRecord) -> Gold:
    return GoldWordings(tuple((each.sub_question, each.temp_sub_question) for each, _ in turns_of(record)))


@dataclass
class Scoring:
    """`answering` is None where F1 is not wanted, `bert_model` where BERTScore is not; `seed` draws the bootstrap."""

    answering: Answering | None = None
    bert_model: str | None = None
    seed: int = 0

    def scores(self, path: Path, gold: Mapping[str, Gold], lines: Mapping[str, PredictedRecord]) -> PredictionScores:
        """The figures of a file whose `lines` have all of `gold`. Raises InspiredError for a line without its field."""
        first = next(iter(gold.values()))
        if isinstance(first, GoldQuestionForm):
            return self._parses([(each, lines[id_]) for id_, each in gold.items() if isinstance(each, GoldQuestionForm)])
        if isinstance(first, DialogueTurns):
            return self._corrections(path, {id_: each for id_, each in gold.items() if isinstance(each, DialogueTurns)}, lines)
        return self._wordings(path, {id_: each for id_, each in gold.items() if isinstance(each, GoldWordings)}, lines)

    def initial(self, gold: Mapping[str, Gold]) -> PredictionScores:
        """The initial parser of recorded dialogues, before any correction."""
        exact = [each.exact for each in gold.values() if isinstance(each, DialogueTurns)]
        return PredictionScores(self._shares({"Dialog-level EM": exact}))

    def _parses(self, pairs: Sequence[tuple[GoldQuestionForm, PredictedRecord]]) -> PredictionScores:
        forms = [(gold.form, _read(line.sparql)) for gold, line in pairs]
        figures = dict(self._shares({"EM": [_exact(form, gold) for gold, form in forms]}))
        unread = sum(form is None for _, form in forms)
        remarks = [f"{unread} of {len(forms)} questions have no parse that can be read"] if unread else []
        if self.answering is None:
            return PredictionScores(figures, tuple(remarks))
        answers = [self.answering.answers(gold) for gold, _ in forms]
        failed, empty = sum(each is None for each in answers), sum(each is not None and not each for each in answers)
        if failed == len(answers):
            raise InspiredError("None of the gold queries could be asked; is --kb the knowledge base that they are about?")
        values = [value for gold, form in forms if (value := self.answering.f1(form, gold)) is not None]
        figures |= {"F1": figure} if (figure := _percent(mean(values, self.seed))) else {}
        remarks += [f"F1 over {len(values)} questions; the gold query of {empty} has no answer there"] if empty else []
        remarks += [f"the gold query of {failed} could not be answered in time, or at all"] if failed else []
        return PredictionScores(figures, tuple(remarks))

    def _corrections(
        self, path: Path, gold: Mapping[str, DialogueTurns], lines: Mapping[str, PredictedRecord]
    ) -> PredictionScores:
        turns: dict[str, list[bool]] = defaultdict(list)
        dialogues = []
        for id_, each in gold.items():
            sub_lfs = _fitting(path, id_, "sub_lfs", lines[id_].sub_lfs, len(each.turns))
            right = [each.right(number, text) for number, text in enumerate(sub_lfs)]
            for number, value in enumerate(right, 1):
                turns[f"Turn-{number}"].append(value)
            dialogues.append(each.put_right(sub_lfs))
        every = [value for values in turns.values() for value in values]
        return PredictionScores(self._shares({"Turn-level EM": every, "Dialog-level EM": dialogues, **turns}))

    def _wordings(self, path: Path, gold: Mapping[str, GoldWordings], lines: Mapping[str, PredictedRecord]) -> PredictionScores:
        pairs = []
        for id_, each in gold.items():
            texts = _fitting(path, id_, "sub_questions", lines[id_].sub_questions, len(each.steps))
            steps = zip(texts, each.steps, strict=True)
            pairs += [Generated(text.strip(), human, template) for text, (human, template) in steps if human]
        if not pairs:
            raise InspiredError(f"{path} has no sub-question for a step that a person has worded.")
        scores = score_generated(pairs, self.bert_model)
        figures = {"BLEU-2": Figure(scores.bleu_2, scores.pairs), "BLEU-4": Figure(scores.bleu_4, scores.pairs)}
        figures |= {} if scores.bert_score is None else {"BERTScore": Figure(scores.bert_score, scores.pairs)}
        missing = () if scores.no_bert_score is None else (f"no BERTScore: {scores.no_bert_score}",)
        return PredictionScores(figures, (f"BLEU by sacrebleu, {scores.bleu}", *missing))

    def _shares(self, values: Mapping[str, Sequence[bool]]) -> Mapping[str, Figure]:
        means = {name: _percent(mean([float(each) for each in listed], self.seed)) for name, listed in values.items()}
        return {name: each for name, each in means.items() if each is not None}


def _percent(value: Mean | None) -> Figure | None:
    return None if value is None else Figure(100 * value.value, value.count, 100 * value.low, 100 * value.high)


def _exact(form: LogicalForm | None, gold: LogicalForm) -> bool:
    """Whatever the answer is called, and with each answer once: so does the compact form have it that models write."""
    return form is not None and equivalent(asking_for_x(form), asking_for_x(gold))


def _read(text: str) -> LogicalForm | None:
    try:
        return read_parse(text) if text.strip() else None
    except LogicalFormError:
        return None


def _fitting(path: Path, id_: str, name: str, listed: list[Text] | None, steps: int) -> list[Text]:
    if listed is None or len(listed) != steps:
        count = "no" if listed is None else str(len(listed))
        raise InspiredError(f"{path}: {id_!r} has {count} {name}; its dialogue has {steps} gold steps.")
    return listed


_GOLD: dict[str, Callable[[TrainingRecord], Gold]] = {
    "parser": _gold_question,
    "correction": dialogue_turns,
    "subquestion": _gold_wordings,
}
