"""How well a parser understands: exact match on a gold suite, in all and by split, execution match, and time a question.

Exact match removes spaces and case and compares texts; an utterance that a suite holds twice counts once, and an exception
counts as a miss. Source: TalkToModel, section 3 and Table 2.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from tqdm import tqdm

from backend.errors import DatasetError, SettingsError
from backend.intervals import wilson_interval
from backend.program.settings import read_settings
from backend.storage.cache import Cache
from ttm.lab.execution_match import SameResult, execution
from ttm.parsers import DEFAULT, ParseCandidate, Parser
from ttm.parsers.calibration import calibration_error
from ttm.parsers.opening import EVERYWHERE, KNOWN, open_parser
from ttm.tabular.data.dataset import load_dataset

IID, COMPOSITIONAL = "iid", "compositional"
TOP = 3  # candidates among which a person would look for what they meant
SplitOf = Callable[[str], str | None]


@dataclass(frozen=True)
class GoldPair:
    utterance: str
    gold: str


@dataclass(frozen=True)
class JudgedUtterance:
    """One utterance: what was understood (empty if nothing), whether that is exactly right, and the milliseconds it took.

    `among` tells that one of the first `TOP` candidates is right, `confidence` is that of the first. `failure`: what the
    parser raised, if it gave no answer at all.
    """

    item: GoldPair
    parsed: str
    correct: bool
    milliseconds: float
    split: str | None = None
    executes_alike: bool | None = None
    among: bool = False
    confidence: float = 0.0
    failure: str = ""


@dataclass(frozen=True)
class ParsingScore:
    n: int
    correct: int

    @property
    def share(self) -> float:
        return self.correct / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of the share."""
        return wilson_interval(self.correct, self.n)


@dataclass(frozen=True)
class Evaluation:
    parser: str
    judged: tuple[JudgedUtterance, ...]

    def score(self, split: str | None = None) -> ParsingScore:
        chosen = [one for one in self.judged if split is None or one.split == split]
        return ParsingScore(len(chosen), sum(one.correct for one in chosen))

    @property
    def execution_match(self) -> float | None:
        known = [one.executes_alike for one in self.judged if one.executes_alike is not None]
        return sum(known) / len(self.judged) if len(known) == len(self.judged) and known else None

    @property
    def failures(self) -> list[str]:
        """What the parser raised, of each utterance that it gave no answer to."""
        return [one.failure for one in self.judged if one.failure]

    @property
    def among(self) -> ParsingScore:
        return ParsingScore(len(self.judged), sum(one.among for one in self.judged))

    @property
    def calibration_error(self) -> float:
        """How far stated confidences are from what came true, on average, 0 to 1."""
        return calibration_error([one.confidence for one in self.judged], [one.correct for one in self.judged])

    def milliseconds(self, percentile: float) -> float:
        times = sorted(one.milliseconds for one in self.judged)
        return times[min(len(times) - 1, int(percentile * len(times)))] if times else 0.0

    def as_json(self) -> dict[str, Any]:
        whole, has_split = self.score(), any(one.split for one in self.judged)
        parts = {
            name: {"n": score.n, "correct": score.correct, "interval": score.interval} if has_split else None
            for name, score in ((IID, self.score(IID)), (COMPOSITIONAL, self.score(COMPOSITIONAL)))
        }
        return {
            "parser": self.parser, "n": whole.n, "correct": whole.correct, "exact_match": whole.share,
            "interval": whole.interval, "execution_match": self.execution_match, **parts,
            f"top_{TOP}": self.among.share, "calibration_error": self.calibration_error, "failed": len(self.failures),
            "ms": {"median": median([one.milliseconds for one in self.judged] or [0.0]), "p95": self.milliseconds(0.95)},
        }  # fmt: skip


def same_text(parse: str) -> str:
    """A parse as exact match compares it."""
    return re.sub(r"\s+", "", parse).lower()


