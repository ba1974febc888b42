"""Train model.skops of this folder and say how good it is on data.csv (`python -m ttm.demos.german.train`)."""

import sys
from pathlib import Path

from ttm.demos.training import train_demo

if __name__ == "__main__":
    sys.stdout.write(train_demo(Path(__file__).parent))
