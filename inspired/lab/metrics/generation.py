"""How near generated sub-questions come to the human ones (section 5.2, Tables 12 and 13 and the error analysis)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from backend.errors import InspiredError
from backend.program.extras import require
from backend.text.tokens import words
from inspired.lab.json_lines import read_lines
from inspired.lab.metrics.bertscore import bert_score
from inspired.lab.metrics.dialogues import MeasuredDialogue


class _GeneratedSubQuestion(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str
    sub_questions: list[str]


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated sub-question beside the human one and the templated one of the same step."""

    question: str
    human: str
    template: str


@dataclass(frozen=True)
class GenerationScores:
    """BLEU and BERTScore from 0 to 100, shares from 0 to 1.

    `bleu` says how sacrebleu was set. `bert_score` is None where `no_bert_score` tells why. `shorter` is the share of
    generated questions with fewer words than the human one, among those that are not the same (None if all are).
    """

    pairs: int
    bleu_2: float
    bleu_4: float
    bleu: str
    bert_score: float | None
    no_bert_score: str | None
    same: float
    shorter: float | None


def read_predictions(path: Path, dialogues: Iterable[MeasuredDialogue]) -> tuple[Generated, ...]:
    """The generated sub-questions of a file with `id` and `sub_questions`, one for each gold step, a line.

    Dialogues that the file leaves out do not count. Raises InspiredError for an id that no dialogue has, or
    several have, for one that comes twice, and for a wrong number of sub-questions.
    """
    known: dict[str, list[MeasuredDialogue]] = {}
    for dialogue in dialogues:
        known.setdefault(dialogue.id, []).append(dialogue)
    by_kind: dict[str, list[Generated]] = {}
    for each in read_lines(path, _GeneratedSubQuestion, "Needed are id and sub_questions."):
        if each.id not in known:
            raise InspiredError(f"{path}: no dialogue has the id {each.id!r}.")
        if len(known[each.id]) > 1:
            raise InspiredError(f"{path}: {len(known[each.id])} dialogues have the id {each.id!r}; an id must be of one.")
        if each.id in by_kind:
            raise InspiredError(f"{path}: the id {each.id!r} comes twice.")
        by_kind[each.id] = _paired(path, each, known[each.id][0])
    pairs = tuple(pair for listed in by_kind.values() for pair in listed)
    if not pairs:
        raise InspiredError(f"{path} has no sub-question for a step that has a human one.")
    return pairs


def _paired(path: Path, prediction: _GeneratedSubQuestion, dialogue: MeasuredDialogue) -> list[Generated]:
    predicted, wanted = prediction.sub_questions, dialogue.gold
    if len(predicted) != len(wanted):
        raise InspiredError(
            f"{path}: {prediction.id!r} has {len(predicted)} sub_questions; its dialogue has {len(wanted)} gold ones."
        )
    pairs = zip(predicted, wanted, strict=True)
    return [Generated(made.strip(), gold.question, gold.template) for made, gold in pairs if gold.question]


def score_generated(pairs: Sequence[Generated], bert_model: str | None = None) -> GenerationScores:
    """BLEU-2, BLEU-4, BERTScore (with `bert_model`, a name on the hub or a folder), and how the lengths compare.

    BLEU is over the whole set, in lower case, with sacrebleu's usual tokens.
    """
    score, reason = bert_score([(each.question, each.human) for each in pairs], bert_model)
    bleus = {order: _bleu(pairs, order) for order in (2, 4)}
    different = [each for each in pairs if each.question != each.human]
    shorter = [len(words(each.question)) < len(words(each.human)) for each in different]
    return GenerationScores(
        pairs=len(pairs),
        bleu_2=bleus[2][0],
        bleu_4=bleus[4][0],
        bleu=bleus[4][1],
        bert_score=score,
        no_bert_score=reason,
        same=1 - len(different) / len(pairs),
        shorter=sum(shorter) / len(shorter) if shorter else None,
    )


def _bleu(pairs: Sequence[Generated], order: int) -> tuple[float, str]:
    require("sacrebleu")
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(max_ngram_order=order, lowercase=True)
    score = metric.corpus_score([each.question for each in pairs], [[each.human for each in pairs]])
    return float(score.score), str(metric.get_signature())


def lexical_match(pairs: Iterable[tuple[str, str]]) -> float | None:
    """The mean share, from 0 to 1, of a question's words that its template has too (section 4.2, Table 7).

    `pairs` are of a question and its template; those where one of the two is empty do not count.
    """
    shares = []
    for question, template in pairs:
        spoken, known = words(question), frozenset(words(template))
        if spoken and known:
            shares.append(sum(word in known for word in spoken) / len(spoken))
    return sum(shares) / len(shares) if shares else None
