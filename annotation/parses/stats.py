"""How far the review is: counts by data set and by reviewer."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from annotation.parses.pairs import ReviewState, progress
from backend.storage.collected import list_feedback
from backend.storage.database import Database, parse_reviews


@dataclass(frozen=True)
class Stats:
    """`pairs`: data set -> state -> number of items; `verdicts`: data set -> "up" or "down" -> number of answers;
    `reviewers`: name -> number of decisions, taken back or not, those with most first."""

    pairs: dict[str, dict[ReviewState, int]]
    verdicts: dict[str, dict[str, int]]
    reviewers: dict[str, int]

    @property
    def datasets(self) -> list[str]:
        return sorted({*self.pairs, *self.verdicts})

    def of(self, dataset: str) -> tuple[dict[ReviewState, int], dict[str, int]]:
        """The counts of one data set: of its pairs, and of verdicts on its answers."""
        return self.pairs.get(dataset, dict.fromkeys(ReviewState, 0)), self.verdicts.get(dataset, {"up": 0, "down": 0})

    def as_json(self) -> dict[str, Any]:
        return {"datasets": {name: self._row(name) for name in self.datasets}, "reviewers": self.reviewers}

    def _row(self, dataset: str) -> dict[str, int]:
        pairs, verdicts = self.of(dataset)
        states = {state.value.replace(" ", "_"): count for state, count in pairs.items()}
        return states | {f"verdicts_{verdict}": count for verdict, count in verdicts.items()}


def stats(database: Database) -> Stats:
    verdicts: dict[str, dict[str, int]] = defaultdict(lambda: {"up": 0, "down": 0})
    for entry in list_feedback(database):
        verdicts[entry.dataset][entry.verdict] += 1
    with database.reading() as connection:
        rows = connection.execute(select(parse_reviews.c.reviewer, func.count()).group_by(parse_reviews.c.reviewer))
        reviewers = Counter({str(row[0]): int(row[1]) for row in rows})
    return Stats(progress(database), dict(verdicts), dict(reviewers.most_common()))


def stats_text(stats: Stats) -> str:
    """The counts as lines for a terminal."""
    lines = [_line(name, *stats.of(name)) for name in stats.datasets]
    reviewers = ", ".join(f"{name} {count}" for name, count in stats.reviewers.items())
    return "\n".join(lines + ([f"Decisions: {reviewers}."] if reviewers else [])) or "Nothing has been collected yet."


def _line(dataset: str, pairs: dict[ReviewState, int], verdicts: dict[str, int]) -> str:
    counts = ", ".join(f"{count} {state}" for state, count in pairs.items())
    return f"{dataset}: pairs: {counts}; answers: {verdicts['up']} found right, {verdicts['down']} found wrong."
