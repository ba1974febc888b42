"""`python -m ttm learn --add FILE`: learn from corrections that a reviewer accepted, without the encoder.

Two things are learned: what decides between readings, fitted again with the new lines; and names that the corrections use for
what the data set calls otherwise. Both are kept only where lines that were left out of the fit are understood no worse.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from backend.storage.accepted_pairs import read_pairs
from ttm.lab.learning.ranking.fitting import WeighedTurn, fit_uncalibrated
from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.parsers.learned.decisions.span_decisions import SpanDecision
from ttm.parsers.learned.decisions.taught_names import TaughtNames, phrase_of
from ttm.parsers.learned.encoder.schema_items import SchemaItem
from ttm.parsers.learned.learned_parser import LearnedParser, ReadingProposals, evidence_of
from ttm.parsers.learned.ranking import ReadingRanking
from ttm.parsers.understanding import ALONE
from ttm.tabular.data.schema import Schema

FOLDS = 2  # a fit of all lines takes some twenty seconds
PART = 4  # the lines of every fourth author are looked at again
ADDED_WEIGHT = 2.0  # of a correction beside a line of the corpus
SURELY = np.log(0.6)  # log-probability from which a span means what it was linked to, whatever else was missed
TOLERATED = 0.005  # share of lines of the corpus that may become worse before all is refused


@dataclass(frozen=True)
class AcceptedCorrection:
    """A question with the parse that a reviewer accepted for it."""

    utterance: str
    gold: Parse


@dataclass(frozen=True)
class LearningReport:
    """Lines right before and after, of lines that the fit in question had not read: corrections, and lines of the corpus."""

    corrections: tuple[int, int, int]  # how many, right before, right after
    corpus: tuple[int, int, int]
    better: tuple[str, ...]
    worse: tuple[str, ...]
    names: TaughtNames

    @property
    def is_worse(self) -> bool:
        count, before, after = self.corpus
        return after < before - TOLERATED * count or self.corrections[2] < self.corrections[1]

    @property
    def words(self) -> str:
        lines = [
            f"{name}, not read by the fit: {before} of {count} right before, {after} after"
            for name, (count, before, after) in (("Corrections", self.corrections), ("Lines of the corpus", self.corpus))
        ]
        lines += [f"better: {utterance}" for utterance in self.better] + [f"worse: {utterance}" for utterance in self.worse]
        return "\n".join([*lines, *(f"name learned: {' '.join(phrase)} = {item}" for phrase, item in self.names.items())])


def read_corrections(path: Path, schema: Schema, dataset: str = "") -> list[AcceptedCorrection]:
    """Corrections of a data set, or those that name none; formats and errors: see `read_pairs`."""
    grammar = grammar_of(schema)
    return read_pairs(
        path,
        lambda name: name in (dataset, ""),
        lambda utterance, gold: AcceptedCorrection(utterance, grammar.read(gold)),
        f"no correction with an accepted parse{f' for {dataset}' if dataset else ''}",
    )


def learn_corrections(
    corrections: Sequence[AcceptedCorrection], known: Sequence[WeighedTurn], parser: LearnedParser
) -> tuple[ReadingRanking, LearningReport]:
    """Fit with the corrections, and say what that does to lines that each fit had not read.

    All fits that are compared leave out the same authors, whose lines are judged, and none of them knows what was learned from
    corrections before. How the ranking is calibrated stays: some corrections are few beside the authors that this rests on.
    """
    left_out = set(sorted({turn.author for turn in known if turn.author})[::PART])
    rest = [turn for turn in known if turn.author not in left_out]
    judged_lines = [turn for turn in known if turn.author in left_out]
    plain = fit_uncalibrated(rest)
    judged = _judged(corrections, rest, plain, parser)
    names = _names(corrections, parser)
    taught = parser.with_names(names)
    added = [_weighed(one, taught.proposals(one.utterance)) for one in corrections]
    after = fit_uncalibrated([*rest, *added])
    report = LearningReport(
        (len(judged), sum(old for _, old, _ in judged), sum(new for *_, new in judged)),
        (len(judged_lines), _count_right(plain, judged_lines), _count_right(after, judged_lines)),
        tuple(text for text, old, new in judged if new and not old),
        tuple(text for text, old, new in judged if old and not new),
        names,
    )
    return replace(fit_uncalibrated([*known, *added]), slope=parser.ranking.slope, offset=parser.ranking.offset), report


def _judged(
    corrections: Sequence[AcceptedCorrection], rest: Sequence[WeighedTurn], plain: ReadingRanking, parser: LearnedParser
) -> list[tuple[str, bool, bool]]:
    """Each correction with whether it is read rightly before, and after a fit with the corrections of the other folds."""
    before = [_weighed(one, parser.proposals(one.utterance)) for one in corrections]
    judged = []
    for fold in range(FOLDS):
        own = [one for at, one in enumerate(corrections) if at % FOLDS != fold]
        learned = parser.with_names(_names(own, parser))
        ranking = fit_uncalibrated([*rest, *(_weighed(one, learned.proposals(one.utterance)) for one in own)])
        for one, old in list(zip(corrections, before, strict=True))[fold::FOLDS]:
            new = _weighed(one, learned.proposals(one.utterance))
            judged.append((one.utterance, _is_right(plain, old), _is_right(ranking, new)))
    return judged


def _weighed(correction: AcceptedCorrection, proposals: ReadingProposals) -> WeighedTurn:
    wanted = _canonical(correction.gold)
    fair = np.array([_canonical(one.parse) == wanted for one in proposals.proposed], np.float64)
    return WeighedTurn(*evidence_of(proposals, ALONE), fair, weight=ADDED_WEIGHT)


def _canonical(parse: Parse) -> tuple[str, ...]:
    """The items of a parse; the order of conditions and requests aside."""
    return tuple(
        sorted(f"{'or' if joiner != 'and' and at else 'and'} {text}" for at, (joiner, text) in enumerate(parse.items()))
    )


def _is_right(ranking: ReadingRanking, turn: WeighedTurn) -> bool:
    return bool(len(turn.fair) and turn.fair[int(ranking.probabilities(turn.features, turn.message).argmax())])


def _count_right(ranking: ReadingRanking, turns: Iterable[WeighedTurn]) -> int:
    return sum(_is_right(ranking, turn) for turn in turns)


def _names(corrections: Iterable[AcceptedCorrection], parser: LearnedParser) -> dict[tuple[str, ...], str]:
    """Words that stood for an item of the accepted parse and were linked to another one, most often said so."""
    counts: Counter[tuple[tuple[str, ...], str]] = Counter()
    for one in corrections:
        decisions = parser.proposals(one.utterance).decisions
        wanted = {item.key: item for item in parser.items if _is_named(item, f" {one.gold} ")}
        linked = {span.links[0][0].key for span in decisions.spans if span.links and span.links[0][0] is not None}
        missing, stray = [key for key in wanted if key not in linked], _stray(decisions.spans, set(wanted))
        if len(missing) == 1 and len(stray) == 1 and stray[0].links[0][1] < SURELY and phrase_of(stray[0].tokens):
            counts[phrase_of(stray[0].tokens), missing[0]] += 1
    return {phrase: item for (phrase, item), _ in reversed(counts.most_common())}


def _is_named(item: SchemaItem, text: str) -> bool:
    """Whether a parse is about a column as such, or about one of its values."""
    if item.feature is None:
        return False
    name = item.feature.token
    if item.value:
        return f" {name} {item.value} " in text or f" {name} not {item.value} " in text
    values = map(item.feature.value_token, item.feature.values)
    return f" {name} " in text and not any(f" {name} {value} " in text for value in values)


def _stray(spans: Iterable[SpanDecision], wanted: set[str]) -> list[SpanDecision]:
    return [span for span in spans if span.links and (span.links[0][0] is None or span.links[0][0].key not in wanted)]
