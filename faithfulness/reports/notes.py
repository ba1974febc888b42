"""Sentences beside the table of a run, on what a reader would otherwise take wrongly from its figures."""

from backend.text.words import decimal
from faithfulness.reports.summary import Summary


def sample_notes(model: str, summary: Summary) -> list[str]:
    """What is to be said of the samples of one model; most runs need nothing of it."""
    return [*_none_explained(model, summary), *_only_whole_passage(model, summary)]


def _none_explained(model: str, summary: Summary) -> list[str]:
    if summary.necessary:
        return []
    return [
        f"{model}: no sample was explained, so that there is no F and nothing to compare it with. Of {summary.n} rows, "
        f"{summary.retrieval_hard} need the passage; of these, {summary.answered} are answered with it, {summary.sufficient} "
        "have a sufficient region and none a necessary keyword."
    ]


def _only_whole_passage(model: str, summary: Summary) -> list[str]:
    if not summary.whole_only:
        return []
    verb = "has" if summary.whole_only == 1 else "have"
    return [
        f"{model}: of {summary.n} rows, {summary.whole_only} {verb} only the whole passage as region, which is sufficient by "
        f"definition. F without them is {decimal(summary.F_several)}, of them alone {decimal(summary.F_whole_only)}."
    ]
