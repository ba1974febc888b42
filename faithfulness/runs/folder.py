"""The folder of a run: its settings, every call, and the results of each model.

run.json               data, plan, metric and models; a run is only taken up again with the same ones
calls.sqlite           every reply (faithfulness.runs.call_store)
results/MODEL.jsonl    one finished sample a line (faithfulness.runs.records)
results/MODEL.failed.jsonl
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.errors import FaithfulnessError
from backend.storage.content_key import content_key
from backend.text.words import why_unreadable
from faithfulness.method.explain import Plan, SampleReport
from faithfulness.runs.call_store import CallStore
from faithfulness.runs.records import read_plan, read_report, write_report
from faithfulness.runs.rows import Row
from faithfulness.runs.runner import Failed
from faithfulness.runs.spending import RowSpent

# What of a profile decides about replies.
ASKED_BY = (
    "protocol", "guide", "packaged", "transformers", "dtype", "deterministic", "reply_tokens", "temperature", "fields",
    "log_probabilities",
)  # fmt: skip


@dataclass(frozen=True)
class ReplyCounts:
    """Of the replies that count, how many could not be read, were cut by the limit of tokens, and are empty."""

    replies: int
    unreadable: int
    cut: int
    empty: int


class RunFolder:
    """Raises FaithfulnessError if the folder cannot be made, read or written, or holds a run with other settings.

    `replies` is the file of the call store where runs share one; else it lies in the folder.
    """

    def __init__(self, path: Path, replies: Path | None = None) -> None:
        self.path = path
        self._replies = replies or path / "calls.sqlite"

    @property
    def begun(self) -> bool:
        return self._settings_file.exists()

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Make the folder for a run with these settings, or take up the one that is there."""
        try:
            (self.path / "results").mkdir(parents=True, exist_ok=True)
            there = self.settings() if self.begun else None
            if there is None:
                _write_whole(self._settings_file, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise FaithfulnessError(f"The folder {self.path} cannot be used: {error.strerror or error}.") from error
        if there is None:
            return
        models = {**there.get("models", {}), **settings.get("models", {})}
        other = [name for name in settings if name != "models" and settings[name] != there.get(name)]
        if other:
            name = other[0]
            raise FaithfulnessError(
                f"{self.path} holds a run with another {name.replace('_', ' ')}: {there.get(name)} there, "
                f"{settings[name]} now. Choose another --out, or the same settings to take it up again."
            )
        self._check_models(there.get("models", {}), settings.get("models", {}))
        _write_whole(self._settings_file, json.dumps({**there, "models": models}, indent=2, ensure_ascii=False) + "\n")

    def _check_models(self, there: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Results of one model that was asked in two ways would be neither's."""
        for name in there.keys() & now.keys():
            for setting in ASKED_BY:
                before, wanted = (each[name].get(setting, now[name].get(setting)) for each in (there, now))
                if before != wanted:
                    raise FaithfulnessError(
                        f"{self.path} holds results of {name} with {setting} = {before}, not {wanted}. Choose another --out, "
                        "or the same settings to take them up again."
                    )

    def settings(self) -> dict[str, Any]:
        try:
            content = json.loads(self._settings_file.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise FaithfulnessError(f"{self.path} holds no run: there is no run.json in it.") from error
        except NotADirectoryError as error:
            raise FaithfulnessError(f"{self.path} is a file; a run is a folder that holds a run.json.") from error
        except json.JSONDecodeError as error:
            raise FaithfulnessError(f"{self._settings_file} is not JSON: {error}.") from error
        except (OSError, ValueError) as error:
            raise FaithfulnessError(f"{self._settings_file} cannot be read: {why_unreadable(error)}.") from error
        if not isinstance(content, dict):
            raise FaithfulnessError(f"{self._settings_file} does not hold the settings of a run.")
        return content

    def plan(self) -> Plan:
        return read_plan(self.settings()["plan"])

    def calls(self) -> CallStore:
        return CallStore(self._replies)

    def models(self) -> list[str]:
        """The models that have results, in the order in which they were run."""
        return [name for name in self.settings()["models"] if self.results_file(name).exists()]

    def reports(self, model: str) -> Iterator[tuple[Row, SampleReport]]:
        """Finished samples, one at a time, in the order in which they were finished; a line cut by a kill is left out."""
        plan = self.plan()
        for record in read_lines(self.results_file(model)):
            yield read_report(record, plan)

    def finished(self, model: str) -> set[int]:
        """The numbers of the rows that are finished."""
        return {record["row"] for record in read_lines(self.results_file(model))}

    def spent(self, model: str) -> list[RowSpent]:
        """What each finished row took."""
        records = read_lines(self.results_file(model))
        return [_spent(record["calls"]) for record in records]

    def reply_counts(self, model: str) -> ReplyCounts:
        """How many replies of the finished rows came to nothing, and why."""
        calls = [call for record in read_lines(self.results_file(model)) for call in record["calls"]]
        unreadable = [call for call in calls if call["malformed"]]
        cut = sum(call.get("finish") == "length" for call in unreadable)
        return ReplyCounts(len(calls), len(unreadable), cut, sum(not call["reply"].strip() for call in unreadable))

    def add(self, row: Row, report: SampleReport) -> None:
        append_line(self.results_file(report.model), json.dumps(write_report(row, report), ensure_ascii=False))

    def write_failed(self, model: str, failed: list[Failed]) -> None:
        lines = [json.dumps({"id": each.row.id, "row": each.row.number, "reason": each.reason}) for each in failed]
        _write_whole(self._failed(model), "".join(f"{line}\n" for line in lines))

    def failed(self, model: str) -> list[dict[str, Any]]:
        return list(read_lines(self._failed(model)))

    @property
    def _settings_file(self) -> Path:
        return self.path / "run.json"

    def results_file(self, model: str) -> Path:
        return self.path / "results" / f"{slug(model)}.jsonl"

    def _failed(self, model: str) -> Path:
        return self.path / "results" / f"{slug(model)}.failed.jsonl"


def _spent(calls: list[dict[str, Any]]) -> RowSpent:
    asked = sum(max(1, len(call.get("repeats", []))) + call["retries"] + call.get("lengthened", 0) for call in calls)
    return RowSpent(asked, sum(call["tokens"][0] for call in calls), sum(call["tokens"][1] for call in calls))


def slug(name: str) -> str:
    """A file name for a model: letters, digits, dot, dash and underscore stay; whatever else is marked by a digest."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")
    return plain if plain == name else f"{plain}-{content_key(name)[:6]}"


def append_line(path: Path, line: str) -> None:
    """Add a line that is on disk when this returns. Raises FaithfulnessError if it cannot be written."""
    try:
        with path.open("ab+") as file:
            if file.tell() and not _ends_in_newline(file):
                file.write(b"\n")  # a kill cut the last line
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise FaithfulnessError(f"The result cannot be written to {path}: {error.strerror or error}.") from error


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines, none if it is not there; a line cut by a kill is left out."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    continue
    except FileNotFoundError:
        return


def _ends_in_newline(file: Any) -> bool:
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def _write_whole(path: Path, text: str) -> None:
    """Write beside, then move: a reader sees the old file or the new one."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
