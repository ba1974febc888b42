"""`python -m inspired simulate`: how much a user's corrections improve a parser, with a simulated user."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from backend.errors import InspiredError

if TYPE_CHECKING:
    import argparse

    from inspired.knowledge_base.graph import Graph
    from inspired.lab.simulation.opening import GoldQuestion


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = (
        "Parse questions whose logical forms are known, let a simulated user correct each wrong step in words, and compare "
        "exact match (EM) and F1 of the answers before and after (section 5.3 of the paper)."
    )
    parser.add_argument("--data", type=Path, metavar="FILE.jsonl[.gz]", help="questions; by default they are generated")
    parser.add_argument("--count", type=int, default=400, metavar="N", help="at most so many (default: %(default)s)")
    parser.add_argument(
        "--wording", choices=("train", "held-out"), default="held-out", help="words of questions made (default: %(default)s)"
    )
    parser.add_argument(
        "--parser",
        default="default",
        metavar="default|FOLDER|FILE.jsonl",
        help="what predicts: the default parser, a model made by `train parser`, or predictions with ID and sparql",
    )
    parser.add_argument(
        "--corrector",
        default="default",
        metavar="default|FOLDER",
        help="what reads corrections: the default parser, or a model made by `train correction`",
    )
    parser.add_argument("--attempts", type=int, default=3, metavar="K", help="tries at each correction (default: %(default)s)")
    parser.add_argument(
        "--feedback",
        choices=("held-out", "train", "template"),
        default="held-out",
        help="the words of the simulated user (default: %(default)s)",
    )
    parser.add_argument("--gold-entities", action="store_true", help="tell the parsers the entities, as the paper assumes")
    parser.add_argument("--kb", type=Path, metavar="FILE", help="RDF file; by default the world facts that come with Parley")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="write JSON in place of tables")


def run(args: "argparse.Namespace") -> int:
    from inspired.knowledge_base.engine import open_knowledge_base
    from inspired.knowledge_base.graph import embedded_graph, read_graph
    from inspired.lab.simulation.opening import Parsers, open_user
    from inspired.lab.simulation.scoring import Answering
    from inspired.lab.simulation.simulation import report, simulate
    from inspired.lab.simulation.tables import as_json, markdown

    _check(args)
    graph = read_graph(args.kb) if args.kb else embedded_graph()
    asked = _asked(args, graph)
    parsers = Parsers(graph, args.parser, args.corrector, args.gold_entities)
    kb = open_knowledge_base(args.kb)
    try:
        cases = tqdm(parsers.cases(asked), total=len(asked), unit=" questions", disable=None)
        user = open_user(args.feedback, graph, args.seed)
        outcomes = list(simulate(cases, parsers.corrector_of, user, Answering(kb), args.attempts))
    finally:
        kb.close()
    summary = report(outcomes, args.seed)
    print(json.dumps(as_json(summary), indent=2) if args.json else markdown(summary), end="\n" if args.json else "")
    return 0


def _check(args: "argparse.Namespace") -> None:
    if args.count < 1 or args.attempts < 1:
        raise InspiredError("--count and --attempts are whole numbers from 1 on.")
    for option, name in (("--parser", args.parser), ("--corrector", args.corrector)):
        if name != "default" and not Path(name).exists():
            raise InspiredError(f"{option} {name}: there is no such file or folder; {option} default needs none.")
    if args.corrector != "default" and not Path(args.corrector).is_dir():
        raise InspiredError(f"--corrector {args.corrector} is not a folder that `train correction` has made.")


def _asked(args: "argparse.Namespace", graph: "Graph") -> "list[GoldQuestion]":
    from inspired.lab.simulation.opening import made_asked, read_asked

    if args.data is None:
        return made_asked(graph, args.seed, args.count, args.wording)
    questions = read_asked(args.data, args.count)
    if not questions:
        raise InspiredError(f"{args.data} holds no question.")
    return questions
