"""Looking into the results of a run: a line for each sample, filters, and one sample as it was, with its prompts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from backend.errors import FaithfulnessError
from backend.models.language_models import Reply
from faithfulness.method.explain import PASSAGE, ModelCall, Request, SampleReport
from faithfulness.method.prompting import Protocol
from faithfulness.reports.outcomes import SampleOutcome
from faithfulness.reports.tables import Tables, tables_of
from faithfulness.runs.folder import RunFolder, read_lines
from faithfulness.runs.profiles import Profile
from faithfulness.runs.records import read_report

STAGES = {
    "wrong": "wrong with the passage",
    "answered": "right, but no region is sufficient",
    "sufficient": "a sufficient region, no necessary word",
    "necessary": "explained: a score",
}
FIRST_REPLY = "(the first reply did not keep the format, and is not in the results)"


@dataclass(frozen=True)
class Line:
    """One sample of one model. `row` is the number of its row in the data, from 1."""

    model: str
    row: int
    question: str
    answer: str
    outcome: SampleOutcome


@dataclass(frozen=True)
class Results:
    tables: Tables
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class SampleFilter:
    """Which lines to show: a model and stage (None for all), scores from `low` to `high`, words that must occur.

    A sample without a score is shown only while every score is.
    """

    model: str | None = None
    stage: str | None = None
    low: float = 0.0
    high: float = 1.0
    needs_passage: bool = False
    words: str = ""

    def takes(self, line: Line) -> bool:
        outcome = line.outcome
        if (self.model and line.model != self.model) or (self.stage and outcome.stage != self.stage):
            return False
        if self.needs_passage and outcome.retrieval_hard is False:
            return False
        if (self.low > 0 or self.high < 1) and (outcome.f is None or not self.low <= outcome.f <= self.high):
            return False
        return self.words.strip().casefold() in f"{line.question}\n{line.answer}\n{outcome.id}".casefold()


def results_of(folder: RunFolder) -> Results | None:
    """Tables and lines of what is finished so far; None before the first sample. The latest few are remembered."""
    files = sorted((folder.path / "results").glob("*.jsonl"))
    return _results(folder.path, tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=8)
def _results(path: Path, state: tuple[tuple[str, int, int], ...]) -> Results | None:
    folder = RunFolder(path)
    if not any(size for name, size, _ in state if not name.endswith(".failed.jsonl")):
        return None
    tables = tables_of(folder)
    lines = [
        Line(model, record["row"], record["question"], record["answer"] or "", outcome)
        for model, outcomes in tables.outcomes.items()
        for record, outcome in zip(read_lines(folder.results_file(model)), outcomes, strict=False)
    ]
    return Results(tables, tuple(sorted(lines, key=lambda line: (line.model, line.row))))


def open_sample(folder: RunFolder, model: str, row: int) -> SampleReport:
    """The report of one sample, with every prompt as it was sent. Raises FaithfulnessError if it is not finished."""
    settings = folder.settings()
    record = next((record for record in read_lines(folder.results_file(model)) if record["row"] == row), None)
    if model not in settings["models"] or record is None:
        raise FaithfulnessError(f"Row {row} of {model} is not among the finished samples of this run.")
    _, report = read_report(record, folder.plan())
    return with_prompts(report, Profile.model_validate({**settings["models"][model], "name": model}).open_protocol)


def with_prompts(report: SampleReport, open_protocol: Callable[[], Protocol]) -> SampleReport:
    """The report of a record, which holds no prompts, with them: the protocol is asked to make each one again."""
    return replace(report, calls=tuple(_with_prompt(call, report, open_protocol()) for call in report.calls))


def _with_prompt(call: ModelCall, report: SampleReport, protocol: Protocol) -> ModelCall:
    heard = _Heard([*[FIRST_REPLY] * call.exchange.retries, call.exchange.reply.text])
    text, question = Request(call.stage, call.region, call.group).text(report), report.sample.question
    asked = protocol.explain if call.stage == PASSAGE and text is not None else protocol.answer
    prompt = asked(heard, question, text).prompt  # type: ignore[arg-type]
    return replace(call, exchange=replace(call.exchange, prompt=prompt))


class _Heard:
    """A model that gives replies that were given before."""

    name = "as recorded"

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = list(texts)

    def chat(self, messages: object, **options: object) -> Reply:
        return Reply(self._texts.pop(0) if self._texts else "")

    def complete(self, prompt: object, **options: object) -> Reply:
        return self.chat(prompt)
