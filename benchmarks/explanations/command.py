"""How faithful, stable and fast explanations are: `python -m ttm explain-bench`.

Every row is explained as a conversation would do it, with nothing kept from before and nothing read from disk. Fidelity of
the chosen technique is set against the median and the worst of all on the same row.

Source: TalkToModel, appendix B.2 and Table 9.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from backend.errors import SettingsError
from benchmarks.explanations.judged_by_hiding import JudgedByHiding, judge, report_of
from ttm.chat.session_options import add_subject, session_of

if TYPE_CHECKING:
    from ttm.explain.attribution import Explanation
    from ttm.explain.explainer import Explainer
    from ttm.tabular.data.schema import Feature
    from ttm.tabular.subject import Subject

Vector = npt.NDArray[np.float64]
Progress = Callable[[str], None]
WHAT_IF_PERCENT = 10
MOST_JUDGED = 60  # rows of which techniques are judged by measures that did not choose them


def _no_progress(line: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Spread:
    """A mean over rows and one standard deviation, or None for both where nothing could be measured."""

    mean: float | None
    sd: float | None


@dataclass(frozen=True)
class Times:
    median: float
    p95: float
    max: float


@dataclass(frozen=True)
class Levels:
    """Fidelity over rows: of the chosen technique, and of the median and the worst of all techniques on the same row."""

    selected: Spread
    median: Spread
    worst: Spread


@dataclass(frozen=True)
class Table9:
    """The four measures of Table 9. Decreases are in percent of the selected fidelity, over rows where that is not 0."""

    percent_decrease_median: Spread
    percent_decrease_worst: Spread
    improvement_over_median: Spread
    improvement_over_worst: Spread
    rows_without_fidelity: int


@dataclass(frozen=True)
class ExplainBench:
    """What was measured on `rows` different rows of a data set.

    Seconds are wall time, of the first of the seeds. `total_seconds` is all rows with `preparation_seconds`, which are
    spent once for a data set (the first row waits for them). `rows_per_instance` is the mean number of rows given to the
    model, `share_in_model` the part of the time spent inside it. Agreement across seeds is the share of rows on which two
    seeds agree, over all pairs of seeds; None for one seed. `never_below_median` says whether the selected explanation was
    at least as faithful as the median one on every row. `what_if_importance_seconds` is one change to all rows followed by
    the importance of all features, by an engine that has not been asked anything. All this is about explanations as the paper
    chooses them; `by_hiding` is about those that the app gives, on at most MOST_JUDGED of the rows.
    """

    dataset: str
    rows: int
    features: int
    samples: int
    seeds: int
    seconds_per_instance: Times
    preparation_seconds: float
    total_seconds: float
    rows_per_instance: float
    share_in_model: float
    same_method_across_seeds: float | None
    same_top_feature_across_seeds: float | None
    fidelity: Levels
    never_below_median: bool
    table9: Table9
    methods: dict[str, int]
    decided_by_stability: float
    what_if: str
    what_if_importance_seconds: float
    by_hiding: JudgedByHiding

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class _SeedRun:
    """All rows under one seed."""

    explanations: tuple["Explanation", ...]
    seconds: tuple[float, ...]
    preparation: float


def measure(
    subject: "Subject",
    limit: int | None = None,
    seeds: int = 3,
    samples: int | None = None,
    seed: int = 0,
    progress: Progress = _no_progress,
) -> ExplainBench:
    """Explain the different rows of a data set, at most `limit` spread evenly, under `seeds` seeds from `seed` on.

    `samples` is the N of the fidelity measure, by default that of the app. Raises SettingsError for numbers below 1.
    """
    from ttm.explain.importance import evenly

    for name, value in (("--limit", limit), ("--seeds", seeds), ("--samples", samples)):
        if value is not None and value < 1:
            raise SettingsError(f"{name} must be at least 1, not {value}.")
    frame = subject.dataset.frame[[feature.name for feature in subject.schema.features]].drop_duplicates()
    frame = frame.iloc[evenly(len(frame), limit or len(frame))]
    runs = [_explained(_explainer(subject, seed + number, samples), frame, progress) for number in range(seeds)]
    progress("judged by hiding")
    judged = judge(_explainer(subject, seed, samples), frame.iloc[evenly(len(frame), min(len(frame), MOST_JUDGED))])
    progress("what-if on all rows")
    return _figures(subject, runs, what_if_importance(subject, seed, samples), judged)


def _explainer(subject: "Subject", seed: int, samples: int | None) -> "Explainer":
    from ttm.explain.explainer import Explainer
    from ttm.explain.selection.fidelity import SelectionSettings

    settings = SelectionSettings() if samples is None else replace(SelectionSettings(), samples=samples)
    return Explainer(subject, None, seed, settings)  # no cache: nothing comes from an earlier run


def _explained(explainer: "Explainer", frame: Any, progress: Progress) -> _SeedRun:
    from ttm.language.parse import Method

    start = time.perf_counter()
    explainer.explain(frame.iloc[:1], Method.PAPER, class_number=0)  # kept apart from the same row as it is asked below
    preparation = time.perf_counter() - start
    explanations, seconds = [], []
    for index in range(len(frame)):
        start = time.perf_counter()
        explanations.append(explainer.explain(frame.iloc[index : index + 1], Method.PAPER))
        seconds.append(time.perf_counter() - start)
        if index % 50 == 0:
            progress(f"seed {explainer.seed}: row {index + 1:,} of {len(frame):,}")
    return _SeedRun(tuple(explanations), tuple(seconds), preparation)


def what_if_importance(subject: "Subject", seed: int = 0, samples: int | None = None) -> tuple[str, float]:
    """A change to all rows followed by the importance of all features: the parse, and the seconds it took.

    An engine that has not been asked anything carries it out; libraries and the model are loaded.
    """
    from ttm.language.grammar import grammar_of
    from ttm.operations.execution_engine import ExecutionEngine

    text = f"{_change(subject.schema.features)} and important all"
    parse = grammar_of(subject.schema).read(text)
    engine = ExecutionEngine(subject, _explainer(subject, seed, samples), seed)
    start = time.perf_counter()
    engine.execute(parse)
    return text, time.perf_counter() - start


def _change(features: Sequence["Feature"]) -> str:
    """The first number that can change, a tenth higher; without one, the first feature set to its last value."""
    from ttm.tabular.data.schema import FeatureKind

    numbers = [feature for feature in features if feature.kind is FeatureKind.NUMERIC]
    if numbers:
        return f"change {next((f for f in numbers if f.mutable), numbers[0]).token} increase {WHAT_IF_PERCENT} percent"
    feature = next((f for f in features if f.values), features[0])
    return f"change {feature.token} {feature.value_token(feature.values[-1])}" if feature.values else (
        f"change {feature.token} increase 1")  # fmt: skip


# --- figures -------------------------------------------------------------------------------------------------------------


def _figures(subject: "Subject", runs: Sequence[_SeedRun], what_if: tuple[str, float], judged: JudgedByHiding) -> ExplainBench:
    first = runs[0]
    seconds = np.array(first.seconds)
    worth = np.array([[candidate.fidelity for candidate in one.candidates] for one in first.explanations])
    selected, median, worst = selected_median_worst(worth, np.array([one.chosen.fidelity for one in first.explanations]))
    return ExplainBench(
        dataset=subject.dataset.name,
        rows=len(seconds),
        features=len(subject.schema.features),
        samples=first.explanations[0].samples,
        seeds=len(runs),
        seconds_per_instance=Times(float(np.median(seconds)), float(np.quantile(seconds, 0.95)), float(seconds.max())),
        preparation_seconds=first.preparation,
        total_seconds=first.preparation + float(seconds.sum()),
        rows_per_instance=float(np.mean([one.rows_evaluated for one in first.explanations])),
        share_in_model=sum(one.model_seconds for one in first.explanations) / float(seconds.sum()),
        same_method_across_seeds=_agreement(runs, lambda one: one.chosen.technique),
        same_top_feature_across_seeds=_agreement(runs, lambda one: int(one.ranking[0])),
        fidelity=Levels(_spread(selected), _spread(median), _spread(worst)),
        never_below_median=bool((selected >= median).all()),
        table9=table9(selected, median, worst),
        methods=dict(Counter(one.chosen.label for one in first.explanations).most_common()),
        decided_by_stability=float(np.mean([one.reason == "stability" for one in first.explanations])),
        what_if=what_if[0],
        what_if_importance_seconds=what_if[1],
        by_hiding=judged,
    )


def selected_median_worst(worth: npt.NDArray[np.float64], selected: Vector) -> tuple[Vector, Vector, Vector]:
    """Fidelity of the selected technique, the median and the worst one, each (n,), from that of all techniques (n, t)."""
    return selected, np.median(worth, axis=1), worth.min(axis=1)


def table9(selected: Vector, median: Vector, worst: Vector) -> Table9:
    """The four measures from fidelities (n,) of the selected, the median and the worst technique of each row."""
    known = selected > 0
    return Table9(
        percent_decrease_median=_spread(100 * (selected - median)[known] / selected[known]),
        percent_decrease_worst=_spread(100 * (selected - worst)[known] / selected[known]),
        improvement_over_median=_spread(selected - median),
        improvement_over_worst=_spread(selected - worst),
        rows_without_fidelity=int((~known).sum()),
    )


def _spread(values: Vector) -> Spread:
    return Spread(float(values.mean()), float(values.std())) if len(values) else Spread(None, None)


def _agreement(runs: Sequence[_SeedRun], what: Callable[["Explanation"], object]) -> float | None:
    """The share of rows on which two seeds agree in something, over all pairs of seeds."""
    pairs = list(combinations([[what(one) for one in run.explanations] for run in runs], 2))
    if not pairs:
        return None
    return float(np.mean([[a == b for a, b in zip(one, other, strict=True)] for one, other in pairs]))


# --- the command ---------------------------------------------------------------------------------------------------------


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `python -m ttm explain-bench`."""
    add_subject(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many rows, spread evenly (all)")
    parser.add_argument("--seeds", type=int, default=3, metavar="K", help="how many seeds to compare (3)")
    parser.add_argument("--samples", type=int, metavar="N", help="perturbations for each measurement of fidelity (10,000)")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")


def run(args: argparse.Namespace) -> None:
    """Measure and print the figures; progress goes to stderr if that is a terminal."""
    progress = _show_progress if sys.stderr.isatty() else _no_progress
    subject = session_of(args).loaded.subject
    result = measure(subject, args.limit, args.seeds, args.samples, getattr(args, "seed", 0), progress)
    sys.stdout.write((json.dumps(result.as_json(), allow_nan=False) if args.json else report(result)) + "\n")


def _show_progress(line: str) -> None:
    sys.stderr.write(line + "\n")


def report(bench: ExplainBench) -> str:
    """The figures as a table for a terminal."""
    times, table, levels = bench.seconds_per_instance, bench.table9, bench.fidelity
    lines = [
        ("rows, features", f"{bench.rows:,}, {bench.features}"),
        ("seconds a row: median, 95% within, slowest", f"{times.median:.3f}, {times.p95:.3f}, {times.max:.3f}"),
        ("seconds in all, of which once", f"{bench.total_seconds:.1f}, {bench.preparation_seconds:.1f}"),
        ("rows given to the model a row", f"{bench.rows_per_instance:,.0f}"),
        ("share of the time inside the model", f"{bench.share_in_model:.0%}"),
        ("what-if on all rows, then importance", f"{bench.what_if_importance_seconds:.2f} s ({bench.what_if})"),
        (f"same method under another of {bench.seeds} seeds", _share(bench.same_method_across_seeds)),
        ("same top feature under another seed", _share(bench.same_top_feature_across_seeds)),
        ("fidelity selected", _pair(levels.selected, 4)),
        ("fidelity of the median method", _pair(levels.median, 4)),
        ("fidelity of the worst method", _pair(levels.worst, 4)),
        ("% fidelity decrease, median method", _pair(table.percent_decrease_median, 1)),
        ("% fidelity decrease, worst method", _pair(table.percent_decrease_worst, 1)),
        ("absolute improvement over the median", _pair(table.improvement_over_median, 4)),
        ("absolute improvement over the worst", _pair(table.improvement_over_worst, 4)),
        ("never below the median method", "yes" if bench.never_below_median else "no"),
        ("decided by stability", f"{bench.decided_by_stability:.0%}"),
        ("methods chosen", ", ".join(f"{label} {count}" for label, count in bench.methods.items())),
        *report_of(bench.by_hiding),
    ]
    width = max(len(name) for name, _ in lines)
    return "\n".join([bench.dataset, *(f"{name:<{width}}  {value}" for name, value in lines)])


def _share(share: float | None) -> str:
    return "one seed only" if share is None else f"{share:.1%}"


def _pair(spread: Spread, decimals: int) -> str:
    if spread.mean is None or spread.sd is None:
        return "no row has any"
    return f"{spread.mean:.{decimals}f} ({spread.sd:.{decimals}f})"
