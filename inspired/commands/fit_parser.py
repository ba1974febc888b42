"""`python -m inspired fit-parser`: fit the default parser to questions made from a knowledge base."""

from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import InspiredError

if TYPE_CHECKING:
    import argparse

_FEWEST = 100


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = (
        "Learn words for relations, weights and confidence from questions that are made from a knowledge base in the wording "
        "to learn from. The weights that ship with Parley are made by: python -m inspired fit-parser"
    )
    parser.add_argument("--kb", type=Path, metavar="FILE", help="RDF file; by default the world facts that come with Parley")
    parser.add_argument("--count", type=int, default=700, metavar="N", help="questions to make (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the questions (default: %(default)s)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE.json", help="file to write; by default the one that the parser reads by itself"
    )


def run(args: "argparse.Namespace") -> int:
    from inspired.knowledge_base.graph import embedded_graph, read_graph
    from inspired.lab.questions.generator import generate
    from inspired.lab.training.default_parser import LabelledQuestion, fit
    from inspired.parsers.query_graphs.ranking.weights import FITTED

    if args.count < _FEWEST:
        raise InspiredError(f"--count {args.count} is too few to learn from; at least {_FEWEST} are needed.")
    graph = embedded_graph() if args.kb is None else read_graph(args.kb)
    questions = [LabelledQuestion(each.question, each.form) for each in generate(graph, args.seed, args.count, "train")]
    target = args.out or FITTED
    fitted = fit(graph, questions)
    try:
        fitted.save(target)
    except OSError as error:
        raise InspiredError(f"Cannot write {target}: {error.strerror}.") from error
    print(f"Fitted to {len(questions)} questions, written to {target}")
    return 0
