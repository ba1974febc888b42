"""Train model.skops of the demo diabetes and say how good it is on data.csv (`python -m ttm.lab.demos.diabetes.train`)."""

import sys

from ttm.lab.demos.training import train_demo
from ttm.tabular.data.dataset import DEMOS

if __name__ == "__main__":
    sys.stdout.write(train_demo(DEMOS["diabetes"]))
