"""The report of a run: one summary a model, the common subset, and both as Markdown."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from backend.errors import FaithfulnessError
from backend.text.markup import escape_markdown
from backend.text.words import decimal, percent
from faithfulness.baselines.baseline_run import BaselineRow, baseline_table, own_keywords
from faithfulness.baselines.compare import OwnKeywords
from faithfulness.reports.notes import sample_notes
from faithfulness.reports.outcomes import SampleOutcome, outcome_of
from faithfulness.reports.summary import PairedDifference, Summary, common_subset, paired_differences, rounded, summarise
from faithfulness.reports.table_rows import ROWS, interval_text, with_interval
from faithfulness.runs.call_store import CallStore
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile

BASELINE_COLUMNS = ("F, 95% interval", "agreement with the model", "inside a necessary group", "calls", "seconds")


@dataclass(frozen=True)
class Tables:
    """Summaries by model, over its own samples and over the common subset; what failed, and why calls failed."""

    settings: dict[str, Any]
    outcomes: dict[str, list[SampleOutcome]]
    summaries: dict[str, Summary]
    common: dict[str, Summary]
    failed: dict[str, list[dict[str, Any]]]
    failures: dict[str, dict[str, int]]
    adjustments: dict[str, list[str]]
    baselines: dict[str, list[BaselineRow]]
    own: dict[str, list[OwnKeywords]]
    differences: list[PairedDifference]

    @property
    def common_size(self) -> int:
        return next((each.n for each in self.common.values()), 0)

    def as_json(self) -> dict[str, Any]:
        models = {
            name: {
                **summary.as_json(),
                "protocol": protocol_of(self.settings, name),
                "engine": profile_in(self.settings, name).engine,
                "failed": len(self.failed[name]),
                "failures_of_calls": self.failures[name],
                "adjustments": self.adjustments[name],
                "baselines": {row.method: baseline_json(row) for row in self.baselines[name]},
                "own_keywords": own_json(self.own[name]),
            }
            for name, summary in self.summaries.items()
        }
        common = {
            "n": self.common_size,
            "F": {name: each.as_json()["F"] for name, each in self.common.items()},
            "F_interval": {name: each.as_json()["F_interval"] for name, each in self.common.items()},
            "differences": [each.as_json() for each in self.differences],
        }
        return {"settings": self.settings, "models": models, **({"common": common} if len(models) > 1 else {})}


def tables_of(folder: RunFolder, hard_of: str | None = None) -> Tables:
    """The figures of a run; the retrieval-hard subset is of the model `hard_of` for all models, as in the paper's Table 1, else
    of each model itself.

    Raises FaithfulnessError if the folder holds no run or no such model, or no sample is finished yet.
    """
    settings, seed = folder.settings(), folder.plan().seed
    outcomes = {name: [outcome_of(row, report) for row, report in folder.reports(name)] for name in folder.models()}
    outcomes = {name: own for name, own in outcomes.items() if own}
    if hard_of is not None:
        outcomes = _hard_of(hard_of, outcomes)
    shared = common_subset(outcomes)
    store = folder.calls()
    try:
        if not outcomes:
            reasons = " ".join(f"{calls_failed(count)}: {reason}" for reason, count in _all_failures(settings, store))
            raise FaithfulnessError(f"No sample of the run in {folder.path} is finished yet. {reasons}".strip())
        failures = {name: store.failures(name) for name in outcomes}
        adjustments = {name: store.adjustments(name) for name in outcomes}
    finally:
        store.close()
    return Tables(
        settings,
        outcomes,
        {name: summarise(own, seed) for name, own in outcomes.items()},
        {name: summarise([each for each in own if each.id in shared], seed) for name, own in outcomes.items()},
        {name: folder.failed(name) for name in outcomes},
        failures,
        adjustments,
        {name: baseline_table(folder, name, seed) for name in outcomes},
        {name: own_keywords(folder, name) for name in outcomes},
        paired_differences(outcomes, seed),
    )


def _hard_of(model: str, outcomes: dict[str, list[SampleOutcome]]) -> dict[str, list[SampleOutcome]]:
    """The rows that the named model finished, with its need of the passage."""
    if model not in outcomes:
        raise FaithfulnessError(f"This run has no finished sample of {model!r}; its models are {', '.join(outcomes)}.")
    hard = {each.id: each.retrieval_hard for each in outcomes[model]}
    if None in hard.values():
        raise FaithfulnessError(f"{model} was not asked without the passage (--no-closed-book).")
    return {
        name: [replace(each, retrieval_hard=hard[each.id]) for each in own if each.id in hard] for name, own in outcomes.items()
    }


def calls_failed(count: int) -> str:
    return "1 call failed" if count == 1 else f"{count} calls failed"


def tried_again(count: int) -> str:
    return f"{calls_failed(count)} and {'was' if count == 1 else 'were'} tried again"


def _all_failures(settings: dict[str, Any], store: CallStore) -> list[tuple[str, int]]:
    return [each for name in settings["models"] for each in store.failures(name).items()]


def profile_in(settings: dict[str, Any], model: str) -> Profile:
    """The profile that a model of a run was asked by."""
    return Profile.model_validate({"name": model, **settings["models"][model]})


def protocol_of(settings: dict[str, Any], model: str) -> str:
    """The protocol that a model was asked with, in words."""
    return profile_in(settings, model).open_protocol().name


def asked_how(tables: Tables, model: str) -> str:
    """How a model was asked, and what of it its server did not take."""
    how = f"{model}: asked by {protocol_of(tables.settings, model)}, through {profile_in(tables.settings, model).engine}."
    return " ".join([how, *(f"{what[:1].upper()}{what[1:]}" for what in tables.adjustments[model])])


def model_notes(tables: Tables, model: str) -> list[str]:
    """Sentences on one model: how it was asked, and what its figures do not show by themselves."""
    return [asked_how(tables, model), *sample_notes(model, tables.summaries[model])]


def markdown_report(tables: Tables) -> str:
    """Tables for a terminal, a README or a paper."""
    names = list(tables.summaries)
    lines = [_row("", [escape_markdown(name) for name in names]), _row("---", ["---:"] * len(names))]
    for label, cell in ROWS.items():
        lines.append(_row(label, [cell(tables.summaries[name]) for name in names]))
    if len(names) > 1:
        lines.append(_row("Common successful samples", [str(tables.common_size)] * len(names)))
        lines.append(_row("F on the common samples", [with_interval(tables.common[name]) for name in names]))
    notes = [escape_markdown(note) for name in names for note in model_notes(tables, name)]
    for name in names:
        if tables.failed[name]:
            notes.append(f"{escape_markdown(name)}: {len(tables.failed[name])} samples failed and are in no figure.")
        for reason, count in tables.failures[name].items():
            notes.append(f"{escape_markdown(name)}: {tried_again(count)}: {escape_markdown(reason)}")
    notes += [escape_markdown(difference_sentence(each)) for each in tables.differences]
    compared = [line for name in names for line in _baseline_lines(tables, name)]
    return "\n".join([*lines, "", *notes, *compared])


def difference_sentence(each: PairedDifference) -> str:
    """Two models on the samples that both were explained on."""
    bounds = f" [{each.interval[0]:+.3f}, {each.interval[1]:+.3f}]" if each.interval else ""
    tested = "too few samples for an interval" if each.p is None else f"p = {each.p:.3g} by Student's t, adjusted by Holm"
    common = "1 common sample" if each.n == 1 else f"{each.n} common samples"
    return f"{each.first} against {each.second}, {common}: F {each.difference:+.3f}{bounds}, {tested}."


def _baseline_lines(tables: Tables, name: str) -> list[str]:
    rows = tables.baselines[name]
    if not rows:
        return []
    return [
        "",
        f"{escape_markdown(name)}, {rows[0].n} explained samples, as many words and calls for each:",
        "",
        _row("keywords of", list(BASELINE_COLUMNS)),
        _row("---", ["---:"] * len(BASELINE_COLUMNS)),
        *(_row(first, rest) for first, *rest in baseline_cells(tables, name)),
        "",
        own_sentence(tables.own[name]),
    ]


def baseline_cells(tables: Tables, name: str) -> list[list[str]]:
    """The lines of the table of baselines, each its label and what stands under BASELINE_COLUMNS."""
    compared = {each.id for each in tables.own[name]}
    summary = summarise([each for each in tables.outcomes[name] if each.id in compared])
    return [
        ["the model itself", with_interval(summary), "1.00", percent(summary.keywords_necessary), "0", "–"],
        ["the model itself, word by word", decimal(summary.F_words), "–", "–", "0", "–"],
        ["chance", decimal(summary.F_random), "–", "–", "0", "–"],
        *(
            [
                each.method, interval_text(each.F, each.F_interval, each.n), decimal(each.agrees, 2), percent(each.necessary),
                f"{each.calls:.1f}", f"{each.seconds:.2f}",
            ]
            for each in tables.baselines[name]
        ),
    ]  # fmt: skip


def own_sentence(own: list[OwnKeywords]) -> str:
    """What the model's own keywords are worth by themselves."""
    sufficient, comprehensive = sum(each.sufficient for each in own), sum(each.comprehensive for each in own)
    return (
        f"The answer survives on the model's own keywords alone in {sufficient} of {len(own)} samples (sufficiency), and is "
        f"lost without them in {comprehensive} (comprehensiveness)."
    )


def baseline_json(row: BaselineRow) -> dict[str, Any]:
    return {name: rounded(value) for name, value in asdict(row).items() if name != "method"}


def own_json(own: list[OwnKeywords]) -> dict[str, int]:
    return {
        "n": len(own),
        "sufficient": sum(each.sufficient for each in own),
        "comprehensive": sum(each.comprehensive for each in own),
    }


def _row(label: str, cells: list[str]) -> str:
    return f"| {' | '.join([label, *cells])} |"