def read_suite(path: Path) -> list[GoldPair]:
    """The items of a gold suite (utterance, newline, parse, blank line), each utterance once.

    Raises DatasetError naming the first block that is not such a pair.
    """
    seen: dict[str, GoldPair] = {}
    for block in re.split(r"\n\s*\n", _text(path).strip()):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        if not lines:
            continue
        if len(lines) != 2:
            raise DatasetError(f"{path}: each item is an utterance and its parse on two lines; not so near {lines[0][:60]!r}.")
        seen.setdefault(lines[0], GoldPair(*lines))
    if not seen:
        raise DatasetError(f"{path} holds no items.")
    return list(seen.values())


def read_split(path: Path) -> SplitOf:
    """The split of a parse, from a table of parse and split. A parse that is not in it goes with those that differ from it in
    numbers and true/false only; None if there is none. Raises DatasetError for another word than iid or compositional."""
    exact: dict[str, str] = {}
    alike: dict[str, str] = {}
    for number, line in enumerate(_text(path).splitlines(), start=1):
        parse, _, split = (part.strip() for part in line.partition("\t"))
        if not line.strip() or (number == 1 and (parse, split) == ("parse", "split")):
            continue
        if split not in (IID, COMPOSITIONAL):
            raise DatasetError(f"{path}, line {number}: the split must be {IID} or {COMPOSITIONAL}, not {split!r}.")
        exact[same_text(parse)] = split
        alike[structure(parse)] = split
    return lambda parse: exact.get(same_text(parse)) or alike.get(structure(parse))


def structure(parse: str) -> str:
    """A parse without its numbers and true/false: what decides whether its like occurs in training data."""
    return same_text(re.sub(r"(?<!\w)(true|false|-?\d+(\.\d+)?)\b", " ", parse.lower()))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"Cannot read {path}: {error}.") from error


def evaluate(
    parser: Parser, name: str, suite: Sequence[GoldPair], split: SplitOf | None = None, same_result: SameResult | None = None
) -> Evaluation:
    """Ask a parser every utterance of a suite, each on its own, and judge its candidates."""
    judged = []
    for item in tqdm(suite, desc=name, unit=" questions", disable=None, leave=False):
        start = time.perf_counter()
        candidates, failure = _understood(parser, item.utterance)
        took = (time.perf_counter() - start) * 1000
        texts = [same_text(str(each.parse)) for each in candidates[:TOP]]
        gold, best = same_text(item.gold), candidates[0] if candidates else None
        correct = bool(texts) and texts[0] == gold
        alike = None
        if same_result is not None:
            alike = correct or (best is not None and same_result(item.gold, best.parse))
        judged.append(JudgedUtterance(
            item, "" if best is None else str(best.parse), correct, took, split(item.gold) if split else None, alike,
            gold in texts, 0.0 if best is None else best.confidence, failure,
        ))  # fmt: skip
    return Evaluation(name, tuple(judged))


