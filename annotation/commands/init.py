"""`python -m annotation init`: take a study folder into the database, or begin a new folder from the example."""

import argparse
import shutil

from annotation.commands.places import add_place, add_study, database_of
from backend.errors import AnnotationError


def arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.studies.plan import STUDY_FILE
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
    print(f"The study {study.name} ({study.plan.file.task}) is in the database; items: {counts or 'none'}.")
