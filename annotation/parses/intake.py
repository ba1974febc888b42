"""Bringing a gold suite file in, so that its pairs are reviewed like those from the chat."""

from dataclasses import dataclass

from annotation.parses.gold_suite import read_suite
from annotation.parses.pairs import add_imported
from annotation.parses.parse_reader import ParseReader
from backend.errors import AnnotationError
from backend.storage.database import Database
from backend.text.storable import storable

LONGEST_NAME = 200


@dataclass(frozen=True)
class Intake:
    """How many different pairs stood in the file and how many of them were new; `note` says if checks were left out."""

    dataset: str
    count: int
    new: int
    note: str

    def words(self) -> str:
        there = self.count - self.new
        known = f" {there} of the {self.count} in the file were here already." if there else ""
        pairs = "1 new pair waits" if self.new == 1 else f"{self.new} new pairs wait"
        return f"{pairs} for review under {self.dataset}.{known}{f' {self.note}' if self.note else ''}"


def import_suite(database: Database, reader: ParseReader, dataset: str, source: str, content: bytes) -> Intake:
    """Keep the pairs of a file as pending, all or none; `source` is the name of the file.

    Raises AnnotationError naming the bad lines and what would be valid there.
    """
    name = storable(dataset.strip(), "name of the data set")
    if not 0 < len(name) <= LONGEST_NAME:
        raise AnnotationError(f"Name the data set of the parses in 1 to {LONGEST_NAME} characters, for example diabetes.")
    pairs = read_suite(content, lambda parse: reader.check(parse, name))
    new = add_imported(database, name, storable(source, "name of the file"), pairs)
    return Intake(name, len(pairs), new, reader.known(name).why_not)
