"""What a parser is made from, whichever it is: the data set, the choice in its name, and where results are kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttm.parsers.calibration import RAW, Calibration, calibration_of

if TYPE_CHECKING:
    from backend.storage.cache import Cache
    from ttm.tabular.data.dataset import Dataset
    from ttm.tabular.data.schema import Schema


@dataclass(frozen=True)
class Materials:
    """What a parser may be made from. `choice` is what stands after the colon of its name: a model, a folder.

    `cache` keeps what took long to compute; None: nothing is kept. `raw`: scores are left as they are, to be calibrated.
    """

    dataset: "Dataset"
    choice: str = ""
    cache: "Cache | None" = None
    seed: int = 0
    raw: bool = False

    @property
    def schema(self) -> "Schema":
        return self.dataset.schema

    def calibration(self, parser: str) -> Calibration:
        return RAW if self.raw else calibration_of(parser)
