"""Is a short answer right? The hybrid metric of section 3.3, with what the paper leaves open decided.

correct(E, a) = a is not empty and for some accepted answer e: exact(e, a) or ((norm or fuzzy or embed) and dates agree), all
for the same e. In `paper` mode that is all. By default the numbers in both must agree as well: without this veto "1,776 feet"
passes for "1,775 feet" (ratio 90), and "10.5%" for "10.6%" (cosine .98). A number is the same in words, in digits and, behind a
name, in Roman numerals.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from backend.models.embeddings import Embedder, SentenceEmbedder
from faithfulness.method.dates import DateOrder, agree, canonical
from faithfulness.method.texts.number_words import in_digits, numbers_in

FUZZY_RATIO = 90.0
COSINE = 0.9


class MetricClause(StrEnum):
    """Which part of the metric accepted an answer."""

    EXACT = "exact match"
    NORM = "normalised match"
    FUZZY = "fuzzy match"
    EMBED = "embedding similarity"


@dataclass(frozen=True)
class CorrectnessVerdict:
    """`clause` is None for a wrong answer; `gold` is the accepted answer that matched."""

    clause: MetricClause | None
    gold: str = ""

    @property
    def correct(self) -> bool:
        return self.clause is not None


@dataclass(frozen=True)
class Metric:
    """The metric with its settings. Without an `embedder` the embedding clause never fires, which a report must say."""

    embedder: Embedder | None = None
    paper: bool = False
    order: DateOrder = DateOrder.UNKNOWN

    def judge(self, golds: Sequence[str], answer: str) -> CorrectnessVerdict:
        """The verdict on one answer; an empty answer is wrong."""
        if not answer.strip():
            return CorrectnessVerdict(None)
        for clause in MetricClause:
            for gold in golds:
                if self._fires(clause, gold, answer):
                    return CorrectnessVerdict(clause, gold)
        return CorrectnessVerdict(None)

    def _fires(self, clause: MetricClause, gold: str, answer: str) -> bool:
        if clause is MetricClause.EXACT:
            return gold == answer
        if not agree(gold, answer, self.order) or (not self.paper and not numbers_agree(gold, answer, self.order)):
            return False
        match clause:
            case MetricClause.NORM:
                return self._norm(gold) == self._norm(answer)
            case MetricClause.FUZZY:
                from rapidfuzz import fuzz

                return fuzz.ratio(gold, answer) >= FUZZY_RATIO
        return self.embedder is not None and cosine(self.embedder, gold, answer) >= COSINE

    def _norm(self, text: str) -> str:
        """The norm of the paper says nothing of numbers in words; ours writes them in digits first, outside of dates."""
        plain = self.paper or canonical(text, self.order)[1]
        return norm(text if plain else in_digits(_without_separators(text)), self.order)


@cache
def _embedder() -> SentenceEmbedder:
    return SentenceEmbedder()


def hybrid_metric(paper: bool = False) -> Metric:
    """The metric with embeddings, which are loaded once for the process, at the first answer that needs them."""
    return Metric(_embedder(), paper=paper)


def cosine(embedder: Embedder, first: str, second: str) -> float:
    """Cosine similarity of two texts, -1 to 1."""
    vectors = embedder.embed([first, second])
    return float(vectors[0] @ vectors[1])


def norm(text: str, order: DateOrder = DateOrder.UNKNOWN) -> str:
    """A standard form (section 3.3): first line, no quotes, lead-in, final period, accents, case, thousands separators,
    punctuation, articles; dates in ISO form, without the preposition before them."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    line = lines[0] if lines else ""
    line = re.sub(r"^(?:the\s+answer\s+is|short\s+answer\s*:|answer\s*:)\s*", "", line, flags=re.IGNORECASE)
    line = line.strip("\"'\u201c\u201d\u2018\u2019` ").removesuffix(".")
    line = "".join(c for c in unicodedata.normalize("NFKD", line) if not unicodedata.combining(c)).casefold()
    line, dates = canonical(line, order)
    line = _without_separators(line)
    if dates:
        line = re.sub(r"\b(?:on|in|during|since)\s+(?=[\d-])", "", line)
    line = re.sub(r"[^\w\s/-]|_", " ", line)
    line = re.sub(r"(?<!\w)-+|-+(?!\w)|(?<=[^\W\d])-+(?=[^\W\d])", " ", line) if not dates else line
    return " ".join(word for word in line.split() if word not in ("a", "an", "the"))


def numbers_agree(first: str, second: str, order: DateOrder = DateOrder.UNKNOWN) -> bool:
    """Whether the numbers that are no dates are the same on both sides; a veto of ours, off in paper mode.

    Digits on one side must stand on the other too, in digits or words. Words alone must agree where both sides have some;
    "one" is no number there, since it often is none.
    """
    (digits, words), (other_digits, other_words) = _numbers(first, order), _numbers(second, order)
    if digits or other_digits:
        return digits <= other_digits | other_words and other_digits <= digits | words
    return not (words - {1} and other_words - {1}) or words - {1} == other_words - {1}


def _numbers(text: str, order: DateOrder) -> tuple[set[float], set[float]]:
    """The numbers that are no dates: those in digits, and those in words."""
    # Before thousands separators go: "1,776" is a number, "1776" reads as a year.
    rest, dates = canonical(text, order)
    for date in dates:
        rest = rest.replace(date, " ")
    return numbers_in(_without_separators(rest))


def _without_separators(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
