"""Fine-tuning of a sequence-to-sequence model to parse utterances about one data set (TalkToModel, appendix A.1).

`python -m ttm finetune`: a tenth of the pairs is held out, AdamW at 1e-4, batches of 32, 20 epochs, and the weights of the
epoch with the lowest validation loss are kept. Models that start from nothing learn at 5e-4, with a warm-up.
"""

import argparse
import random
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from backend.errors import DatasetError, ParseError, SettingsError
from backend.models.sequence_models.opening import OWN_KINDS
from backend.models.sequence_models.seam import Epoch, Progress, TextPair, Training
from ttm.lab.evaluate import read_suite
from ttm.language.grammar import grammar_of
from ttm.parsers.sequence import ABOUT, Trained, source, write_trained
from ttm.tabular.data.dataset import Dataset, load_dataset

CHECKPOINTS = "checkpoint"
HELD_OUT = 0.1
GOLD_TIMES = 5  # a pair from people among thousands from templates
OWN_RATE, HUB_RATE = 5e-4, 1e-4
NAMES = {"small": "transformer"}  # other names of our own models


@dataclass(frozen=True)
class Pairs:
    """What is learnt from and what is held out."""

    learnt: tuple[TextPair, ...]
    validation: tuple[TextPair, ...]


def read_pairs(folder: Path, prefix: str = "", seed: int = 0) -> Pairs:
    """The pairs of a folder that `python -m ttm generate` has written; without a validation file a tenth is held out.

    Raises DatasetError naming what is not there.
    """
    train, validation = (_parquet_pairs(folder, name, prefix) for name in ("train", "validation"))
    if not train:
        raise DatasetError(
            f"{folder} holds no train*.parquet with the columns utterance and parse; `python -m ttm generate` makes one."
        )
    return Pairs(tuple(train), tuple(validation)) if validation else held_out(train, seed)


def _parquet_pairs(folder: Path, name: str, prefix: str) -> list[TextPair]:
    import pandas as pd

    result: list[TextPair] = []
    for path in sorted(folder.rglob(f"{name}*.parquet")):
        try:
            rows = pd.read_parquet(path, columns=["utterance", "parse"])
        except (OSError, ValueError, KeyError) as error:
            raise DatasetError(f"{path} cannot be read as utterances and parses: {error}") from error
        result += [
            pair(str(utterance), str(parse), prefix) for utterance, parse in zip(rows.utterance, rows.parse, strict=True)
        ]
    return result


def generated_pairs(dataset: Dataset, prefix: str = "", seed: int = 0) -> Pairs:
    """The pairs that the templates give for a data set, a tenth of them held out."""
    from ttm.parsers.templates.generate import generate

    examples = generate(dataset.schema, seed, frame=dataset.frame)
    return held_out([pair(each.utterance, each.parse, prefix) for each in examples], seed)


def with_gold(pairs: Pairs, files: Sequence[Path], dataset: Dataset, prefix: str = "") -> Pairs:
    """Further pairs to learn from: gold suites, such as reviewed corrections; each counts `GOLD_TIMES` times.

    Raises DatasetError naming the first parse that the data set does not have.
    """
    grammar = grammar_of(dataset.schema)
    learnt: list[TextPair] = []
    for path in files:
        for item in read_suite(path):
            try:
                parse = str(grammar.read(item.gold.replace("[E]", "[e]")))
            except ParseError as error:
                raise DatasetError(
                    f"{path}: “{item.utterance}” has a parse that {dataset.name} lacks: {error.message}"
                ) from error
            learnt.append(pair(item.utterance, parse, prefix))
    return Pairs((*pairs.learnt, *(learnt * GOLD_TIMES)), pairs.validation)


def pair(utterance: str, parse: str, prefix: str = "") -> TextPair:
    """The target is a whole parse, with `[e]` at its end."""
    target = " ".join(parse.lower().removesuffix("[e]").split())
    return TextPair(source(utterance, prefix), f"{target} [e]")


def held_out(pairs: Sequence[TextPair], seed: int, share: float = HELD_OUT) -> Pairs:
    """A random `share` is validated on."""
    order = random.Random(seed).sample(range(len(pairs)), len(pairs))
    count = round(share * len(pairs))
    return Pairs(tuple(pairs[index] for index in sorted(order[count:])), tuple(pairs[index] for index in sorted(order[:count])))


