"""`python -m annotation add-worker`: let a worker or a lead into a study."""

import argparse
import csv
import io
from pathlib import Path

from annotation.commands.places import add_place, add_study, read_file, study_of
from backend.errors import AnnotationError


def arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument("--lead", action="store_true", help="a lead, who reviews and releases, and not a worker")
    parser.add_argument("--hf", metavar="USERNAME", default="", help="account that lets them in on Hugging Face Spaces")
    parser.add_argument("--list", type=Path, metavar="FILE", help="many at once: a name a line, and after a comma perhaps a "
                        "Hugging Face account; prints a table of names, codes and links, one line each")  # fmt: skip
    parser.add_argument(
        "name", metavar="NAME", nargs="*", help="what they are called; they sign in with it. Several names add several people"
    )
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.studies.callers import Role
    from annotation.studies.people.workers import enrol, enrol_all

    people = [(name, args.hf) for name in args.name] + (_listed(args.list) if args.list else [])
    if not people:
        raise AnnotationError("Give a name, or --list with a file of names.")
    if args.hf and len(people) > 1:
        raise AnnotationError("--hf goes with one name; in a --list write the account behind the name, after a comma.")
    role = Role.LEAD if args.lead else Role.WORKER
    study = study_of(args)
    if len(people) > 1:
        print("name\tcode\tlink token")
        for made in enrol_all(study, people, role):
            print(f"{made.name}\t{made.code}\t{made.link}")
    else:
        made = enrol(study, people[0][0], role, people[0][1])
        print(f"{made.role}: {made.name}\naccess code: {made.code}\nlink token: {made.link}")
    print("Neither can be read again; a lead can make new ones.")


def _listed(path: Path) -> list[tuple[str, str]]:
    """Name and account of each line that is not empty."""
    rows = csv.reader(io.StringIO(read_file(path).decode("utf-8-sig", "replace")))
    return [(row[0], row[1].strip() if len(row) > 1 else "") for row in rows if row and row[0].strip()]
