"""The three demos and some small odd data sets, each with what answers questions about it and what checks the answers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pytest

from ttm.explain.explainer import Explainer
from ttm.language.grammar import Grammar, grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.results import Result, as_json
from ttm.operations.rows.context import Memory
from ttm.tabular.data.dataset import DEMOS
from ttm.tabular.subject import Subject, load_subject

from ..conftest import awkward_subject
from .steps_written import ODD
from .world import World, read_world


@dataclass(frozen=True)
class Demo:
    name: str
    subject: Subject
    engine: ExecutionEngine
    grammar: Grammar

    @cached_property
    def world(self) -> World:
        if self.name in DEMOS:
            return read_world(DEMOS[self.name], self.subject.model.estimator)
        data, classes = self.subject.dataset, self.subject.schema.target.classes
        return World(data.frame, data.labels, data.train_frame, classes, {}, self.subject.model.estimator)

    def fresh(self) -> "Demo":
        """The same with nothing computed yet."""
        return replace(self, engine=ExecutionEngine(self.subject, Explainer(self.subject)))

    def turns(self, *texts: str) -> Iterator[tuple[str, tuple[Result, ...]]]:
        """Carry out a conversation, given as parses, turn by turn."""
        memory: Memory | None = None
        for text in texts:
            done = self.engine.execute(self.grammar.read(text), memory)
            memory = done.memory
            yield text, done.results

    def answers(self, *texts: str) -> list[dict[str, Any]]:
        """The results of the last turn of a conversation as JSON."""
        return [as_json(result) for result in list(self.turns(*texts))[-1][1]]


def _demo(name: str) -> Demo:
    subject = load_subject(name) if name in DEMOS else awkward_subject(name)
    return Demo(name, subject, ExecutionEngine(subject, Explainer(subject)), grammar_of(subject.schema))


@pytest.fixture(scope="session", params=list(DEMOS))
def demo(request: pytest.FixtureRequest) -> Demo:
    """Each demo in turn."""
    return _demo(request.param)


@pytest.fixture(scope="session", params=ODD)
def odd(request: pytest.FixtureRequest) -> Demo:
    """Data sets with texts, dates and gaps, and two classes, several, or a quantity to predict, in turn."""
    return _demo(request.param)


@pytest.fixture(scope="session")
def compas() -> Demo:
    return _demo("compas")


@pytest.fixture(scope="session")
def diabetes() -> Demo:
    return _demo("diabetes")