def _understood(parser: Parser, utterance: str) -> tuple[Sequence[ParseCandidate], str]:
    """The readings of an utterance; none, and why, where the parser fails: one failure does not end the measurement."""
    try:
        return parser.understand(utterance).candidates, ""
    except Exception as error:
        return (), str(error) or type(error).__name__


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ttm evaluate`."""
    parser.add_argument("--dataset", metavar="NAME_OR_FOLDER", help="a demo, or a folder with a dataset.toml; with --suite")
    parser.add_argument("--suite", type=Path, metavar="FILE", help="gold suite: utterance, parse, blank line")
    parser.add_argument(
        "--dialogues", type=Path, metavar="FOLDER", help="in place of a suite: messages and dialogues as JSON lines"
    )
    parser.add_argument(
        "--tables", type=Path, metavar="FOLDER", help="schemas of the tables that dialogues are about (default: corpus/tables)"
    )
    parser.add_argument(
        "--parser", nargs="+", default=[DEFAULT], metavar="P", help=f"one or more of {KNOWN}; all: {', '.join(EVERYWHERE)}"
    )
    parser.add_argument("--split", type=Path, metavar="FILE", help="table of parse and split (iid or compositional)")
    parser.add_argument(
        "--errors", type=Path, metavar="FILE", help="write what was not understood to this file (tab-separated)"
    )
    parser.add_argument(
        "--no-execution", action="store_true", help="do not compare results where the parse is another; needs no model"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, one object a parser")


def run(args: argparse.Namespace) -> int | None:
    """Evaluate the chosen parsers and print a table, or JSON. Raises SettingsError for an unknown parser."""
    names = list(dict.fromkeys(each for name in args.parser for each in (EVERYWHERE if name == "all" else (name,))))
    if args.dialogues:
        _measure_dialogues(args, names)
        return None
    if not (args.dataset and args.suite):
        raise SettingsError("Give --dataset and --suite, or --dialogues.")
    dataset = load_dataset(args.dataset)
    suite = read_suite(args.suite)
    split = read_split(args.split) if args.split else None
    settings = read_settings({})
    parsers = {name: open_parser(name, dataset, Cache(settings.cache_dir), settings.seed) for name in names}
    same_result = None if args.no_execution else execution(args.dataset)
    evaluations = [evaluate(parser, name, suite, split, same_result) for name, parser in parsers.items()]
    if args.errors:
        args.errors.write_text(errors_table(evaluations), "utf-8")
    for evaluation in evaluations if args.json else ():
        sys.stdout.write(json.dumps(evaluation.as_json()) + "\n")
    if not args.json:
        sys.stdout.write(table(evaluations) + "\n")
    for evaluation in evaluations:
        if evaluation.failures:
            why = f"{evaluation.parser} failed on {len(evaluation.failures)} of {len(suite)} utterances, which count as misses"
            sys.stderr.write(f"{why}. The first time: {evaluation.failures[0]}\n")
    return None


def _measure_dialogues(args: argparse.Namespace, names: Sequence[str]) -> None:
    from ttm.lab.learning.measure import measure_folder
    from ttm.parsers import LinkingParser, default_parser

    of_schema = {
        DEFAULT: default_parser,
        f"{DEFAULT}:second=off": partial(default_parser, second=False),
        "linker": LinkingParser,
    }
    for name in names:
        if name not in of_schema:
            raise SettingsError(f"Dialogues are measured without rows, so for one of {', '.join(of_schema)} only, not {name}.")
        sys.stdout.write(measure_folder(args.dialogues, args.tables or Path("corpus/tables"), of_schema[name]) + "\n")


def errors_table(evaluations: Sequence[Evaluation]) -> str:
    """Every miss as one line: parser, split, utterance, gold and what was found."""
    lines = ["parser\tsplit\tutterance\tgold\tfound"]
    lines += [
        "\t".join((evaluation.parser, one.split or "", one.item.utterance.replace("\t", " "), one.item.gold, one.parsed))
        for evaluation in evaluations
        for one in evaluation.judged
        if not one.correct
    ]
    return "\n".join(lines) + "\n"


def table(evaluations: Sequence[Evaluation]) -> str:
    """The figures of several parsers side by side, in percent, like Table 2 of the paper."""
    head = ("parser", "IID", "compositional", "all", "95% interval", f"top {TOP}", "same result", "ms median", "ms p95")
    rows: list[tuple[str, ...]] = [head]
    for evaluation in evaluations:
        whole, has_split = evaluation.score(), any(one.split for one in evaluation.judged)
        low, high = whole.interval
        alike = evaluation.execution_match
        rows.append((
            evaluation.parser, *(_part(evaluation.score(split), has_split) for split in (IID, COMPOSITIONAL)),
            _part(whole, True),
            f"{100 * low:.1f} to {100 * high:.1f}", f"{100 * evaluation.among.share:.1f}",
            "" if alike is None else f"{100 * alike:.1f}",
            f"{median([one.milliseconds for one in evaluation.judged] or [0.0]):.1f}", f"{evaluation.milliseconds(0.95):.1f}",
        ))  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def _part(score: ParsingScore, known: bool) -> str:
    return f"{100 * score.share:.1f} ({score.correct}/{score.n})" if known and score.n else ""
