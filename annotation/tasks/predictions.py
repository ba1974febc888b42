"""What a parser makes of the questions that a study is about: predictions in items, from which corrections arise.

INSPIRED shows workers the parse that a base parser predicted, and has them word what makes it the gold one (section 3.1).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from backend.errors import AnnotationError, ParleyError

Row = dict[str, Any]
Predict = Callable[[Mapping[str, Any]], Row]
CERTAINTY = "certainty"  # the column with the parser's confidence in its prediction, 0 where it had none


def query_predictions(parser: str, kb: Path | None, base_url: str | None = None) -> Predict:
    """Write `predicted` (SPARQL) for each question over a knowledge base; an item that the parser cannot read has none.

    Raises a ParleyError if the parser or the knowledge base cannot be used.
    """
    from inspired.knowledge_base.graph import embedded_graph, read_graph
    from inspired.logical_form.sparql_writer import write_sparql
    from inspired.parsers.opening import open_parser

    opened = open_parser(parser, embedded_graph() if kb is None else read_graph(kb), base_url)

    def predict(row: Mapping[str, Any]) -> Row:
        question = row.get("question") or row.get("cwq_question")
        if not isinstance(question, str):
            raise AnnotationError("an item needs a question to be predicted for")
        try:
            best = opened.parse(question, 1)[0]
        except (ParleyError, IndexError):
            return {**row, CERTAINTY: 0.0}
        names = {**(row.get("names") or row.get("topic_entity") or {}), **best.names}
        kept = {name: value for name, value in row.items() if name != "topic_entity"}
        return kept | {"predicted": write_sparql(best.form), "names": names, CERTAINTY: round(best.confidence, 4)}

    return predict


def parse_predictions(parser: str, dataset: str) -> Predict:
    """Write `parse` for each utterance about a data set, as the parser understands it; as above."""
    from ttm.parsers.opening import open_parser
    from ttm.tabular.data.dataset import load_dataset

    opened = open_parser(parser, load_dataset(dataset))

    def predict(row: Mapping[str, Any]) -> Row:
        utterance = row.get("utterance")
        if not isinstance(utterance, str):
            raise AnnotationError("an item needs an utterance to be predicted for")
        best = opened.understand(utterance).best
        read = {"parse": str(best.parse), CERTAINTY: round(best.confidence, 4)} if best else {CERTAINTY: 0.0}
        return {**row, "dataset": dataset, **read}

    return predict


def predicted_rows(rows: Iterable[tuple[int, Mapping[str, Any]]], predict: Predict, source: str) -> list[Row]:
    """Raises AnnotationError naming the line of an item that lacks what is read."""
    result = []
    for line, row in rows:
        try:
            result.append(predict(row))
        except AnnotationError as error:
            raise AnnotationError(f"{source}, line {line}: {error.message}.") from error
    return result


def covering(rows: Sequence[Mapping[str, Any]], times: int) -> list[int]:
    """The positions of few rows in which each predicate of the gold queries stands at least so many times, where it can.

    Greedily: the row that adds most is taken next (INSPIRED, section 3.1: each predicate at least three times).
    """
    predicates = [_predicates(row) for row in rows]
    wanted = {name: min(times, count) for name, count in Counter(each for one in predicates for each in one).items()}
    left, chosen = list(range(len(rows))), []
    while any(wanted.values()):
        best = max(left, key=lambda index: sum(wanted[name] > 0 for name in predicates[index]))
        left.remove(best)
        chosen.append(best)
        for name in predicates[best]:
            wanted[name] -= wanted[name] > 0
    return sorted(chosen)


def _predicates(row: Mapping[str, Any]) -> frozenset[str]:
    from inspired.logical_form.forms import Triple, walk
    from inspired.logical_form.sparql_reader import read_sparql

    query = str(row.get("gold") or row.get("sparql") or row.get("gold_parse") or "")
    if not query:
        raise AnnotationError("Coverage is counted on gold queries (`gold`, or `sparql` as ComplexWebQuestions has it).")
    return frozenset(each.predicate for each in walk(read_sparql(query)) if isinstance(each, Triple))
