"""Every family of operations: a function for each operation of the parse language, a renderer for each type of result.

A function returns a typed result and is pure given its context; a renderer makes words, tables and figures of it.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from ttm.operations.rendering.answer import Answer
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.schema import Schema

Run = Callable[[Any, Context], Result]
Renderer = Callable[[Any, Schema], Answer]

# The folders beside this file, by name: a new one is one line. OPERATIONS stand in its run.py, RENDERERS in its render.py.
FAMILIES = (
    "data",
    "columns",
    "gaps",
    "terms",
    "predictions",
    "scores",
    "exploration",
    "comparison",
    "fairness",
    "thresholds_by_group",
    "breakdowns",
    "correlation",
    "crossing",
    "contrast",
    "decisions",
    "left_out",
    "regression",
    "scatter",
    "residuals",
    "second_table",
    "significance",
    "single_rows",
    "models",
    "neighbours",
    "explanations",
    "dialogue",
)


def _operations(family: str) -> Mapping[type, Run]:
    operations: Mapping[type, Run] = import_module(f"ttm.operations.{family}.run").OPERATIONS
    return operations


def _renderers(family: str) -> Mapping[type, Renderer]:
    renderers: Mapping[type, Renderer] = import_module(f"ttm.operations.{family}.render").RENDERERS
    return renderers


OPERATIONS: dict[type, Run] = {node: run for family in FAMILIES for node, run in _operations(family).items()}
RENDERERS: dict[type, Renderer] = {result: draw for family in FAMILIES for result, draw in _renderers(family).items()}
