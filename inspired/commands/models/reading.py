"""What these commands have in common: how patiently the records of a file are read, and what they tell of those left out."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import InspiredError
from inspired.lab.json_lines import LeftOut, Skip

if TYPE_CHECKING:
    import argparse


def strict_argument(parser: "argparse.ArgumentParser") -> None:
    parser.add_argument("--strict", action="store_true", help="stop at a record that cannot be used; by default it is left out")


def reading_arguments(parser: "argparse.ArgumentParser") -> None:
    strict_argument(parser)
    parser.add_argument(
        "--names",
        type=Path,
        metavar="FILE.jsonl[.gz]",
        help="records with ID and topic_entity (ComplexWebQuestions): names of entities for records that have none",
    )


class RecordReading:
    """`skip` names each line that is left out on stderr; None with `--strict`."""

    def __init__(self, strict: bool, names: Path | None = None) -> None:
        self.left_out = 0
        self.skip: Skip | None = None if strict else self._name
        self.path = names

    def names(self) -> Mapping[str, Mapping[str, str]] | None:
        """The names of `--names` by the id of a record."""
        from inspired.lab.training.records import read_names

        return None if self.path is None else read_names(self.path, self.skip)

    def refuse_nothing(self, path: Path, count: int, purpose: str) -> None:
        """Raises InspiredError where nothing is left of `path`; else tells how many records were left out."""
        if not count:
            raise InspiredError(f"{path} leaves no example to {purpose}.")
        if self.left_out:
            print(f"Left out: {self.left_out} records, named above.", file=sys.stderr)

    def _name(self, left: LeftOut) -> None:
        self.left_out += left.whole
        print(f"{left}{' Left out.' if left.whole else ''}", file=sys.stderr)
