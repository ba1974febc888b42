"""`python -m inspired build-kb`: the world facts that ship with Parley, built again from their sources."""

from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import InspiredError
from inspired.knowledge_base.graph import WORLD
from inspired.lab.world_facts.sources import Sources, check_installed
from inspired.lab.world_facts.turtle_file import write
from inspired.lab.world_facts.world import gather, summary

if TYPE_CHECKING:
    import argparse


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = (
        "Gather facts about the world from public data packages (CLDR, GeoNames, ISO, CIA World Factbook) into one Turtle file."
    )
    parser.add_argument(
        "--out",
        dest="target",
        type=Path,
        default=WORLD,
        metavar="FILE.ttl.gz",
        help="file to write, in place of the one that ships with Parley",
    )


def run(args: "argparse.Namespace") -> int:
    check_installed()
    facts = gather(Sources())
    triples = facts.with_types_and_schema()
    try:
        write(args.target, triples)
    except OSError as error:
        raise InspiredError(f"Cannot write {args.target}: {error.strerror}.") from error
    print(summary(facts))
    print(f"{len(triples)} triples about {len(facts.names)} things written to {args.target}")
    return 0
