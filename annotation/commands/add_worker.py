"""`python -m annotation add-worker`: let a worker or a lead into a study."""

import argparse

from annotation.commands.places import add_place, add_study, study_of


def arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument("--lead", action="store_true", help="a lead, who reviews and releases, and not a worker")
    parser.add_argument("--hf", metavar="USERNAME", default="", help="account that lets them in on Hugging Face Spaces")
    parser.add_argument("name", metavar="NAME", help="what they are called; they sign in with it")
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.studies.callers import Role
    from annotation.studies.people.workers import enrol

    made = enrol(study_of(args), args.name, Role.LEAD if args.lead else Role.WORKER, args.hf)
    print(f"{made.role}: {made.name}\naccess code: {made.code}\nlink token: {made.link}")
    print("Neither can be read again; a lead can make new ones.")
