"""`python -m inspired decompose`: the queries of a ComplexWebQuestions file as steps in plain questions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from backend.errors import InspiredError
from inspired.lab.cwq import decomposed, read_records
from inspired.lab.output_files import replacing
from inspired.lab.reference_corpus import is_reference_corpus, read_reference_corpus
from inspired.sub_questions.templates import Corpus, own_corpus, read_corpus

if TYPE_CHECKING:
    import argparse


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = "Split the SPARQL queries of a ComplexWebQuestions file into steps, and word each as a question."
    parser.add_argument(
        "--in",
        dest="source",
        type=Path,
        required=True,
        metavar="FILE.jsonl[.gz]",
        help="records with ID, sparql, question and topic_entity, one a line; - for standard input",
    )
    parser.add_argument(
        "--out", dest="target", type=Path, required=True, metavar="FILE.jsonl", help="file to write, one line a record"
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        metavar="DIR",
        help="folder with templates, ours or the paper's, in place of those that ship with Parley",
    )


def run(args: "argparse.Namespace") -> int:
    corpus = _corpus(args.corpus)
    written, failed = 0, 0
    if args.source.resolve() == args.target.resolve():
        raise InspiredError("--in and --out name the same file; the result needs a file of its own.")
    with replacing(args.target) as target:
        for record in tqdm(read_records(args.source), unit=" queries", disable=None):
            line = decomposed(record, corpus)
            target.write(json.dumps(line, ensure_ascii=False) + "\n")
            written += 1
            failed += line["error"] is not None
        if not written:
            raise InspiredError(f"--in {args.source} holds no line.")
    print(f"{written} queries written to {args.target}" + (f"; {failed} could not be split, see error" if failed else ""))
    return 0


def _corpus(folder: Path | None) -> Corpus:
    if folder is None:
        return own_corpus()
    if not folder.is_dir():
        raise InspiredError(f"--corpus {folder} is not a folder.")
    if is_reference_corpus(folder):
        return read_reference_corpus(folder)
    if (folder / "predicates.toml").is_file():
        return read_corpus(folder)
    raise InspiredError(f"--corpus {folder} holds neither predicates.toml nor template_corpus.json.")
