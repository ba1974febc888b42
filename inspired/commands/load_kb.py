"""`python -m inspired load-kb`: a large RDF file as a store on disk, which opens at once and stays out of memory."""

from pathlib import Path
from typing import TYPE_CHECKING

from inspired.knowledge_base.rdf_files import load_store

if TYPE_CHECKING:
    import argparse


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = "Load an RDF file into a folder, which then opens at once however large it is: answer --kb FOLDER."
    parser.add_argument(
        "--in", dest="source", type=Path, required=True, metavar="FILE", help="an RDF file, also .gz; its ending says its form"
    )
    parser.add_argument("--out", dest="target", type=Path, required=True, metavar="FOLDER", help="a new folder")


def run(args: "argparse.Namespace") -> int:
    count = load_store(args.source, args.target)
    print(f"{count} triples loaded into {args.target}")
    return 0
