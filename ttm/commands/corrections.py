"""`python -m ttm corrections`: write out the corrections that people made."""

import argparse
import sys

from backend.program.settings import add_options, read_settings


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--of", metavar="DATASET", help="only of the data set of this name")
    parser.add_argument("--json", action="store_true", help="JSON Lines with what was predicted, not a gold suite")
    add_options(parser, ("data_dir", "database_url"))


def run(args: argparse.Namespace) -> None:
    from backend.storage.collected import list_corrections
    from backend.storage.database import Database
    from ttm.chat.export import gold_suite, json_lines

    chosen = {name: getattr(args, name) for name in ("data_dir", "database_url") if hasattr(args, name)}
    corrections = list_corrections(Database(read_settings(chosen).database_address), args.of)
    sys.stdout.write(json_lines(corrections) if args.json else gold_suite(corrections))
