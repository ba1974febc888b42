"""Do sub-questions reflect the dialogue they stand in? (section 4.2, Tables 4 and 5)."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from backend.text.tokens import words
from inspired.lab.metrics.dialogues import MeasuredDialogue
from inspired.lab.metrics.masking import Masking, form_key
from inspired.lab.metrics.ngrams import ngrams


@dataclass(frozen=True)
class Overlap:
    """Mean ROUGE-1 and ROUGE-2 F1 of sub-questions with contexts, from 0 to 1."""

    rouge_1: float
    rouge_2: float


@dataclass(frozen=True)
class ContextOverlap:
    """`compared` sub-questions have a sub-logical form that another dialogue has too; `left_out` have none.

    `random` and `actual` are None if nothing could be compared.
    """

    compared: int
    left_out: int
    random: Overlap | None
    actual: Overlap | None


@dataclass(frozen=True)
class _ContextSpot:
    dialogue: int
    question: tuple[str, ...]
    context: tuple[str, ...]


def rouge(candidate: Sequence[str], reference: Sequence[str], n: int) -> float:
    """ROUGE-N as F1, from 0 to 1: the n-grams that both have, each as often as in the text that has it less often."""
    one, other = Counter(ngrams(candidate, n)), Counter(ngrams(reference, n))
    whole = one.total() + other.total()
    return 2 * (one & other).total() / whole if whole else 0.0


def context_overlap(dialogues: Sequence[MeasuredDialogue], masking: Masking, seed: int = 0) -> ContextOverlap:
    """Each gold sub-question against its own context, and against that of a random one with the same sub-logical form.

    A context is the complex question and the sub-questions before. The random one is from another dialogue, the same
    for the same `seed`. Names are masked in both.
    """
    places: dict[str, list[_ContextSpot]] = defaultdict(list)
    without_form = 0
    for number, dialogue in enumerate(dialogues):
        spots = _places(number, dialogue, masking)
        without_form += sum(not each.form and bool(each.question) for each in dialogue.gold)
        for form, spot in spots:
            places[form].append(spot)
    chance = random.Random(seed)
    pairs = [pair for same in places.values() for pair in _drawn(same, chance)]
    placed = sum(len(same) for same in places.values())
    return ContextOverlap(
        compared=len(pairs),
        left_out=without_form + placed - len(pairs),
        random=_mean((spot.question, other.context) for spot, other in pairs),
        actual=_mean((spot.question, spot.context) for spot, _ in pairs),
    )


def _places(number: int, dialogue: MeasuredDialogue, masking: Masking) -> list[tuple[str, _ContextSpot]]:
    names = masking.names(dialogue)
    context = words(masking.masked(dialogue.question, names))
    result = []
    for each in dialogue.gold:
        question = words(masking.masked(each.question, names))
        if each.form and question:
            result.append((form_key(each.form), _ContextSpot(number, question, context)))
        context += question
    return result


def _drawn(same: list[_ContextSpot], chance: random.Random) -> list[tuple[_ContextSpot, _ContextSpot]]:
    """Each place with one from another dialogue, if there is any. Places lie in the order of dialogues."""
    first: dict[int, int] = {}
    for index, spot in enumerate(same):
        first.setdefault(spot.dialogue, index)
    sizes = Counter(spot.dialogue for spot in same)
    pairs = []
    for spot in same:
        own = sizes[spot.dialogue]
        if len(same) > own:
            drawn = chance.randrange(len(same) - own)
            pairs.append((spot, same[drawn if drawn < first[spot.dialogue] else drawn + own]))
    return pairs


def _mean(pairs: Iterable[tuple[tuple[str, ...], tuple[str, ...]]]) -> Overlap | None:
    scores = [(rouge(question, context, 1), rouge(question, context, 2)) for question, context in pairs]
    if not scores:
        return None
    return Overlap(fmean(one for one, _ in scores), fmean(two for _, two in scores))
