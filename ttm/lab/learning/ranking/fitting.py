"""Fitting what decides between readings.

The readings of a message compete with each other and with "none of them": a conditional logit (McFadden 1974) whose likelihood
counts every fair reading; boosted trees (Friedman 2001) look again at the likeliest. Authors whom encoder and decoder have read
count less, since those are surer of them than of anybody else. What the ranking states is calibrated on authors whom none of it
has read, left out in parts (Platt 1999).
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from backend.models.boosted_trees import NO_TREES, Array, fit_trees
from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.replay import ReplayedTurn, forced_turns, own_turns
from ttm.parsers.learned.assumption import assuming, spelled_out
from ttm.parsers.learned.evidence import FEATURES
from ttm.parsers.learned.learned_parser import LearnedParser, ReadingProposals, evidence_of
from ttm.parsers.learned.ranking import LinearScore, ReadingRanking, compared
from ttm.parsers.understanding import ALONE, DialogueContext, Understanding
from ttm.tabular.data.schema import Schema

COMPLETE_WEIGHT = 4.0
READ_SHARE = 4  # of how many conversations of authors that the encoder has read one is taken
TREES = {"max_iter": 150, "learning_rate": 0.1, "max_leaf_nodes": 12, "min_samples_leaf": 60, "l2_regularization": 5.0}
FOLDS = 4  # parts of the authors that are left out in turn for the calibration
SAME = 1e-3  # spread below which a feature says nothing
STRENGTH = 10.0  # of the regularisation


@dataclass(frozen=True)
class WeighedTurn:
    """The evidence (n, f) for each reading that was proposed for one message, that for none of them (m,), and which (n,) are
    fair. `author`: who is left out together; `weight`: how much the message counts."""

    features: Array
    message: Array
    fair: Array
    author: str = ""
    weight: float = 1.0


def weighed_turns(
    dialogues: Iterable[CorpusDialogue],
    schemas: Mapping[str, Schema],
    weights: Path,
    unread: Container[str],
    calibrating: Container[str],
) -> list[WeighedTurn]:
    """Propose readings for every turn after fair ones, and judge them; where nothing can be answered, no reading is fair.

    `unread` are the authors whom the encoder has not read; `calibrating` are left out for the calibration. Of those that it has
    read every fourth conversation stands for four that would count a quarter each. Tables are worked on side by side.
    """
    taken = [one for at, one in enumerate(dialogues) if one.author in unread or at % READ_SHARE == 0]
    return _of_tables(partial(of_fair_readings, weights=weights, calibrating=calibrating), taken, schemas)


def own_weighed_turns(
    dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Schema], weights: Path, calibrating: Container[str]
) -> list[WeighedTurn]:
    """The same of the later turns of conversations in which the parser lives with its own readings, right or wrong, by the
    ranking that lies beside the weights: in use it sees such turns, and no others (DAgger, Ross et al. 2011)."""
    taken = [one for one in dialogues if len(one.turns) > 1]
    return _of_tables(partial(of_own_readings, weights=weights, calibrating=calibrating), taken, schemas)


def _of_tables(
    weigh: Callable[[list[CorpusDialogue], Schema], list[WeighedTurn]],
    dialogues: Iterable[CorpusDialogue],
    schemas: Mapping[str, Schema],
) -> list[WeighedTurn]:
    tables: dict[str, list[CorpusDialogue]] = defaultdict(list)
    for dialogue in dialogues:
        tables[dialogue.table].append(dialogue)
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        own = pool.map(weigh, tables.values(), [schemas[table] for table in tables])
        return [turn for turns in own for turn in turns]


def _one_thread() -> None:
    """Each process has one core: NumPy is loaded by then, and its threads would wait for each other most of the time."""
    threadpool_limits(1)


def of_fair_readings(
    dialogues: list[CorpusDialogue], schema: Schema, weights: Path, calibrating: Container[str]
) -> list[WeighedTurn]:
    """The turns of the conversations about one table, each after fair readings; in a process of its own."""
    parser = LearnedParser(schema, weights)
    collected = []
    for one in forced_turns(dialogues, {dialogue.table: schema for dialogue in dialogues}):
        proposals = parser.proposals(one.turn.utterance, one.context)
        if proposals.proposed:
            collected.append(_weighed(one, proposals, calibrating))
    return collected


def of_own_readings(
    dialogues: list[CorpusDialogue], schema: Schema, weights: Path, calibrating: Container[str]
) -> list[WeighedTurn]:
    """The later turns of the conversations about one table, each after the parser's own readings."""
    parser = LearnedParser(schema, weights)
    collected = []
    latest: list[ReadingProposals] = []

    def understand(table: str, utterance: str, context: DialogueContext) -> Understanding:
        latest[:] = [parser.proposals(utterance, assuming(context))]
        return parser.understanding_of(latest[0], context)

    for one, _ in own_turns(dialogues, {dialogue.table: schema for dialogue in dialogues}, understand):
        if latest[0].proposed and one.turn is not one.dialogue.turns[0]:
            collected.append(_weighed(one, latest[0], calibrating))
    return collected


def _weighed(one: ReplayedTurn, proposals: ReadingProposals, calibrating: Container[str]) -> WeighedTurn:
    context = assuming(one.context)
    answerable = one.turn.patterns and not (one.turn.chats or one.turn.refuses)
    fair = [bool(answerable) and one.is_fair(spelled_out(each.parse, context)) for each in proposals.proposed]
    author = one.dialogue.author if one.dialogue.author in calibrating else ""
    return WeighedTurn(*evidence_of(proposals, context), np.array(fair, np.float64), author)


