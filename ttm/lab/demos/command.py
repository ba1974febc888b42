"""`python -m ttm make-demo`: derive the tables of a demo again, or train its model."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from ttm.lab.demos import compas, diabetes, german
from ttm.lab.demos.training import train_demo
from ttm.tabular.data.dataset import DEMOS

PREPARE: dict[str, Callable[[Path], None]] = {
    "compas": compas.prepare,
    "diabetes": diabetes.prepare,
    "german": german.prepare,
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("demo", choices=PREPARE)
    parser.add_argument("--train", action="store_true", help="train model.skops on train.csv; without, write both tables")


def run(args: argparse.Namespace) -> None:
    if args.train:
        sys.stdout.write(train_demo(DEMOS[args.demo]))
    else:
        PREPARE[args.demo](DEMOS[args.demo])
