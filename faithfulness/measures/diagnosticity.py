"""How well each measure tells true explanations from false ones: the area under the ROC curve, 0.5 for none at all.

Of planted models the true explanation is known, since they are rules. Of real models it is not: the words of a group whose
masking made the answer wrong stand for a true one, which favours the measures that look there (f and its lift).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from backend.jobs import in_flight
from faithfulness.baselines.compare import confidence
from faithfulness.measures.keyword_measures import MEASURES, ExplainedSample
from faithfulness.measures.planted import FALSE, PLANTED, false_keywords, rule_for, rule_model
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, SampleReport, explain
from faithfulness.method.keywords import bare
from faithfulness.method.prompting import Continuation
from faithfulness.method.sample import Sample


@dataclass(frozen=True)
class Diagnosticity:
    """One measure on the explanations of one model: `auc` over `n` true and `n` false ones, `lift` how much higher a true one
    scores on average, `calls` the mean for a pair of them, without those of the method."""

    model: str
    measure: str
    n: int
    auc: float | None
    lift: float | None
    calls: float

    def as_json(self) -> dict[str, Any]:
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(self).items()}


@dataclass(frozen=True)
class ExplanationPair:
    """A sample with its evidence, what its model answers from a text, and a true and a false explanation."""

    report: SampleReport
    right: Callable[[str], float]
    true: tuple[str, ...]
    false: tuple[str, ...]


def planted_pairs(samples: Iterable[Sample], kind: str, falsity: str, plan: Plan) -> Iterator[ExplanationPair]:
    """One pair for each sample that the planted model can be asked; `falsity` is one of FALSE."""
    for sample in samples:
        rule = rule_for(sample, kind)
        false = FALSE[falsity](sample, rule.reasons, plan.seed) if rule else None
        if rule is None or false is None:
            continue
        model, metric, protocol = rule_model(rule, sample.answers[0], rule.reasons), Metric(), Continuation()
        *_, report = explain(sample, model, protocol, metric, plan)
        yield ExplanationPair(report, confidence(report, model, protocol, metric), rule.reasons, false)


def real_pairs(reports: Iterable[tuple[SampleReport, Callable[[str], float]]]) -> Iterator[ExplanationPair]:
    """For each explained sample of a run: the words of its first necessary group, and matched words that touch no such
    group."""
    for report, right in reports:
        groups = [bare(group.of(report.sample.passage)) for group in report.necessary]
        false = false_keywords(report.sample, groups, report.plan.seed) if groups else None
        if false is not None:
            yield ExplanationPair(report, right, (groups[0],), (false[0],))


def diagnosticity(
    model: str, pairs: Sequence[ExplanationPair], measures: Sequence[str] = tuple(MEASURES), at_once: int = 1
) -> list[Diagnosticity]:
    """Every measure on the explanations of one model, so many samples at a time. Raises LanguageModelError when a call
    fails."""
    return [_of_measure(model, name, pairs, at_once) for name in measures]


def all_planted(samples: Sequence[Sample], plan: Plan | None = None) -> dict[str, list[ExplanationPair]]:
    """The pairs of every planted model, with explanations that are false and half true, where there are any."""
    made = {
        f"{kind}{falsity}": list(planted_pairs(samples, kind, falsity, plan or Plan())) for kind in PLANTED for falsity in FALSE
    }
    return {name: pairs for name, pairs in made.items() if pairs}


def _of_measure(model: str, name: str, pairs: Sequence[ExplanationPair], at_once: int) -> Diagnosticity:
    jobs = [partial(_scored, name, pair) for pair in pairs]
    results = [job() for job in jobs] if at_once == 1 else list(in_flight(jobs, at_once))
    calls = sum(made for _, _, made in results)
    scores = [(true, false) for true, false, _ in results if true is not None and false is not None]
    count = len(scores)
    lift = sum(true - false for true, false in scores) / count if count else None
    return Diagnosticity(model, name, count, _area(scores), lift, calls / len(pairs) if pairs else 0.0)


def _scored(name: str, pair: ExplanationPair) -> tuple[float | None, float | None, int]:
    """What a measure gives the true and the false explanation, and its calls."""
    sample = ExplainedSample(pair.report, pair.right)  # made for each measure, so that none uses what another asked
    true, false = (MEASURES[name].score(sample, keywords) for keywords in (pair.true, pair.false))
    return true, false, sample.calls


def _area(scores: Sequence[tuple[float, float]]) -> float | None:
    """The chance that a true explanation scores higher than a false one, ties counting half (Mann and Whitney)."""
    from scipy.stats import mannwhitneyu

    if not scores:
        return None
    true, false = zip(*scores, strict=True)
    return float(mannwhitneyu(true, false).statistic / len(scores) ** 2)


def diagnosticity_table(results: Sequence[Diagnosticity]) -> str:
    """Measures as rows, models as columns with AUC and n, then the means of both AUC and lift; as Markdown."""
    models = list(dict.fromkeys(each.model for each in results))
    lines = [["measure", "calls", *models, "AUC, mean", "lift, mean"], ["---", *["---:"] * (len(models) + 3)]]
    for measure in dict.fromkeys(each.measure for each in results):
        row = {each.model: each for each in results if each.measure == measure}
        cells = [_cell(row[model]) if model in row else "–" for model in models]
        known = list(row.values())
        means = [_mean([each.auc for each in known]), _mean([each.lift for each in known])]
        lines.append([measure, MEASURES[measure].calls, *cells, *means])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.2f}" if known else "–"


def _cell(each: Diagnosticity) -> str:
    return "–" if each.auc is None else f"{each.auc:.2f} ({each.n})"
