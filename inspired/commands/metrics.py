"""`python -m inspired metrics`: the statistics of section 4 and appendix B of the paper on files of dialogues."""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import InspiredError

if TYPE_CHECKING:
    import argparse


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = "Statistics of dialogues in INSPIRED format: corrections, n-grams, context, generation scores."
    parser.add_argument("source", type=Path, nargs="?", metavar="FILE.jsonl", help="dialogues, one record a line")
    parser.add_argument(
        "--split",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a further file, counted under a name of its own; may be given more than once",
    )
    parser.add_argument(
        "--predictions", type=Path, metavar="FILE.jsonl", help="generated sub-questions: id and sub_questions, one a gold step"
    )
    parser.add_argument(
        "--bert-score", metavar="MODEL", help="also BERTScore, with this model: hub name or folder (usual: roberta-large)"
    )
    parser.add_argument("--seed", type=int, default=0, help="draws the random contexts (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of tables")


def run(args: "argparse.Namespace") -> int:
    # Here, not above: scores need libraries that other commands should not wait for.
    from inspired.lab.metrics.dialogues import read_split
    from inspired.lab.metrics.generation import read_predictions
    from inspired.lab.metrics.report import make_report
    from inspired.lab.metrics.tables import report_tables

    if args.bert_score and not args.predictions:
        raise InspiredError("--bert-score scores generated sub-questions; name their file with --predictions.")
    splits = {name: read_split(path) for name, path in _files(args.source, args.split).items()}
    dialogues = [dialogue for each in splits.values() for dialogue in each]
    generated = read_predictions(args.predictions, dialogues) if args.predictions else ()
    report = make_report(splits, generated, args.bert_score, args.seed)
    print(json.dumps(dataclasses.asdict(report), ensure_ascii=False, indent=2) if args.json else report_tables(report))
    return 0


def _files(source: Path | None, splits: list[str]) -> dict[str, Path]:
    sources = {} if source is None else {source.name.split(".")[0]: source}
    for text in splits:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise InspiredError(f"--split {text} is not of the form NAME=FILE, such as dev=dev.jsonl.")
        if name in sources:
            raise InspiredError(f"Two files are called {name}; give each --split a name of its own.")
        sources[name] = Path(path)
    if not sources:
        raise InspiredError("There is no file to look at; name one, or several with --split NAME=FILE.")
    return sources
