"""`python -m annotation review`: what waits for a lead of a study, and the lead's decisions."""

import argparse
import json
from typing import TYPE_CHECKING

from annotation.commands.places import add_place, add_study, study_of
from backend.errors import AnnotationError

if TYPE_CHECKING:
    from annotation.studies.callers import Caller
    from annotation.studies.study import Study
    from annotation.studies.work.grading import Work

VERDICTS = ("accepted", "edited", "rejected")


def arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument("--as", dest="lead", required=True, metavar="LEAD", help="name of the lead who decides")
    parser.add_argument("--answer", type=int, metavar="NUMBER", help="decide on this answer")
    parser.add_argument("--verdict", choices=VERDICTS, help="what to decide on --answer")
    parser.add_argument("--final", metavar="JSON", help="with --verdict edited: the whole answer as it should be")
    parser.add_argument("--worker", metavar="NAME", help="only answers of this worker; or decide on this worker")
    parser.add_argument("--trial", choices=("pass", "fail"), help="decide on the trial of --worker, which needs --feedback")
    parser.add_argument("--release", action="store_true", help="pass the batch of --worker and release the next one")
    parser.add_argument("--readmit", action="store_true", help="let --worker in again, whose part was ended; with --feedback")
    parser.add_argument("--withdraw", metavar="ITEM", help="give this item to nobody any more, with --feedback as the reason")
    parser.add_argument("--put-back", metavar="ITEM", help="give a withdrawn item out again")
    parser.add_argument("--feedback", default="", metavar="TEXT", help="the text that the worker sees")
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    from annotation.studies.people.workers import lead_at_terminal
    from annotation.studies.work.grading import decide_trial, release_batch, review_queue
    from annotation.studies.work.readmission import readmit

    study = study_of(args)
    lead = lead_at_terminal(study, args.lead)
    worker = _number_of(study, lead, args.worker) if args.worker else None
    if args.answer is not None:
        _decide(study, lead, args)
    elif args.withdraw is not None or args.put_back is not None:
        _change_item(study, lead, args)
    elif (args.trial or args.release or args.readmit) and worker is None:
        raise AnnotationError("Name the --worker whom you decide on.")
    elif args.trial and worker is not None:
        print(f"{args.worker}: {decide_trial(study, lead, worker, args.trial == 'pass', args.feedback)}.")
    elif args.readmit and worker is not None:
        print(f"{args.worker}: {readmit(study, lead, worker, args.feedback)}.")
    elif args.release and worker is not None:
        released = release_batch(study, lead, worker)
        print(f"{args.worker}: batch {released.batch} with {released.size} tasks, {released.released} in all.")
    else:
        waiting = review_queue(study, lead, worker)
        print("\n".join(map(_line, waiting)) or "Nothing waits for a decision.")


def _decide(study: "Study", lead: "Caller", args: argparse.Namespace) -> None:
    from annotation.studies.work.grading import LeadVerdict, review, work_numbered

    if args.verdict is None:
        raise AnnotationError(f"Say what you decide: --verdict {', '.join(VERDICTS)}.")
    work = work_numbered(study, lead, args.answer)
    try:
        final = json.loads(args.final) if args.final is not None else None
    except json.JSONDecodeError as error:
        raise AnnotationError(f"--final is not JSON: {error.msg}.") from error
    if final is not None and not isinstance(final, dict):
        raise AnnotationError('--final is a JSON object, such as {"rating": 3}.')
    review(study, lead, args.answer, work.number, LeadVerdict(args.verdict), args.feedback, final)
    print(f"Answer {args.answer} of {work.name}: {args.verdict}.")


def _change_item(study: "Study", lead: "Caller", args: argparse.Namespace) -> None:
    from annotation.studies.work.withdrawal import put_back, withdraw

    if args.withdraw is not None:
        withdraw(study, lead, args.withdraw, args.feedback)
        print(f"{args.withdraw} is withdrawn; its answers stay.")
    if args.put_back is not None:
        put_back(study, lead, args.put_back, args.feedback)
        print(f"{args.put_back} is given out again.")


def _number_of(study: "Study", lead: "Caller", name: str) -> int:
    from annotation.studies.people.workers import list_people

    people = {person.name: person.worker for person in list_people(study, lead)}
    if name not in people:
        raise AnnotationError(f"Nobody in this study is called {name!r}; there are {', '.join(people)}.")
    return people[name]


def _line(work: "Work") -> str:
    return f"{work.assignment}\t{work.name}\t{work.phase}\t{work.key}\t{json.dumps(work.answer, ensure_ascii=False)}"