def complete_questions(folder: Path, schemas: Mapping[str, Schema], weights: Path) -> list[WeighedTurn]:
    """Questions with one parse each, from files of lines `schema <tab> utterance <tab> parse`; there are few of them
    beside the messages of conversations, so each weighs more."""
    parsers: dict[str, LearnedParser] = {}
    collected = []
    for path in sorted(folder.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            name, utterance, wanted = line.split("\t")
            if name not in parsers:
                parsers[name] = LearnedParser(schemas[name], weights)
            proposals = parsers[name].proposals(utterance)
            if proposals.proposed:
                fair = [_same(str(one.parse), wanted) for one in proposals.proposed]
                evidence = evidence_of(proposals, ALONE)
                collected.append(WeighedTurn(*evidence, np.array(fair, np.float64), weight=COMPLETE_WEIGHT))
    return collected


def _same(parse: str, wanted: str) -> bool:
    return "".join(parse.removesuffix("[e]").lower().split()) == "".join(wanted.removesuffix("[e]").lower().split())


def fit_ranking(turns: Sequence[WeighedTurn]) -> ReadingRanking:
    """The ranking with its calibration, from messages whose authors are left out, some at a time. Takes two minutes."""
    authors = sorted({turn.author for turn in turns if turn.author})
    odds, fair = list[float](), list[float]()
    for left_out in (authors[at::FOLDS] for at in range(min(FOLDS, len(authors)) if len(authors) > 1 else 0)):
        left = fit_uncalibrated([turn for turn in turns if turn.author not in left_out])
        for turn in (one for one in turns if one.author in left_out):
            order, rows = compared(turn.features, turn.message, left.shares(turn.features, turn.message))
            own = left.trees.of(rows)
            odds.append(float(own.max()))
            fair.append(float(turn.fair[order[int(own.argmax())]]))
    slope, offset = platt(np.array(odds), np.array(fair))
    return replace(fit_uncalibrated(turns), slope=slope, offset=offset)


def platt(odds: Array, fair: Array) -> tuple[float, float]:
    """Slope and offset that make of log-odds (n,) those that come true (Platt 1999); `fair` (n,) is 0 or 1."""
    if len(set(fair.tolist())) < 2:
        return 1.0, 0.0
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e3).fit(odds[:, None], fair)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def fit_uncalibrated(turns: Sequence[WeighedTurn]) -> ReadingRanking:
    """The ranking whose order of readings counts, not what it states."""
    linear = _linear(turns)
    rows, fair, weights = list[Array](), list[Array](), list[Array]()
    for turn in turns:
        order, own = compared(turn.features, turn.message, linear.shares(turn.features, turn.message))
        rows.append(own)
        fair.append(turn.fair[order])
        weights.append(np.full(len(order), turn.weight))
    return replace(linear, trees=fit_trees(np.concatenate(rows), np.concatenate(fair), np.concatenate(weights), **TREES))


def _linear(turns: Sequence[WeighedTurn]) -> ReadingRanking:
    """The weights of largest penalised likelihood, by L-BFGS."""
    from scipy.optimize import minimize

    problem = _Likelihood(turns)
    count = len(FEATURES)
    result = minimize(problem.value, np.zeros(problem.size), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return ReadingRanking(
        LinearScore(problem.mean, problem.scale, result[:count]),
        LinearScore(problem.own_mean, problem.own_scale, result[count:-1], float(result[-1])),
        NO_TREES,
    )


class _Likelihood:
    """The penalised negative log-likelihood that a fair reading wins, or none where none is fair."""

    def __init__(self, turns: Sequence[WeighedTurn]) -> None:
        counts = np.array([len(turn.fair) for turn in turns])
        self.mean, self.scale, self._readings = _standardised(np.concatenate([turn.features for turn in turns]))
        self.own_mean, self.own_scale, self._messages = _standardised(np.stack([turn.message for turn in turns]))
        self._starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self._owner = np.repeat(np.arange(len(turns)), counts)
        self._fair = np.concatenate([turn.fair for turn in turns])
        self._any = np.array([bool(turn.fair.any()) for turn in turns])
        self._weights = np.array([turn.weight for turn in turns])
        self.size = self._readings.shape[1] + self._messages.shape[1] + 1

    def value(self, weights: Array) -> tuple[float, Array]:
        """The value and its gradient (size,)."""
        count = self._readings.shape[1]
        own, none, bias = weights[:count], weights[count:-1], weights[-1]
        scores, rest = self._readings @ own, self._messages @ none + bias
        highest = np.maximum(np.maximum.reduceat(scores, self._starts), rest)
        each, nothing = np.exp(scores - highest[self._owner]), np.exp(rest - highest)
        total = np.add.reduceat(each, self._starts) + nothing
        right = np.maximum(np.where(self._any, np.add.reduceat(each * self._fair, self._starts), nothing), 1e-300)
        penalty = 0.5 * STRENGTH * float(own @ own + none @ none)
        value = float((self._weights * (np.log(total) - np.log(right))).sum()) + penalty
        expected = np.where(self._any[self._owner], each * self._fair / right[self._owner], 0.0)
        of_readings = (each / total[self._owner] - expected) * self._weights[self._owner]
        of_none = self._weights * (nothing / total - np.where(self._any, 0.0, 1.0))
        gradient = [self._readings.T @ of_readings + STRENGTH * own, self._messages.T @ of_none + STRENGTH * none]
        return value, np.concatenate([*gradient, [of_none.sum()]])


def _standardised(values: Array) -> tuple[Array, Array, Array]:
    mean, spread = values.mean(axis=0), values.std(axis=0)
    scale = np.where(spread > SAME, spread, 1.0)
    return mean, scale, (values - mean) / scale
