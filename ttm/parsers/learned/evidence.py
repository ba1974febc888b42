"""What speaks for a reading: the numbers from which the probability is computed that it is what was meant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ttm.language.parse import Parse
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision
from ttm.parsers.learned.encoder.roles import INGREDIENTS, VERDICTS, ingredients_of
from ttm.parsers.learned.encoder.schema_items import SchemaItem
from ttm.parsers.linker.words.tokens import TokenKind

FEATURES = (
    "ingredients", "ingredients below best", "cost", "composed", "first composed", "rule confidence", "by rule",
    "first by rule", "both agree", "spans in parse", "spans left out", "numbers left out", "columns of its own", "problems",
    "ask", "refuse", "chat", "tag doubt", "link doubt", "words", "spans", "steps", "sure by rule",
    "rules ask", "rules leave words", "stands alone",
)  # fmt: skip


@dataclass(frozen=True)
class ProposedReading:
    """A parse with where it comes from: its cost if it was composed of decisions, its confidence if rules proposed it."""

    parse: Parse
    cost: float | None = None
    problems: int = 0
    rule_confidence: float | None = None
    rank: int = 0  # among those of the same origin
    rule_rank: int = 9
    rules_ask: bool = False  # the rules would rather ask back
    rules_leave: int = 0  # words that they could not use


def log_probability(ingredients: frozenset[str], scores: Mapping[str, float]) -> float:
    """Of exactly this set, the verdicts aside; whether conditions of before are repeated is left open."""
    free = {*VERDICTS, "keep"}
    total = 0.0
    for name in INGREDIENTS:
        if name not in free:
            score = scores[name] if name in ingredients else -scores[name]
            total -= float(np.logaddexp(0.0, -score))
    return total


def features_of(decisions: Decisions, proposed: Sequence[ProposedReading], alone: bool) -> npt.NDArray[np.float64]:
    """Evidence for each of the proposed readings of one message, (readings, FEATURES)."""
    scores = decisions.ingredients
    own = [log_probability(ingredients_of(one.parse), scores) for one in proposed]
    best = log_probability(frozenset(name for name, score in scores.items() if score > 0), scores)
    rows = []
    for one, value in zip(proposed, own, strict=True):
        text = f" {one.parse} "
        named = [span for span in decisions.spans if _means(span) is not None]
        inside = sum(_is_in(_means(span), text) for span in named)
        rows.append([
            max(value, -12.0), max(value - best, -12.0), min(one.cost, 12.0) if one.cost is not None else 8.0,
            float(one.cost is not None), float(one.cost is not None and one.rank == 0),
            one.rule_confidence or 0.0, float(one.rule_confidence is not None), float(one.rule_rank == 0),
            float(one.cost is not None and one.rule_confidence is not None),
            inside / len(named) if named else 1.0, float(len(named) - inside), float(_numbers_left(decisions, text)),
            float(_own_columns(one.parse, decisions)), float(one.problems),
            *(max(min(scores[name], 6.0), -6.0) for name in VERDICTS),
            max((span.doubt for span in decisions.spans), default=0.0),
            max((-span.links[0][1] for span in decisions.spans if span.links), default=0.0),
            np.log1p(len(decisions.tokens)), float(len(decisions.spans)), float(len(one.parse.steps)),
            float((one.rule_confidence or 0.0) >= 0.8 and one.rule_rank == 0 and not one.rules_ask and not one.rules_leave),
            float(one.rules_ask), float(min(one.rules_leave, 3)), float(alone),
        ])  # fmt: skip
    return np.array(rows, np.float64).reshape(len(rows), len(FEATURES))


def _means(span: SpanDecision) -> SchemaItem | None:
    return span.links[0][0] if span.links and span.links[0][1] > np.log(0.4) else None


def _is_in(item: SchemaItem | None, text: str) -> bool:
    if item is None:
        return True
    if item.feature is not None:
        return f" {item.feature.token} " in text
    if item.class_number is not None:
        return re.search(rf"(labelfilter|predictionfilter|probabilityfilter|class) {item.class_number} ", text) is not None
    return True


def _numbers_left(decisions: Decisions, text: str) -> int:
    numbers = {float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text)}
    said = [token for token in decisions.tokens if token.kind is TokenKind.NUMBER]
    return sum(not ({token.value, token.value / 100, -token.value} & numbers) and token.form != "ordinal" for token in said)


def _own_columns(parse: Parse, decisions: Decisions) -> int:
    """Columns in the parse that no span of the message may mean."""
    meant = {item.feature.token for span in decisions.spans for item, _ in span.links[:3] if item is not None and item.feature}
    words = r"(?:filter|change|statistic|effect|compare|important|distribution|define) (\w+)"
    return len({*re.findall(words, str(parse))} - meant - {"id", "all", "topk", "bottomk", "target", "probability"})


@dataclass(frozen=True)
class LogisticModel:
    """Standardised features (f,), weights (f,) and bias."""

    mean: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    bias: float

    def probabilities(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        scores = ((features - self.mean) / self.scale) @ self.weights + self.bias
        return np.asarray(1 / (1 + np.exp(-scores)))


@dataclass(frozen=True)
class ReadingRanking:
    """Two models of the evidence: of messages that stand alone and that the rules explain to the last word, and of others."""

    complete: LogisticModel
    other: LogisticModel

    def probabilities(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The probability of each reading (n,) of one message that it is a fair one."""
        model = self.complete if is_complete(features) else self.other
        return model.probabilities(features)


def is_complete(features: npt.NDArray[np.float64]) -> bool:
    """Whether the rules explain all of a message that needs no turn before."""
    sure, alone = FEATURES.index("sure by rule"), FEATURES.index("stands alone")
    return bool(len(features) and features[:, sure].any() and features[0, alone] > 0)
