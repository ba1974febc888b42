"""Beam search and diverse beam search over any model that can be asked for one token at a time.

Diverse beam search is Vijayakumar et al. 2018, algorithm 1, with Hamming diversity; a group's penalties stay in the scores
by which it chooses, as the sum over a whole prefix in their equation says. The order of outputs of several groups is ours:
the best of each group in turn, since a caller that asks for few of them wants those to differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from backend.models.sequence_models.seam import Allowed, BeamSearch

Scores = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class StepModel(Protocol):
    """`encode` gives a state with one row a source. `step` takes, for each row of the next state, the row it continues
    and the token that is now last there, and gives log-probabilities (rows, vocabulary) of what follows."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    def encode(self, sources: Sequence[str]) -> Any: ...

    def step(self, state: Any, parents: Numbers, tokens: Numbers) -> tuple[npt.NDArray[Any], Any]: ...


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """`tokens` without the end; `score` is the log-probability less the penalties; `row` is its place in the state."""

    tokens: tuple[int, ...] = ()
    log_probability: float = 0.0
    score: float = 0.0
    row: int = 0

    def rank(self, search: BeamSearch, ended: bool = True) -> float:
        return self.score / (len(self.tokens) + ended) ** search.length_power if self.tokens or ended else self.score


@dataclass
class _Group:
    alive: list[Hypothesis]
    finished: list[Hypothesis] = field(default_factory=list)


def beam_search(
    model: StepModel, sources: Sequence[str], n: int, search: BeamSearch, allowed: Allowed | None = None
) -> list[list[Hypothesis]]:
    """Up to `n` hypotheses for each source.

    Where no hypothesis has ended after `max_tokens`, those that are cut short are given.
    """
    state = model.encode(sources)
    beams = [[_Group([Hypothesis(row=row)]) for _ in range(search.groups)] for row in range(len(sources))]
    for _ in range(search.max_tokens):
        alive = [each for groups in beams for group in groups for each in group.alive]
        if not alive:
            break
        parents = np.array([each.row for each in alive], dtype=np.int64)
        last = np.array([each.tokens[-1] if each.tokens else model.start for each in alive], dtype=np.int64)
        scores, state = model.step(state, parents, last)
        row = 0
        for number, groups in enumerate(beams):
            width = sum(len(group.alive) for group in groups)
            _advance(groups, scores[row : row + width], row, model.end, search, allowed, number)
            row += width
    return [_outputs(groups, search)[:n] for groups in beams]


def _advance(
    groups: list[_Group],
    scores: npt.NDArray[Any],
    first_row: int,
    end: int,
    search: BeamSearch,
    allowed: Allowed | None,
    source: int,
) -> None:
    """One token more for every group of one source, each in the light of what the earlier ones chose."""
    chosen = np.zeros(scores.shape[1])
    row = 0
    for group in groups:
        width = len(group.alive)
        if width == 0:
            continue
        own = scores[row : row + width].astype(np.float64)
        if allowed is not None:
            _forbid(own, group.alive, allowed, source)
        _extend(group, own, chosen, first_row + row, end, search)
        for each in group.alive:
            chosen[each.tokens[-1]] += 1
        row += width
        _settle(group, search)


def _forbid(scores: Scores, alive: list[Hypothesis], allowed: Allowed, source: int) -> None:
    for row, each in enumerate(alive):
        tokens = allowed(source, each.tokens)
        if tokens is not None:
            forbidden = np.ones(scores.shape[1], dtype=bool)
            forbidden[tokens if isinstance(tokens, np.ndarray) else list(tokens)] = False
            scores[row, forbidden] = -np.inf


def _extend(group: _Group, scores: Scores, chosen: Scores, first_row: int, end: int, search: BeamSearch) -> None:
    width = search.beams // search.groups
    before = group.alive
    total = np.array([each.score for each in before])[:, None] + scores - search.penalty * chosen
    # Twice as many as are kept, so that those which end leave enough to go on with.
    best = _largest(total.ravel(), 2 * width)
    group.alive = []
    for rank, flat in enumerate(best):
        row, token = divmod(int(flat), scores.shape[1])
        score, parent = float(total[row, token]), before[row]
        log_probability = parent.log_probability + float(scores[row, token])
        if token == end and rank < width:
            group.finished.append(Hypothesis(parent.tokens, log_probability, score))
        elif token != end and len(group.alive) < width:
            group.alive.append(Hypothesis((*parent.tokens, token), log_probability, score, first_row + row))


def _largest(values: Scores, count: int) -> Numbers:
    """The places of the `count` largest values, largest first; ties by place, and nothing impossible."""
    if count < len(values):
        threshold = np.partition(values, -count)[-count]
        places = np.flatnonzero(values >= threshold)
    else:
        places = np.arange(len(values))
    places = places[np.isfinite(values[places])]
    order = np.argsort(-values[places], kind="stable")
    return np.asarray(places[order][:count], dtype=np.int64)


def _settle(group: _Group, search: BeamSearch) -> None:
    """Keep the best of what has ended; let the rest go once nothing of it can become better."""
    width = search.beams // search.groups
    group.finished = sorted(group.finished, key=lambda each: -each.rank(search))[:width]
    if len(group.finished) == width and group.alive:
        reachable = max(each.rank(search, ended=False) for each in group.alive)
        if group.finished[-1].rank(search) >= reachable:
            group.alive = []


def _outputs(groups: list[_Group], search: BeamSearch) -> list[Hypothesis]:
    lists = [group.finished or sorted(group.alive, key=lambda each: -each.score) for group in groups]
    in_turn = [each for row in zip_longest(*lists) for each in row if each is not None]
    seen: dict[tuple[int, ...], Hypothesis] = {}
    for each in in_turn:
        seen.setdefault(each.tokens, each)
    return list(seen.values())
