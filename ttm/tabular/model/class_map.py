"""Which class a model's 0, 1, ... stand for, where the table has texts: a wrong guess would turn every prediction round."""

from itertools import permutations

import numpy as np

from backend.errors import ModelError
from ttm.tabular.data.dataset import Dataset
from ttm.tabular.model.model import Model, is_numbered

MOST_CLASSES = 4  # of which all orders are tried
CLEARLY = 0.02  # by which another order has to be right more often


def check_class_map(model: Model, dataset: Dataset) -> None:
    """Refuse a model whose numbered classes fit the true ones better in another order than that of their sorted names.

    Raises ModelError with the accuracy of both orders. Where the order fits, the model's description says how it was taken.
    """
    target, labels = dataset.schema.target, dataset.labels
    if not is_numbered(model.estimator, dataset.schema) or labels is None or len(target.classes) > MOST_CLASSES:
        return
    known = labels >= 0
    if not known.any():
        return
    predicted = model.predict(dataset.frame[known])
    truth = labels[known]
    right = {order: float((np.array(order)[predicted] == truth).mean()) for order in permutations(range(len(target.classes)))}
    usual, best = tuple(range(len(target.classes))), max(right, key=right.__getitem__)
    if right[best] > right[usual] + CLEARLY:
        raise ModelError(
            f"It is not stated which classes the model's {_numbers(usual)} stand for: as "
            f"{_named(usual, target.class_values)} it is "
            f"right for {right[usual]:.0%} of the rows, as {_named(best, target.class_values)} for {right[best]:.0%}. "
            f"State them in "
            f"dataset.toml: model_classes = [{', '.join(repr(str(target.class_values[index])) for index in best)}]"
        )
    model.description += f"; its classes {_numbers(usual)} were taken as {_named(usual, target.class_values)}"


def _numbers(order: tuple[int, ...]) -> str:
    return ", ".join(map(str, range(len(order))))


def _named(order: tuple[int, ...], values: tuple[object, ...]) -> str:
    return ", ".join(str(values[index]) for index in order)
