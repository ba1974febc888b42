"""`ttm.add_operation` and `ttm.add_explainer`: what is added before the first chat is there like what comes with Parley."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backend.errors import SettingsError
from ttm.explain.attribution import TECHNIQUES, Technique
from ttm.language.grammar import grammar_of
from ttm.language.operation_form import OperationForm
from ttm.language.operations.registry import FORMS
from ttm.language.syntax_tree import READERS
from ttm.operations.registry import OPERATIONS, RENDERERS
from ttm.operations.rendering.answer import Answer
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.parsers.templates.added_phrases import PHRASES
from ttm.tabular.data.schema import Schema


def add_operation(
    form: OperationForm,
    run: Callable[[Any, Context], Result],
    renderers: Mapping[type[Result], Callable[[Any, Schema], Answer]],
    asked_as: Mapping[str, str] | None = None,
) -> None:
    """Add an operation to the parse language, before the first chat.

    Args:
        form: How it is written, read, and named in words.
        run: What it does: a typed result from its syntax tree and the rows that are asked about.
        renderers: Words, tables and figure of each type of its results.
        asked_as: How people ask for it: phrase to parse, both with {feature} where a column is named.

    Raises:
        SettingsError: A rule of that name is there already.

    Source:
        TalkToModel (Slack et al.), Table 1: the operations that there are.
    """
    taken = [name for name in (*form.rules, *form.parts) if name in READERS and form.node not in FORMS]
    if taken:
        raise SettingsError(f"There is a rule {taken[0]!r} of the parse language already; name yours otherwise.")
    FORMS[form.node] = form
    OPERATIONS[form.node] = run
    RENDERERS.update(renderers)
    READERS.update({name: rule.read for name, rule in (*form.rules.items(), *form.parts.items())})
    PHRASES.update(asked_as or {})
    grammar_of.cache_clear()


def add_explainer(
    key: str, label: str, weigh: Callable[[np.ndarray, Callable[[np.ndarray], np.ndarray]], tuple[np.ndarray, float]]
) -> None:
    """Add a way of weighing features, before the first chat. It is chosen for a row where it is the most faithful.

    Args:
        key: A short name of its own.
        label: What it is called in answers.
        weigh: From an encoded row (d,) and a function that gives the model's output (n,) for encoded rows (n, d): the weights
            (d,), signed towards the output and in its unit, and what is left when all of them are taken away.

    Raises:
        SettingsError: There is a technique of that key already.

    Source:
        TalkToModel (Slack et al.), section 2.2 and A.4: how one is chosen by its fidelity.
    """
    if key in TECHNIQUES:
        raise SettingsError(f"There is a technique {key!r} already; there are {', '.join(TECHNIQUES)}.")
    TECHNIQUES[key] = Technique(key, label, weigh=weigh)
