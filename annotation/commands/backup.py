"""`python -m annotation backup`: a copy of the whole database, while people work on it."""

import argparse
from pathlib import Path

from annotation.commands.places import add_place, add_study, settings_of


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="file to write; one that exists is replaced")
    add_study(parser, required=False, about="make sure that this study is in it")
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.commands.places import study_of
    from annotation.studies.files.backup import backup

    if args.study is not None:
        study_of(args).database.close()
    backup(settings_of(args).database_address, args.file)
    print(f"Wrote {args.file.stat().st_size:,} bytes to {args.file}.")
