"""Fit the default parser to questions whose logical forms are known: words first, then weights, then how sure to be."""

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import Step
from inspired.knowledge_base.graph import Graph
from inspired.lab.questions.wording import read_wording
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Entity, Filter, LogicalForm, RelationalExpression, Term, Triple, Variable, walk
from inspired.parsers.linking.entities import EntityLinker
from inspired.parsers.linking.lexicon import RelationLexicon, strengths
from inspired.parsers.linking.words import tokens_of
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.ranking.features import FEATURES, features
from inspired.parsers.query_graphs.ranking.weights import BY_HAND, Weights

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float64]

_EM_ROUNDS = 6
_FORGOTTEN = 0.35
_RIDGE = 0.02
_NULL = "nothing"
_SLOT = re.compile(r"\{[a-z_]+\}")


@dataclass(frozen=True)
class LabelledQuestion:
    """A question and its logical form; `answers` may be empty when they are not needed."""

    question: str
    form: LogicalForm


@dataclass(frozen=True)
class Ranking:
    """What the parser found for a question: the features of each reading, and which is right, if one is."""

    rows: tuple[Mapping[str, float], ...]
    right: int | None


def fit(graph: Graph, questions: Sequence[LabelledQuestion], rounds: int = 2, seed: int = 0) -> Weights:
    """Weights fitted to `questions`: two thirds for words and weights, the rest for the confidence.

    While the weights are fitted, a part of the learnt words is forgotten, another for each quarter of the questions: the
    wording of people will be another one, and the weights must not lean on words alone.
    """
    chance = random.Random(seed)
    mixed = list(questions)
    chance.shuffle(mixed)
    fitting, kept = mixed[: len(mixed) * 2 // 3], mixed[len(mixed) * 2 // 3 :]
    weights = Weights(words=learnt_words(graph, fitting), familiarity=familiarity(fitting))
    for _ in range(rounds):
        rankings = [each for part in range(4) for each in _with_gaps(graph, weights, fitting[part::4], chance)]
        weights = replace(weights, features=_fitted_features(rankings, weights.features))
    return calibrated(weights, list(rankings_of(DefaultParser(graph, weights), kept)))


def _with_gaps(
    graph: Graph, weights: Weights, questions: Sequence[LabelledQuestion], chance: random.Random
) -> Iterator[Ranking]:
    forgetful = {
        key: {stem: strength for stem, strength in row.items() if chance.random() >= _FORGOTTEN}
        for key, row in weights.words.items()
    }
    yield from rankings_of(DefaultParser(graph, replace(weights, words=forgetful)), questions)


def rankings_of(parser: DefaultParser, questions: Iterable[LabelledQuestion]) -> Iterator[Ranking]:
    """What `parser` finds for each question, and where the right reading stands in it."""
    for known in questions:
        analysis = parser.analyse(known.question)
        wanted = canonical(known.form)
        ranked = parser.ranked(analysis)
        right = next((index for index, (_, _, form) in enumerate(ranked) if canonical(form) == wanted), None)
        yield Ranking(tuple(features(state, analysis, parser.weights.familiarity) for _, state, _ in ranked), right)


# --- words
def learnt_words(graph: Graph, questions: Sequence[LabelledQuestion]) -> dict[str, dict[str, float]]:
    """Strengths of stems by key and by sense of relations, from an alignment of words and relations (IBM Model 1)."""
    linker = EntityLinker(graph)
    pairs = [(_words(linker, known), _parts(known.form)) for known in questions]
    pairs += list(_phrases())
    everywhere = Counter(word for words, _ in pairs for word in words)
    total = sum(everywhere.values())
    table: dict[str, dict[str, float]] = {}
    for round_ in range(_EM_ROUNDS):
        counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for words, parts in pairs:
            for word in words:
                usual = everywhere[word] / total
                likely = {part: table[part].get(word, 1e-6) if round_ else 1.0 for part in parts}
                likely[_NULL] = usual if round_ else 1.0
                whole = sum(likely.values())
                for part, value in likely.items():
                    counts[part][word] += value / whole
        sizes = {part: sum(row.values()) for part, row in counts.items()}
        table = {part: {word: count / sizes[part] for word, count in row.items()} for part, row in counts.items()}
    return strengths(_pooled(counts, DefaultParser(graph, Weights()).lexicon), everywhere)


def _phrases() -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The phrases to learn from, each with the one relation it is for: they cover what the questions happen to leave out."""
    for path, entry in read_wording("train").links.items():
        predicates = path.partition(" | ")[0]
        ahead = (*entry.ask, *entry.of, *entry.is_, *entry.amount, *entry.more, *entry.less, *entry.most, *entry.least)
        for key, phrases in ((f"> {predicates}", ahead), (f"< {predicates}", entry.has)):
            for each in phrases:
                yield tuple(token.stem for token in tokens_of(_SLOT.sub(" ", each))), (key,)


def _pooled(counts: Mapping[str, Mapping[str, float]], lexicon: RelationLexicon) -> dict[str, dict[str, float]]:
    """The counts of relations, and of both directions of each together."""
    result: dict[str, dict[str, float]] = {}
    keys = {each.key: each for each in lexicon.relations.all}
    # What runs against a path is gone along the path that says the same from the other end, where there is one.
    turned = {f"< {' > '.join(back)}": keys.get(f"> {' > '.join(path)}") for path, back in lexicon.relations.reverses.items()}
    for key, row in counts.items():
        relation = keys.get(key) or turned.get(key)
        if relation is None:
            continue
        for name in (relation.key, relation.sense):
            kept = result.setdefault(name, {})
            for word, count in row.items():
                kept[word] = kept.get(word, 0.0) + count
    return result


def _words(linker: EntityLinker, known: LabelledQuestion) -> tuple[str, ...]:
    """The stems of the question without the names of what the form is about."""
    named = {each for each in walk(known.form) if isinstance(each, Entity)}
    linking = linker.link(known.question)
    covered = {p for each in linking.mentions if each.node in named for p in range(each.start, each.end)}
    return tuple(
        token.stem for index, token in enumerate(tokens_of(known.question)) if index not in covered and token.plain[0].isalpha()
    )


def _parts(form: LogicalForm) -> tuple[str, ...]:
    """What the words of a question can come from: its relations, as keys, and signs for sorting and comparing."""
    steps = decompose(form).steps
    distance = _distances(steps, form.answer)
    keys = [key for step in steps if (key := key_of(step, distance)) is not None]
    keys += [f"order {step.order.descending}" for step in steps if step.order]
    keys += [
        f"compare {each.condition.operator}"
        for step in steps
        for each in step.conditions
        if isinstance(each, Filter) and isinstance(each.condition, RelationalExpression)
    ]
    return tuple(dict.fromkeys(keys))


def key_of(step: Step, distance: Mapping[Term, int]) -> str | None:
    """The key of the relation of a step (`Relation.key`): whether it runs towards the answer."""
    branch = step.union.branches[0] if step.union else ()
    main = step.main or tuple(each for each in branch if isinstance(each, Triple))
    if not main:
        return None
    first, last = main[0], main[-1]
    path = " > ".join(each.predicate for each in main)
    start, end = distance.get(first.subject, 99), distance.get(last.object, 99)
    is_value = isinstance(last.object, Variable) and last.object.name.startswith("num")
    return f"{'>' if start > end or is_value else '<'} {path}"


def _distances(steps: Iterable[Step], answer: Variable) -> dict[Term, int]:
    far: dict[Term, int] = {answer: 0}
    links = [(step.main[0].subject, step.main[-1].object) for step in steps if step.main]
    for _ in range(len(links) + 1):
        for one, other in links:
            for here, there in ((one, other), (other, one)):
                if here in far and far.get(there, 99) > far[here] + 1:
                    far[there] = far[here] + 1
    return far


def familiarity(questions: Iterable[LabelledQuestion]) -> dict[str, float]:
    """How often each relation is asked for, on a logarithmic scale from 0 to 1."""
    counts = Counter(part for known in questions for part in _parts(known.form) if part[:2] in ("> ", "< "))
    most = math.log1p(max(counts.values(), default=1))
    return {key: round(math.log1p(count) / most, 2) for key, count in counts.items()}


# --- weights
def _fitted_features(rankings: Sequence[Ranking], start: Mapping[str, float]) -> dict[str, float]:
    """The weights under which the right readings are likeliest, held near those set by hand."""
    import numpy as np
    from scipy.optimize import minimize

    usable = [each for each in rankings if each.right is not None and len(each.rows) > 1]
    tables = [np.array([[row.get(name, 0.0) for name in FEATURES] for row in each.rows]) for each in usable]
    rights = [each.right for each in usable]
    prior = np.array([BY_HAND.get(name, 0.0) for name in FEATURES])

    def loss(vector: "Vector") -> "tuple[float, Vector]":
        stiffness = _RIDGE * len(tables) / 100
        value, slope = stiffness * float(((vector - prior) ** 2).sum()), 2 * stiffness * (vector - prior)
        for table, right in zip(tables, rights, strict=True):
            scores = table @ vector
            scores -= scores.max()
            chances = np.exp(scores) / np.exp(scores).sum()
            value -= math.log(max(chances[right], 1e-12))
            slope = slope + chances @ table - table[right]
        return value, slope

    begin = np.array([start.get(name, 0.0) for name in FEATURES])
    weights = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return {name: round(float(value), 3) for name, value in zip(FEATURES, weights, strict=True)}


# --- confidence
def calibrated(weights: Weights, rankings: Sequence[Ranking]) -> Weights:
    """`weights` with the confidence fitted to rankings of questions that the rest was not fitted to."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    rows, rights = [], []
    for each in rankings:
        if each.rows:
            chances = weights.chances([weights.score(row) for row in each.rows])
            rows.append(weights.signs(chances, each.rows[0]))
            rights.append(each.right == 0)
    if len(set(rights)) < 2:
        return weights
    model = LogisticRegression(C=1.0, max_iter=1000).fit(np.array(rows), rights)
    sureness = (float(model.intercept_[0]), *(float(value) for value in model.coef_[0]))
    return replace(weights, sureness=tuple(round(each, 3) for each in sureness))


def calibration_error(pairs: Iterable[tuple[float, bool]], bins: int = 10) -> float:
    """The expected calibration error (ECE): how far confidence and share of right readings lie apart, over equal bins."""
    listed = list(pairs)
    result = 0.0
    for number in range(bins):
        inside = [each for each in listed if min(int(each[0] * bins), bins - 1) == number]
        if inside:
            sure, right = sum(each[0] for each in inside), sum(each[1] for each in inside)
            result += abs(sure - right)
    return result / len(listed) if listed else 0.0
