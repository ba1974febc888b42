"""What the answers of one worker have in common: figures by which careless work differs from careful work.

Each figure is a share from 0 to 1, or None where nothing tells it. In a simulated study of careful and careless workers the
shares of kept templates, different texts, openings and new words alone told them apart (docs/figures/annotation.md).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, quantiles
from typing import Any, Literal, Protocol

SignalName = Literal[
    "insisted", "fast", "template_kept", "different", "opening", "new_words", "attention", "agreement", "accepted"
]
FAST = 0.2  # of the usual time of a task: faster is not possible with reading
FASTEST_TYPING = 15.0  # letters in a second of active time; beyond it a text was pasted
HIGH: frozenset[SignalName] = frozenset({"insisted", "fast", "template_kept", "opening"})  # where much is bad
# Where a figure is remarked upon on the lead's page; a study sets thresholds of its own in [[rule]].
REMARKED: Mapping[SignalName, float] = {
    "insisted": 0.3, "fast": 0.3, "template_kept": 0.9, "different": 0.5, "opening": 0.6, "new_words": 0.1,
    "attention": 0.6, "agreement": 0.5, "accepted": 0.6,
}  # fmt: skip
FEWEST_TEXTS = 5  # on which shares of texts rest
FEWEST_ANSWERS = 3


class SignalledAnswer(Protocol):
    """A row of an answer, or what has its columns."""

    @property
    def worker(self) -> int: ...
    @property
    def active(self) -> float | None: ...
    @property
    def signals(self) -> Any: ...
    @property
    def passed(self) -> bool | None: ...
    @property
    def verdict(self) -> str: ...


@dataclass(frozen=True)
class WorkerSignals:
    """`insisted`: the share of answers handed in against a warning; `fast`: in less than a fifth of the usual active time, or
    faster than anybody types; `template_kept`: of texts that hold all of their source; `different`: of texts that differ from
    the worker's others; `opening`: of texts that begin like most; `new_words`: of words that the source has not;
    `attention`: of attention items passed; `agreement`: of values as others gave them; `accepted`: of checked answers.
    """

    answers: int
    median_active: float | None
    insisted: float | None
    fast: float | None
    template_kept: float | None
    different: float | None
    opening: float | None
    new_words: float | None
    attention: float | None
    agreement: float | None
    accepted: float | None
    commonest_opening: str = ""

    def remarks(self) -> list[SignalName]:
        """The figures that look careless."""
        return [name for name, limit in REMARKED.items() if beyond(self, name, limit)]


def beyond(signals: WorkerSignals, name: SignalName, limit: float) -> bool:
    """Whether a figure is on the bad side of a limit, or at it; one that nothing tells is not."""
    value: float | None = getattr(signals, name)
    return value is not None and (value >= limit if name in HIGH else value <= limit)


def usual_pace(rows: Iterable[SignalledAnswer]) -> float | None:
    """The active seconds that a task usually takes: the upper quartile of the workers' medians, None if none is known.

    Not the median of all, which many who click through would pull down to their own speed.
    """
    by_worker: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if row.active is not None:
            by_worker[row.worker].append(row.active)
    medians = [median(times) for times in by_worker.values()]
    return quantiles(medians, n=4, method="inclusive")[2] if len(medians) > 1 else (medians[0] if medians else None)


def is_fast(row: SignalledAnswer, pace: float | None) -> bool | None:
    """None where the active time is not known."""
    if row.active is None:
        return None
    letters = (row.signals or {}).get("letters", 0)
    return bool((pace and row.active < FAST * pace) or (letters and letters > FASTEST_TYPING * max(row.active, 0.1)))


def worker_signals(
    rows: Sequence[SignalledAnswer], pace: float | None, agreement: float | None = None
) -> WorkerSignals:  # fmt: skip
    """`rows`: the answers of one worker; `pace` as `usual_pace` has it; `agreement`: with others, from 0 to 1."""
    known = [row.signals for row in rows if row.signals is not None]
    times = [row.active for row in rows if row.active is not None]
    return WorkerSignals(
        answers=len(rows),
        median_active=median(times) if times else None,
        insisted=_share(bool(signals["warned"]) for signals in known),
        fast=_share(is_fast(row, pace) for row in rows),
        attention=_share((row.passed for row in rows), fewest=1),
        agreement=agreement,
        accepted=_share(row.verdict != "rejected" for row in rows if row.verdict),
        **_text_signals([text for signals in known for text in signals["texts"]]),
    )


def _text_signals(texts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures that rest on texts, all None for too few of them."""
    if len(texts) < FEWEST_TEXTS:
        return dict.fromkeys(("template_kept", "different", "opening", "new_words"))
    ((opening, count),) = Counter(text["opening"] for text in texts).most_common(1)
    return {
        "template_kept": fmean(text["kept"] for text in texts),
        "different": len({text["text"] for text in texts}) / len(texts),
        "opening": count / len(texts),
        "new_words": fmean(text["new"] for text in texts),
        "commonest_opening": opening,
    }


def _share(flags: Iterable[bool | None], fewest: int = FEWEST_ANSWERS) -> float | None:
    known = [flag for flag in flags if flag is not None]
    return sum(known) / len(known) if len(known) >= fewest else None
