"""What the default parser learns from questions of people: how probable a reading is (`second_look`).

The weights of its score stay those of generated questions: fitted to people's, they read two of a hundred more of authors that
they had not read, and lost whole sentences that any parser should read.

Whole authors are left out in turn for the calibration, since somebody else's words are what the parser will meet.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backend.errors import InspiredError, KnowledgeBaseError
from backend.models.boosted_trees import Array, BoostedTrees, fit_trees
from backend.storage.row_files import json_lines
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.knowledge_base.graph import embedded_graph, read_graph
from inspired.knowledge_base.seam import KnowledgeBase
from inspired.knowledge_base.vocabulary import plain_value
from inspired.lab.questions.generator import generate
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.sparql_writer import write_sparql
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.answer_kinds import Candidate
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.ranking.features import FEATURES, features
from inspired.parsers.query_graphs.ranking.second_look import SecondLook, compared, first_reading
from inspired.parsers.query_graphs.ranking.weights import Weights

QUESTIONS, GRAPH = "questions.jsonl", "graph.ttl.gz"
FOLLOW_UP = "follow-up"
GENERATED = ""  # the author of what no person wrote; never left out
TREES: dict[str, Any] = {
    "max_iter": 120,
    "learning_rate": 0.06,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 15,
    "l2_regularization": 2.0,
}
FOLDS = 4
_WEIGHED = 15  # readings of a question whose answers are looked up
_MOST_ANSWERS = 1000


@dataclass(frozen=True)
class WeighedQuestion:
    """One question of `author`: features (n, f) and scores (n,) of its readings, and which (n,) have the right answers."""

    author: str
    rows: Array
    scores: Array
    right: Array


def weighed_authors(corpus: Path, weights: Weights) -> Iterator[WeighedQuestion]:
    """The questions of all authors in the folders of `corpus`, each folder with `questions.jsonl` and perhaps `graph.ttl.gz`.

    Without a graph they are about the world facts that ship with Parley. Follow-ups are left out, and what no graph can answer
    has no right reading. Raises InspiredError for a folder without authors.
    """
    for author in authors_in(corpus, weights):
        yield from _weighed(author.name, [each for each in author.lines if each["kind"] != FOLLOW_UP], author.parser, author.kb)


@dataclass(frozen=True)
class Author:
    """One author's `lines`, with a parser of the graph that they are about and the knowledge base that answers."""

    name: str
    lines: tuple[dict[str, Any], ...]
    parser: DefaultParser
    kb: KnowledgeBase


def authors_in(corpus: Path, weights: Weights | None = None) -> Iterator[Author]:
    """The authors in the folders of `corpus`, by name; see `weighed_authors`. None is useful after the next was asked for."""
    folders = sorted(each.parent for each in corpus.glob(f"*/{QUESTIONS}"))
    if not folders:
        raise InspiredError(f"{corpus} holds no folder with a {QUESTIONS}.")
    for folder in folders:
        path = folder / GRAPH if (folder / GRAPH).exists() else None
        parser = DefaultParser(embedded_graph() if path is None else read_graph(path), weights)
        kb = open_knowledge_base(path)
        try:
            lines = tuple(each.value for each in json_lines(folder / QUESTIONS, InspiredError))
            yield Author(folder.name, lines, parser, kb)
        finally:
            kb.close()


def weighed_generated(weights: Weights, count: int, seed: int = 3) -> Iterator[WeighedQuestion]:
    """Generated questions about the world facts, in whole sentences, which people's trees would else read less surely."""
    graph = embedded_graph()
    parser = DefaultParser(graph, weights)
    for known in generate(graph, seed, count, "train"):
        analysis = parser.analyse(known.question)
        ranked = parser.meanings(analysis)[:_WEIGHED]
        wanted = canonical(known.form)
        if ranked:
            right = [canonical(parser.written(each)) == wanted for each in ranked]
            yield _question(GENERATED, parser, analysis, ranked, right)


