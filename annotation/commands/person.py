"""`python -m annotation person`: what is kept about one worker of a study, and erasing it."""

import argparse
import json
from pathlib import Path

from annotation.commands.places import add_place, add_study, study_of, write_file
from backend.errors import AnnotationError


def arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument("--worker", metavar="NAME", help="whose data; by name or pseudonym")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write everything that is kept about them, as JSON")
    parser.add_argument(
        "--erase", action="store_true", help="erase what they wrote, what was written to them, and who they are; figures stay"
    )
    parser.add_argument("--due", action="store_true", help="in place of --worker: everybody of whom nothing has come for "
                        "longer than consent.keep_days")  # fmt: skip
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.studies.people.rights import due_for_erasure, erase_at_terminal, kept_about
    from annotation.studies.people.workers import worker_called

    study = study_of(args)
    if args.due == (args.worker is not None):
        raise AnnotationError("Say whose data are meant: --worker NAME, or --due.")
    if not (args.export or args.erase) or (args.due and args.export):
        raise AnnotationError("Say what to do: --erase, or with --worker --export FILE.")
    people = due_for_erasure(study) if args.due else [(worker_called(study, args.worker), args.worker)]
    if args.export:
        content = json.dumps(kept_about(study, people[0][0]), ensure_ascii=False, indent=1)
        write_file(args.export, [content.encode("utf-8", "replace")])
        print(f"Wrote what is kept about {args.worker} to {args.export}.")
    if args.erase:
        for number, _ in people:
            erase_at_terminal(study, number)
        print(f"Erased: {len(people)}. Backups and archives that were made before still hold it.")
