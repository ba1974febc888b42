"""`python -m ttm corrections`: write out the corrections that people made."""

import argparse
import sys
from collections.abc import Set as AbstractSet

from backend.errors import SettingsError
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
    database = Database(read_settings(chosen).database_address)
    corrections = list_corrections(database, args.of)
    if args.of is not None and not corrections:
        _check_name(args.of, {each.dataset for each in list_corrections(database)})
    sys.stdout.write(json_lines(corrections) if args.json else gold_suite(corrections))


def _check_name(name: str, corrected: AbstractSet[str]) -> None:
    """Raises SettingsError for a data set that neither comes with Parley nor has corrections."""
    from ttm.tabular.data.dataset import DEMOS

    if name not in DEMOS:
        listed = ", ".join(sorted(corrected)) or "none"
        raise SettingsError(
            f"No data set {name!r} is known here. With corrections: {listed}; with Parley come {', '.join(DEMOS)}."
        )
