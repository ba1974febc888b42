"""`python -m inspired generate`: questions made from a knowledge base, in the format of ComplexWebQuestions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from backend.errors import InspiredError
from inspired.lab.output_files import replacing

if TYPE_CHECKING:
    import argparse


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = (
        "Sample logical forms of all types from the schema of a knowledge base, word them, and write them as records of "
        "ComplexWebQuestions. The two wordings share no phrase: learn from one, test with the other."
    )
    parser.add_argument("--out", dest="target", type=Path, required=True, metavar="FILE.jsonl", help="file to write")
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="questions to make (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="equal seeds make equal files (default: %(default)s)")
    parser.add_argument(
        "--wording", choices=("train", "held-out"), default="train", help="the set of words (default: %(default)s)"
    )
    parser.add_argument("--kb", type=Path, metavar="FILE", help="RDF file; by default the world facts that come with Parley")


def run(args: "argparse.Namespace") -> int:
    from inspired.knowledge_base.graph import embedded_graph, read_graph
    from inspired.lab.questions.generator import generate
    from inspired.lab.questions.records import record

    if args.count < 1:
        raise InspiredError(f"--count {args.count} is too small; make at least 1 question.")
    graph = read_graph(args.kb) if args.kb else embedded_graph()
    made = generate(graph, args.seed, args.count, args.wording)
    with replacing(args.target) as target:
        for question in tqdm(made, total=args.count, unit=" questions", disable=None):
            target.write(json.dumps(record(question, graph), ensure_ascii=False) + "\n")
    print(f"{args.count} questions written to {args.target}, in the {args.wording} wording")
    return 0
