"""The review of collected parses in a terminal: `python -m annotation --help`."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend import command_line
from backend.settings import Settings, add_options, read_settings

if TYPE_CHECKING:
    from backend.database import Database

PLACE = ("data_dir", "database_url")
FORMAT_NAMES = ("gold", "jsonl", "csv")  # those of `annotation.export`, which takes longer to import than --help should


def main(argv: Sequence[str]) -> int | None:
    parser = command_line.Parser(prog="python -m annotation", description="The review of collected parses.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=command_line.Parser)
    for name, (about, add, run) in COMMANDS.items():
        command = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        add(command)
        add_options(command, PLACE)
        command.set_defaults(run=run)
    given = parser.parse_args(argv)
    result: int | None = given.run(given)
    return result


def _settings(given: argparse.Namespace, **more: Any) -> Settings:
    return read_settings({name: getattr(given, name) for name in PLACE if hasattr(given, name)} | more)


def _database(settings: Settings) -> "Database":
    from backend.database import Database

    return Database(settings.database_address)


# --- export --------------------------------------------------------------------------------------------------------------


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", required=True, choices=FORMAT_NAMES,
                        help="gold: accepted pairs as a gold suite; jsonl: all with history; csv: a row a pair")  # fmt: skip
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="file to write; one that exists is replaced")
    parser.add_argument("--dataset", metavar="NAME", help="only pairs of this data set")


def export(given: argparse.Namespace) -> None:
    from annotation.export import FORMATS, gold_pairs, items_to_export

    items = items_to_export(_database(_settings(given)), given.dataset)
    _write(given.out, FORMATS[given.format].write(items))
    count = len(gold_pairs(items)) if given.format == "gold" else len(items)
    print(f"Wrote {count} {'accepted ' if given.format == 'gold' else ''}pairs to {given.out}.")


def _write(path: Path, content: str) -> None:
    """All of it or nothing: a file that was there stays as it was if the disk is full."""
    from backend.errors import AnnotationError

    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(content, "utf-8", newline="")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise AnnotationError(f"Cannot write {path}: {error.strerror or error}.") from error


# --- import --------------------------------------------------------------------------------------------------------------


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", required=True, metavar="NAME_OR_FOLDER", help="data set of the parses: "
                        "diabetes, german, compas, a folder with dataset.toml, or any other name")  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="a gold suite: utterance, parse on the next line, empty line")


def import_suite(given: argparse.Namespace) -> None:
    from annotation import intake
    from annotation.tasks.parses import ParseReader
    from backend.errors import AnnotationError

    try:
        content = given.file.read_bytes()
    except OSError as error:
        raise AnnotationError(f"Cannot read {given.file}: {error.strerror or error}.") from error
    folder = Path(given.dataset)
    is_folder = (folder / "dataset.toml").is_file()
    settings = _settings(given, **({"dataset": given.dataset} if is_folder else {}))
    name = folder.resolve().name if is_folder else given.dataset
    database, reader = _database(settings), ParseReader(settings)
    print(intake.import_suite(database, reader, name, given.file.name, content).words())


# --- stats ---------------------------------------------------------------------------------------------------------------


def _add_stats(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


def show_stats(given: argparse.Namespace) -> None:
    from annotation.stats import stats, stats_text

    found = stats(_database(_settings(given)))
    print(json.dumps(found.as_json(), ensure_ascii=False) if given.json else stats_text(found))


COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[Any], int | None]]] = {
    "export": ("write what was collected and reviewed to a file", _add_export, export),
    "import": ("bring in the pairs of a gold suite file, to be reviewed", _add_import, import_suite),
    "stats": ("count what waits and what is decided", _add_stats, show_stats),
}

if __name__ == "__main__":
    sys.exit(command_line.run("annotation", main))
