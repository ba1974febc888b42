"""`python -m inspired table`: files of predictions as a table of the paper, with the paper's numbers beside."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import InspiredError
from inspired.commands.models.reading import RecordReading, strict_argument
from inspired.lab.paper_tables.published import TABLES

if TYPE_CHECKING:
    import argparse

    from inspired.lab.paper_tables.scoring_predictions import Scoring


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = "Score files that `predict` has written as a table of the paper, with its numbers beside. " + " ".join(
        f"{number}: {table.title} ({table.task})." for number, table in TABLES.items()
    )
    parser.add_argument("number", type=int, choices=TABLES, metavar="NUMBER", help=f"of {', '.join(map(str, TABLES))}")
    parser.add_argument(
        "files",
        nargs="+",
        metavar="[ROW=]FILE.jsonl",
        help="predictions; the row is that of their model and context, or the one that is named",
    )
    parser.add_argument(
        "--data", type=Path, required=True, metavar="FILE.jsonl[.gz]", help="the records, with their gold forms"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="compare over the first N records only")
    parser.add_argument(
        "--kb",
        metavar="PATH|URL",
        help="Table 8: where the queries are asked for F1 of their answers: a graph, or a SPARQL endpoint; "
        "by default the graph that ships with Parley",
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="at most for a query (default: %(default)s)")
    parser.add_argument(
        "--bert-score", metavar="MODEL", help="Tables 12, 13: also BERTScore, with this model: hub name or folder"
    )
    parser.add_argument("--seed", type=int, default=0, help="draws the bootstrap of the intervals (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of a Markdown table")
    strict_argument(parser)


def run(args: "argparse.Namespace") -> int:
    # Here, not above: scores need libraries that other commands should not wait for.
    from inspired.lab.paper_tables.comparison import compared, read_gold, scored_file
    from inspired.lab.paper_tables.markdown import as_markdown, as_values

    _check(args)
    table = TABLES[args.number]
    reading = RecordReading(args.strict)
    gold = read_gold(table, args.data, reading.skip, args.limit)
    reading.refuse_nothing(args.data, len(gold), "compare with")
    with _scoring(args) as scoring:
        files = [scored_file(table, name, path, gold, scoring) for name, path in map(_named, args.files)]
        result = compared(table, gold, files, scoring)
    print(json.dumps(as_values(result), ensure_ascii=False, indent=2) if args.json else as_markdown(result))
    return 0


def _check(args: "argparse.Namespace") -> None:
    if args.limit is not None and args.limit < 1:
        raise InspiredError(f"--limit {args.limit} is too small; it must be 1 or more.")
    if not args.seconds > 0:
        raise InspiredError(f"--seconds {args.seconds:g} is too small; it must be over 0.")
    if args.kb is not None and args.number != 8:
        raise InspiredError(f"--kb is for the answers of Table 8; Table {args.number} has none.")
    if args.bert_score is not None and TABLES[args.number].task != "subquestion":
        raise InspiredError(f"--bert-score is for Tables 12 and 13; Table {args.number} has no sub-questions.")


@contextmanager
def _scoring(args: "argparse.Namespace") -> "Iterator[Scoring]":
    from inspired.knowledge_base.engine import open_knowledge_base
    from inspired.lab.paper_tables.scoring_predictions import Scoring
    from inspired.lab.simulation.scoring import Answering

    if args.number != 8:
        yield Scoring(None, args.bert_score, args.seed)
        return
    kb = open_knowledge_base(args.kb)
    try:
        yield Scoring(Answering(kb, args.seconds), None, args.seed)
    finally:
        kb.close()


def _named(text: str) -> tuple[str, Path]:
    """The row that is asked for, "" for the one that the file is of, and the file."""
    name, equals, path = text.partition("=")
    return ("", Path(text)) if Path(text).exists() or not equals else (name.strip(), Path(path))
