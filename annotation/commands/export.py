"""`python -m annotation export`: reviewed parses, or what a study has collected."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from annotation.commands.places import add_place, add_study, database_of, read_file, study_of, write_file
from backend.errors import AnnotationError

if TYPE_CHECKING:
    from annotation.studies.figures.results import AnswerFilter
    from annotation.studies.study import Study

FORMAT_NAMES = ("gold", "jsonl", "csv")  # those of `annotation.parses.export`, which takes longer to import than --help should
ARCHIVE = "archive"
DATASET = "dataset"
OF_PLATFORMS = ("approvals.csv", "approve.txt", "bonuses.csv")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", required=True, metavar="FORMAT",
                        help="parses: gold (accepted pairs as a gold suite), jsonl (all with history), csv (a row a pair); "
                        "studies: jsonl, csv, parquet, answers, table.csv or table.parquet (a row an answer), "
                        "labels.csv or labels.jsonl (one label for each field of an item), log, "
                        "payment, archive, a file of the task type, "
                        "dataset (a folder for Hugging Face, with a card), or for Prolific, MTurk and SONA, with their ids: "
                        "approvals.csv, approve.txt, bonuses.csv")  # fmt: skip
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="file to write; one that exists is replaced")
    parser.add_argument("--push", metavar="OWNER/NAME", help="with --format dataset: put it on the Hugging Face hub too")
    parser.add_argument("--dataset", metavar="NAME", help="only pairs of this data set")
    add_study(parser, required=False, about="export this study, and not the parses")
    parser.add_argument("--accepted", action="store_true", help="of a study, only answers that a lead has accepted")
    parser.add_argument("--trial", action="store_true", help="of a study, with the answers of the trial")
    parser.add_argument("--passed-batches", action="store_true", help="of a study, only batches that a lead has passed")
    parser.add_argument("--attention", type=float, metavar="SHARE", help="of a study, only workers who passed at least this "
                        "share (0 to 1) of their attention items")  # fmt: skip
    parser.add_argument("--without-ended", action="store_true", help="of a study, no worker whose part has ended")
    parser.add_argument("--without-remarks", action="store_true", help="of a study, no worker of whom a figure looks careless")
    parser.add_argument("--fill", type=Path, metavar="FILE", help="with --format approvals.csv: fill in Approve and Reject of "
                        "this file of results of a batch of MTurk, and write that")  # fmt: skip
    parser.add_argument("--names", action="store_true", help="of a study, with the names of workers; else pseudonyms")
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    if args.study is not None:
        _export_study(args)
    else:
        _export_parses(args)


def _export_study(args: argparse.Namespace) -> None:
    from annotation.studies.files.archive import archive_lines
    from annotation.studies.files.export import export_kinds, write_export

    study = study_of(args)
    if args.push is not None and args.format != DATASET:
        raise AnnotationError(f"--push goes with --format {DATASET} only.")
    if args.fill is not None and args.format != OF_PLATFORMS[0]:
        raise AnnotationError(f"--fill goes with --format {OF_PLATFORMS[0]} only.")
    if args.format == DATASET:
        _export_dataset(args, study)
        return
    if args.format == ARCHIVE:
        content = archive_lines(study, args.names)
    elif args.format in OF_PLATFORMS:
        content = iter([_of_platform(args, study)])
    elif args.format in (kinds := export_kinds(study)):
        content = iter([write_export(study, args.format, _choice(args))])
    else:
        names = ", ".join([*kinds, ARCHIVE, DATASET, *OF_PLATFORMS])
        raise AnnotationError(f"There is no export {args.format!r} of {study.plan.file.task}; choose {names}.")
    print(f"Wrote {write_file(args.out, content):,} bytes to {args.out}.")


def _of_platform(args: argparse.Namespace, study: "Study") -> bytes:
    from annotation.studies.files.approvals import fill_batch, write_approvals

    if args.fill is None:
        return write_approvals(study, args.format)
    filled = fill_batch(study, read_file(args.fill))
    print(f"{filled.approved} to approve, {filled.rejected} to reject.")
    for worker, why in filled.left:
        print(f"Left to you: {worker} ({why}).")
    return filled.content


def _choice(args: argparse.Namespace) -> "AnswerFilter":
    from annotation.studies.figures.results import AnswerFilter

    if args.attention is not None and not 0 <= args.attention <= 1:
        raise AnnotationError(f"--attention is a share from 0 to 1, not {args.attention:g}.")
    return AnswerFilter(
        args.accepted, args.trial, args.names, args.passed_batches, args.attention, args.without_ended, args.without_remarks
    )


def _export_dataset(args: argparse.Namespace, study: "Study") -> None:
    from annotation.studies.files.dataset_folder import push, write_dataset_folder

    count = write_dataset_folder(study, args.out, _choice(args))
    print(f"Wrote {count} rows and a card to {args.out}.")
    if args.push is not None:
        print(f"It is now at {push(args.out, args.push)}, and private.")


def _export_parses(args: argparse.Namespace) -> None:
    from annotation.parses.export import FORMATS, gold_pairs, items_to_export

    if args.format not in FORMATS:
        raise AnnotationError(f"Parses have no format {args.format!r}; choose {', '.join(FORMAT_NAMES)}, or name a --study.")
    items = items_to_export(database_of(args), args.dataset)
    write_file(args.out, [FORMATS[args.format].write(items).encode("utf-8")])
    count = len(gold_pairs(items)) if args.format == "gold" else len(items)
    print(f"Wrote {count} {'accepted ' if args.format == 'gold' else ''}pairs to {args.out}.")
