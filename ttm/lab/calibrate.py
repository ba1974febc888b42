"""How far the confidence of a parser is from what comes true, and the scaling that brings them together.

`python -m ttm calibrate`: a parser is asked utterances whose parse is known, and that nobody trained it on; the error after
is that of scalings fitted to four fifths of them and judged by the last, in turn.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tqdm import tqdm

from backend.errors import SettingsError
from backend.program.settings import read_settings
from backend.storage.cache import Cache
from ttm.lab.evaluate import GoldPair, read_suite, same_text
from ttm.parsers import Parser
from ttm.parsers.calibration import Calibration, calibration_error, fit_scaling
from ttm.parsers.opening import KNOWN, open_parser
from ttm.parsers.sequence import ABOUT, read_trained, write_trained
from ttm.tabular.data.dataset import load_dataset

FOLDS = 5


@dataclass(frozen=True)
class Observed:
    """The raw scores of the candidates of one utterance, best first, and which of them are right."""

    scores: tuple[float, ...]
    right: tuple[bool, ...]


@dataclass(frozen=True)
class Calibrated:
    """`before` and `after` are expected calibration errors of the best candidates, 0 to 1; `share` of them are right."""

    n: int
    share: float
    before: float
    after: float
    calibration: Calibration


def observe(parser: Parser, items: Iterable[GoldPair]) -> list[Observed]:
    """Ask a parser that was opened with raw scores. Utterances without a candidate tell nothing and are left out."""
    result = []
    for item in items:
        candidates = parser.understand(item.utterance).candidates
        if candidates:
            right = (same_text(str(each.parse)) == same_text(item.gold) for each in candidates)
            result.append(Observed(tuple(each.confidence for each in candidates), tuple(right)))
    return result


def calibrate(observed: Sequence[Observed]) -> Calibrated:
    """The calibration that fits all observations, and what one fitted to others does to each."""
    after: dict[int, float] = {}
    for fold in range(FOLDS):
        others = [one for index, one in enumerate(observed) if index % FOLDS != fold]
        fitted = fit(others)
        for index in range(fold, len(observed), FOLDS):
            after[index] = fitted.confidences(observed[index].scores)[0]
    right = [one.right[0] for one in observed]
    before = calibration_error([one.scores[0] for one in observed], right)
    share = sum(right) / len(right) if right else 0.0
    return Calibrated(len(observed), share, before, calibration_error([after[p] for p in sorted(after)], right), fit(observed))


def fit(observed: Sequence[Observed]) -> Calibration:
    best = fit_scaling([one.scores[0] for one in observed], [one.right[0] for one in observed])
    others = [pair for one in observed for pair in zip(one.scores[1:], one.right[1:], strict=True)]
    return Calibration(best, fit_scaling([score for score, _ in others], [right for _, right in others]))


# --- the command ---------------------------------------------------------------------------------------------------------


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ttm calibrate`."""
    parser.add_argument(
        "--dataset", required=True, nargs="+", metavar="NAME_OR_FOLDER", help="demos, or folders with a dataset.toml"
    )
    about = "a gold suite for each, such as `python -m ttm corrections` writes; none that the parser was trained on"
    parser.add_argument("--suite", required=True, type=Path, nargs="+", metavar="FILE", help=about)
    parser.add_argument("--parser", required=True, metavar="P", help=KNOWN)
    parser.add_argument("--write", action="store_true", help="keep what was found in the folder of the model")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(args: argparse.Namespace) -> int | None:
    """Measure, print, and with `--write` keep the calibration of a trained model in its folder.

    Raises SettingsError unless each data set has its suite.
    """
    if len(args.dataset) != len(args.suite):
        raise SettingsError(f"Each --dataset needs its --suite: there are {len(args.dataset)} and {len(args.suite)}.")
    settings = read_settings({})
    observed: list[Observed] = []
    for name, suite in zip(args.dataset, args.suite, strict=True):
        parser = open_parser(args.parser, load_dataset(name), Cache(settings.cache_dir), settings.seed, raw=True)
        observed += observe(parser, tqdm(read_suite(suite), desc=suite.stem, unit=" questions", disable=None, leave=False))
    calibrated = calibrate(observed)
    if args.write:
        keep(Path(args.parser.removeprefix("seq2seq:")), calibrated.calibration)
    sys.stdout.write(json.dumps(asdict(calibrated)) + "\n" if args.json else report(args.parser, calibrated))
    return None


def keep(folder: Path, calibration: Calibration) -> None:
    """Raises SettingsError unless `python -m ttm finetune` has written the folder."""
    trained = read_trained(folder)
    if trained is None:
        raise SettingsError(f"{folder} holds no model of `python -m ttm finetune`, so a calibration cannot be kept there.")
    about = json.loads((folder / ABOUT).read_text("utf-8"))
    more = {key: about[key] for key in ("model", "epochs") if key in about}
    write_trained(folder, replace(trained, calibration=calibration), more)


def report(name: str, fitted: Calibrated) -> str:
    """The fitted calibration, in words and as a table for `calibration.toml`."""
    lines = [
        f"# {fitted.n} utterances, {fitted.share:.1%} right; expected calibration error {fitted.before:.3f} before, "
        f"{fitted.after:.3f} after"
    ]
    for part, scaling in fitted.calibration.as_table().items():
        lines += [f"[{name}.{part}]", *(f"{key} = {value}" for key, value in scaling.items())]
    return "\n".join(lines) + "\n"
