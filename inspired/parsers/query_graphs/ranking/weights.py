"""The numbers that the default parser was fitted with: weights of features, strengths of words, and how sure to be."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

FITTED = Path(__file__).with_name("weights.json")

# What to begin with, before anything is fitted: good enough to reach the right graph most of the time.
BY_HAND: Mapping[str, float] = {
    "unexplained": -1.5,
    "unexplained_names": -2.5,
    "unexplained_kinds": -1.0,
    "unused_value": -2.0,
    "unused_superlative": -2.0,
    "names": 0.5,
    "name_match": 3.0,
    "name_weight": 1.5,
    "shorter_name": -1.5,
    "relations": -0.3,
    "evidence": 2.0,
    "least_evidence": 0.8,
    "whole_title": 0.7,
    "no_evidence": -1.5,
    "far_from_name": -1.0,
    "crossing": -1.0,
    "far_from_value": -0.5,
    "far_from_superlative": -0.5,
    "asked_kind": 1.5,
    "other_kind": -1.5,
    "asked_kind_deeper": -0.7,
    "kind_only": -1.0,
    "when_date": 2.0,
    "not_when_date": -1.5,
    "how_number": 1.5,
    "not_how_number": -0.3,
    "when_thing": -3.0,
    "value_answer": -1.5,
    "text_answer": -0.3,
    "unnarrowed": -1.0,
    "superlative_kind": 1.0,
    "superlative_other_kind": -1.0,
    "code_anchor": -0.5,
    "familiarity": 1.0,
    "adjective_name": 2.0,
    "vacuous": -2.0,
    "empty": -5.0,
    "tally": 1.5,
    "ended": -3.0,
    "people": 3.0,
    "asked_value": 1.5,
    "turned_round": -6.0,
    "superlative_outside": -2.5,
}
# What a fit may only make stronger: generated questions do without these words where people do not.
AT_MOST: Mapping[str, float] = {
    "unused_superlative": -5.0,
    "unused_value": -4.0,
    "unexplained_names": -10.0,
    "superlative_other_kind": -2.5,
    "value_answer": -2.5,
    "other_kind": -3.0,
    "turned_round": -6.0,
}


@dataclass(frozen=True)
class Weights:
    """`words` holds strengths of stems by relation, `familiarity` how often each relation is asked for (0 to 1).

    `temperature` divides scores before they become chances; `sureness` turns the best chance into a confidence.
    """

    features: Mapping[str, float] = field(default_factory=lambda: dict(BY_HAND))
    words: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    familiarity: Mapping[str, float] = field(default_factory=dict)
    temperature: float = 1.0
    sureness: tuple[float, ...] = ()

    def score(self, features: Mapping[str, float]) -> float:
        return sum(min(self.features.get(name, 0.0), AT_MOST.get(name, math.inf)) * value for name, value in features.items())

    def chances(self, scores: list[float]) -> list[float]:
        """Scores as chances that sum to 1."""
        highest = max(scores, default=0.0)
        raised = [math.exp((each - highest) / self.temperature) for each in scores]
        total = sum(raised)
        return [each / total for each in raised]

    @staticmethod
    def signs(chances: list[float], best: Mapping[str, float]) -> tuple[float, ...]:
        """What tells whether the best reading is right: its chance and lead, and what it leaves unsaid."""
        lead = chances[0] - (chances[1] if len(chances) > 1 else 0.0)
        left = best.get("unexplained", 0.0) + best.get("unexplained_names", 0.0) + best.get("unexplained_kinds", 0.0)
        return chances[0], lead, left, best.get("no_evidence", 0.0), best.get("least_evidence", 0.0)

    def confidences(self, chances: list[float], best: Mapping[str, float]) -> list[float]:
        """The chances of readings, the best one's put right by `sureness` and the others' scaled to what remains."""
        if not self.sureness or not chances:
            return chances
        first, *rest = self.sureness
        raised = first + sum(weight * sign for weight, sign in zip(rest, self.signs(chances, best), strict=True))
        sure = 1 / (1 + math.exp(-raised))
        others = sum(chances[1:])  # not 1 - chances[0], which is all rounding where the first is nearly certain
        scale = min((1 - sure) / others, sure / chances[1]) if others > 0 and len(chances) > 1 and chances[1] > 0 else 0.0
        return [sure, *(each * scale for each in chances[1:])]

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=0, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


@cache
def fitted_weights() -> Weights:
    """The weights that ship with Parley; those set by hand where the file is missing."""
    if not FITTED.exists():
        return Weights()
    return Weights(**json.loads(FITTED.read_text(encoding="utf-8")))
