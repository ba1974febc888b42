"""Training data as a Hugging Face data set, and which parses of a gold suite are like what it was trained on.

Pairs come from the templates (`ttm/parsers/templates/`); this file writes them as Parquet with a card, split 90 to 10 as in
appendix A.1 of TalkToModel, and tells IID from compositional parses by its definition: a parse without numbers and true/false
that occurs among those of the training pairs is IID.
"""

import argparse
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from backend.errors import DatasetError
from backend.program.extras import require
from backend.text.words import double_quoted
from ttm.lab.evaluate import COMPOSITIONAL, IID, GoldPair, read_suite, structure
from ttm.parsers.templates.generate import MOST_PER_TEMPLATE, TrainingPair, generate
from ttm.tabular.data.dataset import load_dataset

DATA = {"train": "data/train.parquet", "validation": "data/validation.parquet"}
CARD = "README.md"
SPLIT = "split.tsv"
COLUMNS = tuple(each.name for each in fields(TrainingPair))


@dataclass(frozen=True)
class Portions:
    """Pairs to train on and pairs that choose among trained models; both keep the order of the templates."""

    train: list[TrainingPair]
    validation: list[TrainingPair]


def divide(examples: Sequence[TrainingPair], validation_share: float, seed: int) -> Portions:
    """Hold out a share of the pairs at random; with any share above 0, at least one, and at least one is left to train on."""
    held = min(len(examples) - 1, max(1, round(validation_share * len(examples)))) if validation_share > 0 else 0
    chosen = set(random.Random(f"{seed}|validation").sample(range(len(examples)), max(0, held)))
    return Portions(
        [example for index, example in enumerate(examples) if index not in chosen],
        [example for index, example in enumerate(examples) if index in chosen],
    )


def split_of_suite(suite: Iterable[GoldPair], train: Iterable[TrainingPair]) -> dict[str, str]:
    """Each distinct parse of a gold suite, in lower case, with `iid` or `compositional` for these training pairs."""
    known = {structure(example.parse) for example in train}
    parses = dict.fromkeys(" ".join(item.gold.lower().split()) for item in suite)
    return {parse: IID if structure(parse) in known else COMPOSITIONAL for parse in parses}


def split_table(split: dict[str, str]) -> str:
    """A split as text that `evaluate --split` reads."""
    return "parse\tsplit\n" + "".join(f"{parse}\t{name}\n" for parse, name in split.items())


def write_dataset(portions: Portions, folder: Path, texts: dict[str, str]) -> None:
    """Write the folder: a Parquet file for each portion that is not empty, and `texts` by file name (CARD, SPLIT).

    What an earlier call left under these names is replaced or removed. Raises DatasetError if the folder cannot be written.
    """
    try:
        for name, path in DATA.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).unlink(missing_ok=True)
            if rows := getattr(portions, name):
                _write_parquet(rows, folder / path)
        for name in (CARD, SPLIT):
            (folder / name).unlink(missing_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise DatasetError(f"The data set cannot be written to {folder}: {error.strerror or error}.") from error


def _write_parquet(rows: Sequence[TrainingPair], path: Path) -> None:
    require("datasets")
    import datasets

    table = datasets.Dataset.from_dict({column: [getattr(row, column) for row in rows] for column in COLUMNS})
    silent = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()  # it would draw a bar for each file, and has no other setting
    try:
        table.to_parquet(str(path))
    finally:
        if not silent:
            datasets.enable_progress_bars()


def card_of(title: str, portions: Portions, command: str) -> str:
    """The card: what the pairs are, how they were made, what each row holds."""
    rows = {name: getattr(portions, name) for name in DATA}
    files = "\n".join(f"  - split: {name}\n    path: {DATA[name]}" for name, portion in rows.items() if portion)
    examples = [*portions.train, *portions.validation]
    templates = len({example.template for example in examples})
    different = len({structure(example.parse) for example in examples})
    return f"""---
pretty_name: {double_quoted(f"Questions about {title} and their parses")}
license: other
language: en
task_categories:
- text2text-generation
configs:
- config_name: default
  data_files:
{files}
---

# Questions about {title} and their parses

{len(portions.train):,} pairs to train on and {len(portions.validation):,} to validate, made from {templates:,} templates.
Leaving out numbers and true/false, they hold {different:,} different parses. No person wrote these sentences: they are
templates whose wildcards were filled with names and values of the data set. Made by

    {command}

## Columns

- `utterance`: a question
- `parse`: what it means in the parse language of Parley, which is that of TalkToModel with some operations of ours
- `template`: the template that it was made from

Names and values come from the data set, whose licence holds for them; state one above before you publish this.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ttm generate`."""
    parser.add_argument("--dataset", required=True, metavar="NAME_OR_FOLDER", help="a demo, or a folder with a dataset.toml")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="where to write the Hugging Face data set")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same pairs (0)")
    parser.add_argument(
        "--template-fraction", type=_share, default=1.0, metavar="F", help="use this share of the templates, at random (1)"
    )
    parser.add_argument(
        "--validation-share", type=_part, default=0.1, metavar="F", help="hold out this share of the pairs (0.1)"
    )
    parser.add_argument("--most-per-template", type=_count, default=MOST_PER_TEMPLATE, metavar="N",
                        help=f"at most so many pairs of each template ({MOST_PER_TEMPLATE})")  # fmt: skip
    parser.add_argument("--split", type=Path, metavar="SUITE",
                        help=f"write FOLDER/{SPLIT}: which parses of a gold suite are like those trained on")  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Generate and write. Raises DatasetError for what cannot be read or written."""
    suite = read_suite(args.split) if args.split else None
    dataset = load_dataset(args.dataset)
    examples = generate(dataset.schema, args.seed, frame=dataset.frame, fraction=args.template_fraction,
                        most_per_template=args.most_per_template)  # fmt: skip
    if not examples:
        raise DatasetError(f"No template fits the data set {args.dataset}.")
    portions = divide(examples, args.validation_share, args.seed)
    texts = {CARD: card_of(dataset.schema.title, portions, _command(args))}
    summary = f"{len(portions.train):,} pairs to train on and {len(portions.validation):,} to validate, in {args.out}"
    if suite is not None:
        split = split_of_suite(suite, portions.train)
        texts[SPLIT] = split_table(split)
        alike = sum(name == IID for name in split.values())
        summary += f"; {SPLIT}: {alike} parses {IID}, {len(split) - alike} {COMPOSITIONAL}"
    write_dataset(portions, args.out, texts)
    sys.stdout.write(summary + "\n")


def _command(args: argparse.Namespace) -> str:
    name = Path(args.dataset).name  # where a folder lies is nobody's business
    return (
        f"python -m ttm generate --dataset {name} --out FOLDER --seed {args.seed} --template-fraction "
        f"{args.template_fraction:g} --validation-share {args.validation_share:g} --most-per-template "
        f"{args.most_per_template}"
    )


def _share(text: str) -> float:
    share = _number(text)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share above 0, up to 1")
    return share


def _part(text: str) -> float:
    share = _number(text)
    if not 0 <= share < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 to below 1")
    return share


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")  # fits no bounds


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
