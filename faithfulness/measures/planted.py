"""Models whose reasons are known, since they are rules: what an answer of theirs rests on, and what it does not."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backend.models.language_models import ScriptedModel
from faithfulness.method.chance import random_keywords, word_class
from faithfulness.method.keywords import bare, occurrences, touched_words
from faithfulness.method.regions import words
from faithfulness.method.sample import Sample

UNKNOWN = "not known"


@dataclass(frozen=True)
class PlantedRule:
    """The answer is given where all texts of some alternative stand in the text that is shown."""

    alternatives: tuple[tuple[str, ...], ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """The true explanation: every text that some alternative needs."""
        return tuple(dict.fromkeys(text for alternative in self.alternatives for text in alternative))

    def holds(self, shown: str) -> bool:
        return any(all(occurrences(text, shown) for text in alternative) for alternative in self.alternatives)


def answer_alone(answer: str, cues: Sequence[str]) -> PlantedRule:
    return PlantedRule(((answer,),))


def answer_and_cue(answer: str, cues: Sequence[str]) -> PlantedRule:
    return PlantedRule(((answer, cues[0]),))


def two_of_three(answer: str, cues: Sequence[str]) -> PlantedRule:
    """Redundant evidence: no single text is needed."""
    return PlantedRule(((answer, cues[0]), (answer, cues[1]), (cues[0], cues[1])))


def cues_alone(answer: str, cues: Sequence[str]) -> PlantedRule:
    """A shortcut: two words beside the answer, and never the answer itself."""
    return PlantedRule(((cues[0], cues[1]),))


# Name -> the rule on a sample, from its answer and two words near it.
PLANTED: dict[str, Callable[[str, Sequence[str]], PlantedRule]] = {
    "needs the answer": answer_alone,
    "needs answer and cue": answer_and_cue,
    "two of three are enough": two_of_three,
    "goes by cues alone": cues_alone,
}


def rule_for(sample: Sample, kind: str) -> PlantedRule | None:
    """The rule of a planted model on a sample; None where its passage has no answer or no two cues."""
    answer = next((each for each in sample.answers if occurrences(each, sample.passage)), None)
    cues = _cues(sample, answer) if answer else []
    return PLANTED[kind](answer, cues[:2]) if answer and len(cues) > 1 else None


def _cues(sample: Sample, answer: str) -> list[str]:
    """Words of content that stand once in the passage, the nearest to the answer first."""
    tokens = words(sample.passage)
    around = touched_words([answer], sample.passage)
    texts = {index: bare(token.of(sample.passage)) for index, token in enumerate(tokens) if index not in around}
    once = [
        (min(abs(index - at) for at in around), text)
        for index, text in texts.items()
        if len(text) > 3 and word_class(text) != "function" and len(occurrences(text, sample.passage)) == 1
    ]
    return [text for _, text in sorted(once)]


def rule_model(rule: PlantedRule, answer: str, keywords: Sequence[str]) -> ScriptedModel:
    """A model that answers by the rule in the continuation protocol, and names these keywords."""

    def reply(prompt: str) -> str:
        shown = re.match(r"Passage: (.*)\nQuestion:", prompt.rsplit("\n\n", 1)[1])
        known = shown is not None and rule.holds(shown[1])
        return f" {answer if known else UNKNOWN}\nKeywords: {', '.join(keywords)}"

    return ScriptedModel(reply)


def false_keywords(sample: Sample, true: Sequence[str], seed: int = 0) -> tuple[str, ...] | None:
    """Keywords as many, as long and of the same classes as the true ones, and no word in common with them; None where the
    passage has none in 200 draws."""
    touched = touched_words(true, sample.passage)
    for draw in random_keywords(sample.passage, true, seed):
        if len({text.casefold() for text in draw}) == len(true) and not touched & touched_words(draw, sample.passage):
            return tuple(draw)
    return None


def half_true_keywords(sample: Sample, true: Sequence[str], seed: int = 0) -> tuple[str, ...] | None:
    """The true keywords with the second half of them, rounded up, replaced by false ones; None for a single keyword."""
    false = false_keywords(sample, true, seed)
    half = len(true) // 2
    return (*true[:half], *false[half:]) if false and half else None


FALSE: dict[str, Callable[[Sample, Sequence[str], int], tuple[str, ...] | None]] = {
    "": false_keywords,
    ", half true": half_true_keywords,
}
