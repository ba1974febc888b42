"""What the training scripts of the three demos share."""

from pathlib import Path

import numpy as np

from ttm.tabular.data.dataset import load_dataset
from ttm.tabular.model.cross_validation import Fold, score_folds
from ttm.tabular.model.model_file import save_model
from ttm.tabular.model.train import train_model


def train_demo(folder: Path) -> str:
    """Train on train.csv, write model.skops and model.json, and describe the scores on data.csv in one line."""
    dataset = load_dataset(folder)
    model = train_model(dataset)
    save_model(model, folder / "model.skops")
    labels, rows = dataset.labels, np.arange(len(dataset.frame))
    assert labels is not None
    held_out = score_folds(
        labels, [Fold(rows[:0], rows)], [model.predict_proba(dataset.frame)], len(dataset.schema.target.classes)
    )
    scores = ", ".join(f"{name} {value:.3f}" for name, value in held_out.means.items())
    return f"{model.description}; on {len(rows)} other {dataset.schema.entity}: {scores}, baseline {held_out.baseline:.3f}\n"
