"""`python -m annotation import`: a gold suite of parses, items of a study, or a whole study."""

import argparse
from pathlib import Path

from annotation.commands.places import add_place, add_study, database_of, read_file, settings_of, study_of
from backend.errors import AnnotationError

KINDS = ("work", "trial", "attention")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", metavar="NAME_OR_FOLDER", help="data set of the parses: "
                        "diabetes, german, compas, a folder with dataset.toml, or any other name")  # fmt: skip
    add_study(parser, required=False, about="add the items in FILE (.jsonl, .json, .csv, also .gz) to this study")
    parser.add_argument("--kind", choices=KINDS, default="work", help="what the items of a study are for (work)")
    parser.add_argument("--hub-split", metavar="SPLIT", help="FILE is the name of a data set on the Hugging Face hub, or a "
                        "folder of that form; take the items of this split")  # fmt: skip
    parser.add_argument("--archive", action="store_true", help="FILE is a whole study, as export --format archive wrote it")
    parser.add_argument("--name", help="what to call the study in an archive; as before if not given")
    parser.add_argument("file", type=Path, metavar="FILE", help="a gold suite: utterance, parse on the next line, empty line")
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    if args.archive:
        _import_archive(args)
    elif args.study is not None:
        _import_items(args)
    elif args.dataset is not None:
        _import_suite(args)
    else:
        raise AnnotationError("Say what FILE holds: --dataset NAME for parses, --study FOLDER for items, or --archive.")


def _import_archive(args: argparse.Namespace) -> None:
    from annotation.studies.files.archive import read_archive
    from annotation.studies.study import count_items

    study = read_archive(database_of(args), read_file(args.file), args.name)
    print(f"The study {study.name} is here, with {sum(count_items(study).values())} items.")


def _import_items(args: argparse.Namespace) -> None:
    from annotation.studies.item_files import ItemKind
    from annotation.studies.study import import_dataset, import_items

    study, kind = study_of(args), ItemKind(args.kind)
    if args.hub_split is not None:
        new = import_dataset(study, str(args.file), args.hub_split, kind)
    else:
        new = import_items(study, args.file, kind)
    print(f"{new} new items.")


def _import_suite(args: argparse.Namespace) -> None:
    from annotation.parses import intake
    from annotation.parses.parse_reader import ParseReader

    content = read_file(args.file)
    folder = Path(args.dataset)
    is_folder = (folder / "dataset.toml").is_file()
    settings = settings_of(args, **({"dataset": args.dataset} if is_folder else {}))
    name = folder.resolve().name if is_folder else args.dataset
    database, reader = database_of(args), ParseReader(settings)
    print(intake.import_suite(database, reader, name, args.file.name, content).words())