def _question(
    author: str, parser: DefaultParser, analysis: QuestionAnalysis, ranked: Sequence[Candidate], right: Sequence[bool]
) -> WeighedQuestion:
    rows = [features(each.state, analysis, parser.weights.familiarity) for each in ranked]
    values = np.array([[row.get(name, 0.0) for name in FEATURES] for row in rows])
    return WeighedQuestion(author, values, np.array([each.score for each in ranked]), np.array(right, bool))


def _weighed(
    author: str, lines: Iterable[dict[str, Any]], parser: DefaultParser, kb: KnowledgeBase
) -> Iterator[WeighedQuestion]:
    for line in lines:
        try:
            analysis = parser.analyse(line["question"])
        except InspiredError:
            continue
        ranked = parser.meanings(analysis)[:_WEIGHED]
        if not ranked:
            continue
        fair = fair_answers(line)
        right = [answers_of(write_sparql(parser.written(each)), kb) in fair for each in ranked]
        yield _question(author, parser, analysis, ranked, right)


def fair_answers(line: Mapping[str, Any]) -> list[frozenset[object]]:
    """What `answers_of` may give for a question: what its author expects, and what else is fair."""
    return [frozenset(map(_key, each)) for each in (line.get("answers"), *line.get("or", ())) if each is not None]


def answers_of(sparql: str, kb: KnowledgeBase) -> frozenset[object] | None:
    """The answers to a query, alike where they are the same; None where it cannot be answered."""
    try:
        result = kb.select(sparql, _MOST_ANSWERS)
    except KnowledgeBaseError:
        return None
    return frozenset(_key(plain_value(row[0])) for row in result.rows if row[0] is not None)


def _key(value: object) -> object:
    """What answers share that are the same: numbers by their value, dates without the time that they may leave out."""
    if isinstance(value, bool):
        return value
    try:
        return round(float(str(value)), 6)
    except ValueError:
        return str(value).removesuffix("Z").removesuffix("T00:00:00")


def fit_second_look(questions: Sequence[WeighedQuestion]) -> SecondLook:
    """Trees fitted on all questions, calibrated on authors that were left out in parts."""
    from sklearn.linear_model import LogisticRegression

    odds, right = [], []
    for log_odds, rows, is_right in unread_log_odds(questions):
        first = _first(log_odds, rows)
        odds.append(log_odds[first])
        right.append(bool(is_right[first]))
    model = LogisticRegression(C=1e6).fit(np.array(odds)[:, None], right)
    return SecondLook(_trees(questions), float(model.coef_[0, 0]), float(model.intercept_[0]))


def unread_right(questions: Sequence[WeighedQuestion]) -> int:
    """How many questions are read rightly after a second look that has not read their authors."""
    return sum(bool(right[_first(log_odds, rows)]) for log_odds, rows, right in unread_log_odds(questions))


def _first(log_odds: Array, rows: Array) -> int:
    return first_reading(1 / (1 + np.exp(-log_odds)), rows)


def unread_log_odds(questions: Sequence[WeighedQuestion]) -> Iterator[tuple[Array, Array, Array]]:
    """For each question the log-odds of its readings by trees that have not read its author, their rows and which are right."""
    authors = sorted({each.author for each in questions} - {GENERATED})
    for fold in range(min(FOLDS, len(authors))):
        out = set(authors[fold::FOLDS])
        trees = _trees([each for each in questions if each.author not in out])
        for each in questions:
            if each.author in out:
                rows = _compared(each)
                yield trees.of(rows), rows, each.right[: len(rows)]


def _trees(questions: Sequence[WeighedQuestion]) -> BoostedTrees:
    rows = [_compared(each) for each in questions]
    labels = np.concatenate([each.right[: len(own)] for each, own in zip(questions, rows, strict=True)])
    return fit_trees(np.concatenate(rows), labels.astype(np.float64), **TREES)


def _compared(question: WeighedQuestion) -> Array:
    rows = [dict(zip(FEATURES, each, strict=True)) for each in question.rows.tolist()]
    return compared(rows, question.scores.tolist())
