"""`python -m inspired fit-parser`: fit the default parser to questions made from a knowledge base."""

from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import InspiredError

if TYPE_CHECKING:
    import argparse

    from inspired.knowledge_base.graph import Graph
    from inspired.lab.parser_fitting.default_parser import LabelledQuestion
    from inspired.parsers.query_graphs.ranking.weights import Weights

_FEWEST = 100
_WHOLE = 400  # generated questions beside those of people
_UNREAD = 100  # questions in other words, to see what corrections do to them


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
    parser.add_argument("--add", type=Path, metavar="FILE", help="learn words from accepted corrections alone, and say what is "
                        "right before and after: JSON lines of the review, or a gold suite; in a minute")  # fmt: skip
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="learn how probable readings are, by questions of "
                        "people in place of generated ones; in some minutes")  # fmt: skip
    parser.add_argument("--follow-ups", type=Path, metavar="FOLDER", help="learn when a question goes on from the one before, "
                        "by conversations of people; in some minutes")  # fmt: skip
    parser.add_argument("--dataset", default="", metavar="NAME", help="with --add: only corrections of the knowledge base of "
                        "this name (all)")  # fmt: skip


def run(args: "argparse.Namespace") -> int:
    from inspired.knowledge_base.graph import embedded_graph, read_graph
    from inspired.lab.parser_fitting.default_parser import LabelledQuestion, fit
    from inspired.lab.questions.generator import generate
    from inspired.parsers.query_graphs.ranking.weights import FITTED

    if args.corpus is not None:
        _from_people(args.corpus, args.out)
        return 0
    if args.follow_ups is not None:
        _from_conversations(args.follow_ups, args.out)
        return 0
    if args.count < _FEWEST:
        raise InspiredError(f"--count {args.count} is too few to learn from; at least {_FEWEST} are needed.")
    graph = embedded_graph() if args.kb is None else read_graph(args.kb)
    questions = [LabelledQuestion(each.question, each.form) for each in generate(graph, args.seed, args.count, "train")]
    target = args.out or FITTED
    fitted = fit(graph, questions) if args.add is None else _with_corrections(args, graph, questions)
    try:
        fitted.save(target)
    except OSError as error:
        raise InspiredError(f"Cannot write {target}: {error.strerror}.") from error
    print(f"Fitted to {len(questions)} questions, written to {target}" if args.add is None else f"Learned, written to {target}")
    return 0


def _from_people(corpus: Path, out: Path | None) -> None:
    from inspired.lab.parser_fitting.people import fit_second_look, unread_right, weighed_authors, weighed_generated
    from inspired.parsers.query_graphs.ranking.second_look import FITTED
    from inspired.parsers.query_graphs.ranking.weights import fitted_weights

    people = list(weighed_authors(corpus, fitted_weights()))
    questions = [*people, *weighed_generated(fitted_weights(), _WHOLE)]
    right = unread_right(questions)
    fit_second_look(questions).save(out or FITTED)
    by_score = sum(bool(each.right[0]) for each in people)
    print(f"{len(people)} questions: {by_score} right by score, {right} after a second look that has not read their authors")


def _from_conversations(corpus: Path, out: Path | None) -> None:
    from inspired.lab.parser_fitting.subjects import fit_new_subject, unread_gains, weighed_follow_ups
    from inspired.parsers.follow_ups.new_subject import FITTED

    questions = list(weighed_follow_ups(corpus))
    fit_new_subject(questions).save(out or FITTED)
    print(
        f"{len(questions)} questions are read otherwise in context. Right alone, in context, and by weights of other authors:"
    )
    for name, counts in unread_gains(questions).items():
        print(f"  {name}: {', '.join(map(str, counts))}")


def _with_corrections(args: "argparse.Namespace", graph: "Graph", questions: "list[LabelledQuestion]") -> "Weights":
    from inspired.lab.parser_fitting.corrections import learn_corrections, read_corrections
    from inspired.lab.parser_fitting.default_parser import LabelledQuestion
    from inspired.lab.questions.generator import generate
    from inspired.parsers.query_graphs.ranking.weights import fitted_weights

    corrections = read_corrections(args.add, args.dataset)
    made = generate(graph, args.seed + 1, _UNREAD, "held-out")
    unread = [LabelledQuestion(each.question, each.form) for each in made]
    learned, report = learn_corrections(graph, corrections, questions, unread, fitted_weights())
    print(report.words)
    if report.is_worse:
        raise InspiredError("Nothing was learned: with these corrections, questions that were not learned from are read worse.")
    return learned
