"""Progress of a training run on stderr: one bar for each epoch and one for the evaluation; none where it is no terminal."""

from tqdm import tqdm

from backend.models.sequence_models.seam import Epoch


class Bars:
    """`epoch` is a `Progress`; `evaluated` receives how many of the `validation` examples are done."""

    def __init__(self, epochs: int, validation: int = 0) -> None:
        self.epochs, self.validation = epochs, validation
        self.bar: tqdm | None = None
        self.label = ""

    def __enter__(self) -> "Bars":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def epoch(self, number: int, share: float, result: Epoch | None) -> None:
        self._open(f"Epoch {number}/{self.epochs}", 100)
        assert self.bar is not None
        self.bar.update(round(100 * share) - self.bar.n)
        if result is not None:
            lost = "" if result.validation_loss is None else f", validation {result.validation_loss:.3f}"
            self.bar.set_postfix_str(f"loss {result.training_loss:.3f}{lost}{', best' if result.best else ''}")

    def evaluated(self, count: int) -> None:
        self._open("Evaluating", self.validation)
        assert self.bar is not None
        self.bar.update(count)

    def _open(self, label: str, total: int) -> None:
        if label != self.label:
            self._close()
            self.bar, self.label = tqdm(total=total, desc=label, disable=None), label

    def _close(self) -> None:
        if self.bar is not None:
            self.bar.close()