def finetune(
    model_name: str,
    pairs: Pairs,
    features: Sequence[str],
    out: Path,
    training: Training,
    prefix: str = "",
    resume: bool = False,
    progress: Progress | None = None,
) -> tuple[Epoch, ...]:
    """Fit a model and save it to the folder `out`; `resume` goes on with a run that was stopped there.

    Raises SettingsError if the folder holds something else, and LanguageModelError if the model cannot be had.
    """
    from backend.models.sequence_models.opening import to_train

    check_folder(out, resume)
    model = to_train(NAMES.get(model_name, model_name), pairs.learnt, training.seed)
    epochs = model.fit(pairs.learnt, pairs.validation, training, out / CHECKPOINTS, progress)
    model.save(out)
    history = [asdict(each) for each in epochs]
    write_trained(out, Trained(tuple(features), prefix), {"model": model_name, "epochs": history})
    shutil.rmtree(out / CHECKPOINTS)
    return epochs


def check_folder(out: Path, resume: bool) -> None:
    """Raises SettingsError unless a run may begin in the folder, or go on there."""
    stopped = (out / CHECKPOINTS).is_dir()
    if out.exists() and not out.is_dir():
        raise SettingsError(f"--out {out} is a file; a folder is needed.")
    if (out / ABOUT).exists():
        raise SettingsError(f"{out} holds a trained model already; choose another folder, or give it as --model to go on.")
    if stopped and not resume:
        raise SettingsError(f"{out} holds a run that was stopped; give --resume to go on with it, or another folder.")
    if out.is_dir() and any(out.iterdir()) and not stopped:
        raise SettingsError(f"{out} is not empty and holds no run to go on with; choose another folder.")


# --- the command ---------------------------------------------------------------------------------------------------------


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ttm finetune`."""
    parser.add_argument("--dataset", required=True, metavar="NAME_OR_FOLDER", help="a demo, or a folder with a dataset.toml")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="pairs from `python -m ttm generate`; made if left out")
    parser.add_argument("--gold", type=Path, action="append", default=[], metavar="FILE",
                        help="a gold suite to learn from as well, such as reviewed corrections")  # fmt: skip
    parser.add_argument(
        "--model",
        required=True,
        metavar="NAME_OR_FOLDER",
        help=f"t5-small, facebook/bart-base or any such model, a folder, or small, {', '.join(OWN_KINDS)} (from nothing)",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the trained model is saved")
    parser.add_argument("--prefix", default="", metavar="TEXT", help="text before each utterance, in training and in use")
    parser.add_argument("--epochs", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--batch-size", type=int, default=32, help="default: %(default)s")
    parser.add_argument("--learning-rate", type=float, help=f"default: {HUB_RATE:g}, for models from nothing {OWN_RATE:g}")
    parser.add_argument("--patience", type=int, default=0, help="stop after so many epochs without gain (0: never)")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped, from its last whole epoch")


def run(args: argparse.Namespace) -> int | None:
    """Raises SettingsError, DatasetError or LanguageModelError before anything is learnt from wrong input."""
    from backend.models.training_bars import Bars

    training = _training(args)
    check_folder(args.out, args.resume)
    dataset = load_dataset(args.dataset)
    made = args.data is None
    pairs = generated_pairs(dataset, args.prefix, args.seed) if made else read_pairs(args.data, args.prefix, args.seed)
    pairs = with_gold(pairs, args.gold, dataset, args.prefix)
    with Bars(training.epochs) as bars:
        epochs = finetune(
            args.model, pairs, tuple(dataset.schema.by_token), args.out, training, args.prefix, args.resume, bars.epoch
        )
    best = [each for each in epochs if each.best][-1]
    lost = "" if best.validation_loss is None else f" (validation loss {best.validation_loss:.4f} nats a token)"
    took = sum(each.seconds for each in epochs)
    sys.stdout.write(
        f"{args.out}: learnt from {len(pairs.learnt)} pairs in {len(epochs)} epochs and {took:.0f} s; "
        f"epoch {best.number} was kept{lost}.\nAsk it: python -m ttm chat --dataset {args.dataset} --parser {args.out}\n"
    )
    return None


def _training(args: argparse.Namespace) -> Training:
    for name in ("epochs", "batch_size"):
        if getattr(args, name) < 1:
            raise SettingsError(f"--{name.replace('_', '-')} {getattr(args, name)} is too small; it must be 1 or more.")
    if args.patience < 0:
        raise SettingsError(f"--patience {args.patience} is too small; 0 switches it off.")
    if args.learning_rate is not None and not 0 < args.learning_rate < 1:
        raise SettingsError(f"--learning-rate {args.learning_rate} must lie between 0 and 1.")
    own = NAMES.get(args.model, args.model) in OWN_KINDS
    rate = args.learning_rate or (OWN_RATE if own else HUB_RATE)
    return Training(args.epochs, args.batch_size, rate, 0.1 if own else 0.0, seed=args.seed, patience=args.patience or None)
