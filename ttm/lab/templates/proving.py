"""Where templates are proved: the demos, and two made-up data sets with what the demos lack.

The made-up ones have categories in words, dates, gaps, 0/1 columns, an age and, as target, three classes or a quantity. Each
is cut to a few rows, since what is proved is that a parse can be carried out, not what comes out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ttm.explain.explainer import Explainer
from ttm.language.grammar import Grammar, grammar_of
from ttm.language.parse import number_text
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.results import Refused, Result, Versus
from ttm.operations.rows.context import Memory
from ttm.parsers.templates.generate import Filler, TrainingPair
from ttm.parsers.templates.template import UtteranceTemplate
from ttm.parsers.templates.vocabulary import WildcardVocabulary
from ttm.tabular.data.csv_table import CsvTable
from ttm.tabular.data.dataset import DEMOS, Dataset, build_dataset
from ttm.tabular.data.dataset_config import DatasetConfig
from ttm.tabular.data.encoding import FrameEncoder
from ttm.tabular.model.model import Model
from ttm.tabular.subject import Subject, load_subject

ROWS = 30
MADE_UP_ROWS = 120
ATTEMPTS = 4  # fillings of a template that are tried before it counts as impossible to carry out


@dataclass(frozen=True)
class ProvingGround:
    """One data set to prove templates on."""

    name: str
    subject: Subject
    seed: int = 0

    @cached_property
    def grammar(self) -> Grammar:
        return grammar_of(self.subject.schema)

    @cached_property
    def filler(self) -> Filler:
        return Filler(WildcardVocabulary(self.subject.schema, self.seed, self.subject.dataset.frame))

    @cached_property
    def _engine(self) -> ExecutionEngine:
        return ExecutionEngine(self.subject, Explainer(self.subject, seed=self.seed), self.seed)

    def examples(self, template: UtteranceTemplate, most: int) -> list[TrainingPair]:
        return list(self.filler.examples(template, most))

    def why_refused(self, template: UtteranceTemplate) -> str | None:
        """Carry out fillings of a template, after earlier turns, until one is answered; None then, else the first reason.

        An exception is not caught: it would be a defect of the engine, not of the template.
        """
        reason = None
        for example in self.filler.examples(template, ATTEMPTS):
            parse = self.grammar.read(example.parse)
            for memory in self._earlier:
                refused = [r for r in _flat(self._engine.execute(parse, memory).results) if isinstance(r, Refused)]
                if not refused:
                    return None
                reason = reason or f"{refused[0].reason} ({example.parse})"
        return reason or "no filling was found"

    @cached_property
    def _earlier(self) -> tuple[Memory, ...]:
        """What turns about many rows, one row and two groups have left, for parses that speak of the last turn."""
        first = next(feature for feature in self.subject.schema.features if feature.low is not None)
        middle = number_text(round(float(self.subject.dataset.frame[first.name].median()), 2))
        parses = (
            f"filter {first.token} present and predict",
            f"filter id {self.subject.dataset.frame.index[0]} and predict",
            f"filter {first.token} greater than {middle} versus filter {first.token} less equal than {middle} and predict",
        )
        return tuple(self._engine.execute(self.grammar.read(parse)).memory for parse in parses)


def _flat(results: tuple[Result, ...]) -> list[Result]:
    return [part for result in results for part in (_flat(result.results) if isinstance(result, Versus) else [result])]


def grounds() -> Iterator[ProvingGround]:
    """The data sets, made one after the other, the demos first."""
    for name in DEMOS:
        yield ProvingGround(name, _cut(load_subject(name)))
    for name in TARGETS:
        yield ProvingGround(name, _cut(made_up(name)))


def _cut(subject: Subject) -> Subject:
    dataset = subject.dataset
    labels = None if dataset.labels is None else dataset.labels[:ROWS]
    return Subject(replace(dataset, frame=dataset.frame.iloc[:ROWS], labels=labels), subject.model)


# --- made-up data sets ---------------------------------------------------------------------------------------------------

TARGETS = {"orders": "urgency", "flats": "rent"}


def made_up(name: str) -> Subject:
    """A made-up data set with a linear model; `orders` has three classes, `flats` a quantity as target."""
    dataset = _made_up_dataset(TARGETS[name], name)
    return Subject(dataset, _fitted(dataset))


def _made_up_dataset(target: str, name: str) -> Dataset:
    random = np.random.default_rng(5)
    frame = pd.DataFrame({
        "customer_age": random.integers(18, 80, MADE_UP_ROWS), "distance_km": random.gamma(3.0, 4.0, MADE_UP_ROWS).round(1),
        "items": random.integers(1, 60, MADE_UP_ROWS), "weight": random.normal(400, 90, MADE_UP_ROWS).round(),
        "district": random.choice(["north", "south", "old town", "harbour"], MADE_UP_ROWS),
        "colour": random.choice(["red", "green", "blue"], MADE_UP_ROWS),
        "has_lift": random.integers(0, 2, MADE_UP_ROWS), "is_member": random.integers(0, 2, MADE_UP_ROWS),
        "opened": pd.date_range("2019-03-04", periods=MADE_UP_ROWS, freq="11D"),
    })  # fmt: skip
    score = frame["distance_km"] / 6 + frame["items"] / 20 + frame["has_lift"] + random.normal(0, 0.6, MADE_UP_ROWS)
    frame.loc[::9, "distance_km"] = None
    frame.loc[4::11, "district"] = None
    urgency = pd.cut(score, [-99.0, 3.2, 4.8, 99.0], labels=["low urgency", "medium urgency", "high urgency"]).astype("str")
    frame = frame.assign(**{target: (score * 210).round() if target == "rent" else urgency})
    config = DatasetConfig(data="rows.csv", target=target, entity=name)
    return build_dataset(name, config, CsvTable(frame, ()), None)


def _fitted(dataset: Dataset) -> Model:
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    linear = LogisticRegression() if dataset.schema.target.is_classification else LinearRegression()
    pipeline = make_pipeline(FrameEncoder(impute=True), StandardScaler(), linear)
    pipeline.fit(dataset.train_frame, dataset.train_labels)
    return Model(pipeline, dataset.schema, name="line", description="a linear model", fingerprint=f"made-up {dataset.name}")
