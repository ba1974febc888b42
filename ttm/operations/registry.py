"""Every family of operations: a function for each operation of the parse language, a renderer for each type of result.

A function returns a typed result and is pure given its context; a renderer makes words, tables and figures of it.
"""

from collections.abc import Callable
from typing import Any

from ttm.operations.breakdowns import render as breakdowns_render
from ttm.operations.breakdowns import run as breakdowns_run
from ttm.operations.columns import render as columns_render
from ttm.operations.columns import run as columns_run
from ttm.operations.comparison import render as comparison_render
from ttm.operations.comparison import run as comparison_run
from ttm.operations.contrast import render as contrast_render
from ttm.operations.contrast import run as contrast_run
from ttm.operations.correlation import render as correlation_render
from ttm.operations.correlation import run as correlation_run
from ttm.operations.crossing import render as crossing_render
from ttm.operations.crossing import run as crossing_run
from ttm.operations.data import render as data_render
from ttm.operations.data import run as data_run
from ttm.operations.decisions import render as decisions_render
from ttm.operations.decisions import run as decisions_run
from ttm.operations.dialogue import render as dialogue_render
from ttm.operations.dialogue import run as dialogue_run
from ttm.operations.explanations import render as explanations_render
from ttm.operations.explanations import run as explanations_run
from ttm.operations.exploration import render as exploration_render
from ttm.operations.exploration import run as exploration_run
from ttm.operations.fairness import render as fairness_render
from ttm.operations.fairness import run as fairness_run
from ttm.operations.left_out import render as left_out_render
from ttm.operations.left_out import run as left_out_run
from ttm.operations.models import render as models_render
from ttm.operations.models import run as models_run
from ttm.operations.neighbours import render as neighbours_render
from ttm.operations.neighbours import run as neighbours_run
from ttm.operations.predictions import render as predictions_render
from ttm.operations.predictions import run as predictions_run
from ttm.operations.regression import render as regression_render
from ttm.operations.regression import run as regression_run
from ttm.operations.rendering.answer import Answer
from ttm.operations.residuals import render as residuals_render
from ttm.operations.residuals import run as residuals_run
from ttm.operations.results import Result
from ttm.operations.scatter import render as scatter_render
from ttm.operations.scatter import run as scatter_run
from ttm.operations.scores import render as scores_render
from ttm.operations.scores import run as scores_run
from ttm.operations.significance import render as significance_render
from ttm.operations.significance import run as significance_run
from ttm.operations.single_rows import render as single_rows_render
from ttm.operations.single_rows import run as single_rows_run
from ttm.tabular.data.schema import Schema

FAMILIES = (
    (data_run.OPERATIONS, data_render.RENDERERS),
    (columns_run.OPERATIONS, columns_render.RENDERERS),
    (predictions_run.OPERATIONS, predictions_render.RENDERERS),
    (scores_run.OPERATIONS, scores_render.RENDERERS),
    (exploration_run.OPERATIONS, exploration_render.RENDERERS),
    (comparison_run.OPERATIONS, comparison_render.RENDERERS),
    (fairness_run.OPERATIONS, fairness_render.RENDERERS),
    (breakdowns_run.OPERATIONS, breakdowns_render.RENDERERS),
    (correlation_run.OPERATIONS, correlation_render.RENDERERS),
    (crossing_run.OPERATIONS, crossing_render.RENDERERS),
    (contrast_run.OPERATIONS, contrast_render.RENDERERS),
    (decisions_run.OPERATIONS, decisions_render.RENDERERS),
    (left_out_run.OPERATIONS, left_out_render.RENDERERS),
    (regression_run.OPERATIONS, regression_render.RENDERERS),
    (scatter_run.OPERATIONS, scatter_render.RENDERERS),
    (residuals_run.OPERATIONS, residuals_render.RENDERERS),
    (significance_run.OPERATIONS, significance_render.RENDERERS),
    (single_rows_run.OPERATIONS, single_rows_render.RENDERERS),
    (models_run.OPERATIONS, models_render.RENDERERS),
    (neighbours_run.OPERATIONS, neighbours_render.RENDERERS),
    (explanations_run.OPERATIONS, explanations_render.RENDERERS),
    (dialogue_run.OPERATIONS, dialogue_render.RENDERERS),
)

OPERATIONS: dict[type, Callable[[Any, Any], Result]] = {
    node: function for operations, _ in FAMILIES for node, function in operations.items()
}
RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    result: renderer for _, renderers in FAMILIES for result, renderer in renderers.items()
}
