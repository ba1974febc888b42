"""`python -m annotation init`: take a study folder into the database, or begin a new folder from the example."""

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from annotation.commands.places import add_place, add_study, database_of
from backend.errors import AnnotationError

if TYPE_CHECKING:
    from annotation.studies.study import Study

NAMED = 5  # items


def arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument(
        "--replace", action="store_true", help="take out items that stand in no file any more, as far as nobody was given them"
    )
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.studies.plan import STUDY_FILE
    from annotation.studies.plan_notes import notes_on
    from annotation.studies.study import EXAMPLE, count_items, open_study

    folder = args.study
    if not folder.exists():
        try:
            shutil.copytree(EXAMPLE, folder)
        except OSError as error:
            raise AnnotationError(f"Cannot write {folder}: {error.strerror or error}.") from error
        print(f"Copied the example to {folder}; edit {STUDY_FILE} there and run this again.")
    study = open_study(database_of(args), folder)
    counts = ", ".join(f"{count} {kind}" for kind, count in count_items(study).items() if count)
    _tell_left_over(study, folder, args.replace)
    for note in notes_on(study.plan):
        print(f"Note: {note}")
    print(f"The study {study.name} ({study.plan.file.task}) is in the database; items: {counts or 'none'}.")


def _tell_left_over(study: "Study", folder: Path, replace: bool) -> None:
    """What is in the database and in no file any more: it would still be given out."""
    from annotation.studies.study import drop_unworked, left_over

    left = left_over(study, folder)
    if left.unworked and replace:
        print(f"Taken out, since they stand in no file any more: {drop_unworked(study, left.unworked)} items.")
    elif left.unworked:
        print(f"In the database but in no file: {_listed(left.unworked)}. --replace takes them out; nobody was given them yet.")
    if left.worked:
        print(f"In no file any more, but somebody has worked on them, so they stay: {_listed(left.worked)}.")


def _listed(keys: tuple[str, ...]) -> str:
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return f"{', '.join(keys[:NAMED])}{more}"
