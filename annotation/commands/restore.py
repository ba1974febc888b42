"""`python -m annotation restore`: make the database what it was when a backup was written."""

import argparse
from pathlib import Path

from annotation.commands.places import add_place, database_of, settings_of


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what backup wrote")
    parser.add_argument("--overwrite", action="store_true", help="replace the database that is there")
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.studies.files.backup import restore
    from annotation.studies.study import study_names

    restore(settings_of(args).database_address, args.file, args.overwrite)
    names = study_names(database_of(args))
    print(f"Restored from {args.file}. Studies: {', '.join(names) or 'none'}.")
