"""`python -m annotation predict`: write what a parser makes of questions into items, so that a study has corrections."""

import argparse
import json
from pathlib import Path

from annotation.commands.places import write_file
from backend.errors import AnnotationError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="items with a question or an utterance each (.jsonl, .json, "
                        ".csv, .parquet, also .gz; a gold suite .txt)")  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="items to write, JSON Lines")
    parser.add_argument("--dataset", metavar="NAME_OR_FOLDER", help="utterances about this data set: write their `parse`")
    parser.add_argument("--kb", type=Path, metavar="FILE", help="questions: an RDF file in place of the graph that ships here")
    parser.add_argument("--parser", metavar="NAME", help="as in `python -m inspired ask` or `python -m ttm chat`; the default")
    parser.add_argument("--base-url", metavar="URL", help="server of a language model that --parser names")
    parser.add_argument("--uncertain-first", action="store_true", help="write what the parser is least sure of first")
    parser.add_argument("--each-predicate", type=int, metavar="N", help="only so many items that each predicate of the gold "
                        "queries stands N times in them, where it can")  # fmt: skip


def run(args: argparse.Namespace) -> None:
    from annotation.studies.item_files import file_items
    from annotation.tasks.predictions import CERTAINTY, covering, parse_predictions, predicted_rows, query_predictions

    if args.each_predicate is not None and args.each_predicate < 1:
        raise AnnotationError(f"--each-predicate {args.each_predicate} is too small; the paper takes 3.")
    if args.dataset:
        predict = parse_predictions(args.parser or "learned", args.dataset)
    else:
        predict = query_predictions(args.parser or "default", args.kb, args.base_url)
    rows = list(file_items(args.file))
    if args.each_predicate is not None:
        rows = [rows[index] for index in covering([row for _, row in rows], args.each_predicate)]
    written = predicted_rows(rows, predict, args.file.name)
    if args.uncertain_first:
        written.sort(key=lambda row: row[CERTAINTY])
    write_file(args.out, (f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "replace") for row in written))
    none = sum(row[CERTAINTY] == 0 for row in written)
    print(f"Wrote {len(written)} items to {args.out}; the parser read {len(written) - none} of them.")
