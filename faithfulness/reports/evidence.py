"""Evidence that people, or other tools, marked in the passages, beside the necessary keywords and the model's own.

A file of JSON lines with `id`, as in the data, and `spans` (or `characters`, as the annotation of evidence exports it), the
marked characters as [[start, end], ...], end excluded. Several lines of one id are several people.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from backend.errors import FaithfulnessError
from backend.intervals import Interval, clustered_interval, mean_of
from backend.text.words import decimal, why_unreadable
from faithfulness.method.explain import SampleReport
from faithfulness.method.keywords import bare, occurrences
from faithfulness.method.regions import Span, words
from faithfulness.method.score import faithfulness
from faithfulness.reports.summary import rounded
from faithfulness.runs.rows import Row

COLUMNS = ("words of", "samples", "precision", "recall", "F1", "a word in common")
Evidence = Mapping[str, Sequence[Sequence[Span]]]


@dataclass(frozen=True)
class EvidenceAgreement:
    """How far two sets of words of the same passages agree, as means over `n` samples in which both name words.

    `precision` is the share of the second set's words that the first has too, `recall` the share of the first's that the
    second has; `touching` the share of samples in which they have a word in common.
    """

    first: str
    second: str
    n: int
    precision: float | None
    recall: float | None
    f1: float | None
    touching: float | None

    def as_json(self) -> dict[str, Any]:
        return {name: rounded(value) for name, value in asdict(self).items()}


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str = Field(min_length=1)
    spans: list[tuple[int, int]] = Field(validation_alias=AliasChoices("spans", "characters"))


def agreement_lines(agreement: Sequence[EvidenceAgreement]) -> list[list[str]]:
    """The rows of a table: who against whom, samples, and the figures."""
    return [
        [
            f"{each.second} against {each.first}",
            str(each.n),
            *("–" if value is None else f"{value:.2f}" for value in (each.precision, each.recall, each.f1, each.touching)),
        ]
        for each in agreement
    ]


def read_evidence(path: Path) -> Evidence:
    """The spans of each person by the id of the sample. Raises FaithfulnessError naming the line that cannot be used."""
    result: dict[str, list[list[Span]]] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FaithfulnessError(f"Cannot read the evidence in {path}: {why_unreadable(error)}.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            read = _Line.model_validate(json.loads(line))
        except (ValidationError, ValueError) as error:
            raise FaithfulnessError(
                f"Line {number} of {path.name} is no evidence; a line has the form "
                '{"id": "...", "spans": [[0, 12], [30, 41]]}.'
            ) from error
        if any(not 0 <= start < end for start, end in read.spans):
            raise FaithfulnessError(f"Line {number} of {path.name}: a span runs from its start to a greater end, from 0.")
        result.setdefault(read.id, []).append([Span(start, end) for start, end in read.spans])
    if not result:
        raise FaithfulnessError(f"{path.name} holds no evidence.")
    return result


def agreements(reports: Iterable[tuple[Row, SampleReport]], evidence: Evidence) -> list[EvidenceAgreement]:
    """People against necessary keywords, people against the model's keywords, and these two, on samples with evidence that
    are explained: of the retrieval-hard subset, with a necessary keyword.

    Where several people marked a passage, each counts as a sample. Raises FaithfulnessError for a span outside its passage.
    """
    known = [(row, report) for row, report in reports if row.id in evidence]
    if not known:
        raise FaithfulnessError("The evidence names none of the ids of the run.")
    sets: list[dict[str, set[int]]] = []
    for row, report in known:
        if report.necessary and report.retrieval_hard is not False:
            sets += [_named(row, report, spans) for spans in evidence[row.id]]
    pairs = [("people", "necessary keywords"), ("people", "the model's keywords"),
             ("necessary keywords", "the model's keywords")]  # fmt: skip
    return [_agreement(first, second, sets) for first, second in pairs]


@dataclass(frozen=True)
class MarkedScore:
    """What the marked spans score where they are taken for keywords, on the `n` explained samples that have some, and what the
    model's own keywords score on the same."""

    n: int
    F: float | None
    F_interval: Interval | None
    lift: float | None
    lift_interval: Interval | None
    model_F: float | None
    model_lift: float | None

    def as_json(self) -> dict[str, Any]:
        return {name: rounded(value) for name, value in asdict(self).items()}

    def sentence(self) -> str:
        bounds = f" [{self.lift_interval[0]:+.3f}, {self.lift_interval[1]:+.3f}]" if self.lift_interval else ""
        return (
            f"Taken for keywords, the marked spans have F {decimal(self.F)} and a lift over chance of {decimal(self.lift)}"
            f"{bounds} on {self.n} samples; the model's own keywords {decimal(self.model_F)} and {decimal(self.model_lift)}."
        )


def marked_score(reports: Iterable[tuple[Row, SampleReport]], evidence: Evidence, seed: int = 0) -> MarkedScore:
    """Score marked spans as keywords are, so that the spans of another tool can be compared with the model's keywords."""
    scores, lifts, model = [], [], []
    for row, report in reports:
        if row.id not in evidence or report.score is None or report.retrieval_hard is False:
            continue
        passage = report.sample.passage
        for spans in evidence[row.id]:
            texts = [text for span in spans if (text := bare(span.of(passage)))]
            score = faithfulness(passage, report.evidence, texts, report.plan.seed, report.plan.literal)
            assert score is not None
            scores.append((row.passage_key, score.f))
            lifts.append((row.passage_key, score.f - score.by_chance))
            model.append((report.score.f, report.score.f - report.score.by_chance))
    return MarkedScore(
        len(scores), mean_of([f for _, f in scores]), clustered_interval(scores, seed),
        mean_of([lift for _, lift in lifts]), clustered_interval(lifts, seed, (-1.0, 1.0)),
        mean_of([f for f, _ in model]), mean_of([lift for _, lift in model]),
    )  # fmt: skip


def _named(row: Row, report: SampleReport, marked: Sequence[Span]) -> dict[str, set[int]]:
    passage = report.sample.passage
    if any(span.end > len(passage) for span in marked):
        raise FaithfulnessError(f"The evidence of {row.id} ends behind its passage of {len(passage)} characters.")
    own = [span for keyword in report.keywords for span in occurrences(keyword, passage)]
    kinds = {"people": marked, "necessary keywords": report.necessary, "the model's keywords": own}
    spans_of_words = words(passage)
    return {
        name: {index for index, word in enumerate(spans_of_words) if any(word.overlaps(span) for span in spans)}
        for name, spans in kinds.items()
    }


def _agreement(first: str, second: str, sets: Sequence[Mapping[str, set[int]]]) -> EvidenceAgreement:
    pairs = [(each[first], each[second]) for each in sets if each[first] and each[second]]

    def mean(of: Callable[[set[int], set[int]], float]) -> float | None:
        return float(np.mean([of(a, b) for a, b in pairs])) if pairs else None

    return EvidenceAgreement(
        first,
        second,
        len(pairs),
        precision=mean(lambda a, b: len(a & b) / len(b)),
        recall=mean(lambda a, b: len(a & b) / len(a)),
        f1=mean(lambda a, b: 2 * len(a & b) / (len(a) + len(b))),
        touching=mean(lambda a, b: float(bool(a & b))),
    )
