"""The state of a run of `fitting` on disk: weights, optimiser and epochs so far, whole or not at all.

Imports torch: import this file inside functions only.
"""

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, load_model, save_file, save_model
from torch import nn

from backend.errors import LanguageModelError
from backend.models.sequence_models.seam import Epoch, TextPair, Training

_LATER = {"accumulate": 1, "precision": "auto"}


def fingerprint(pairs: Sequence[TextPair], validation: Sequence[TextPair], training: Training) -> str:
    """What a run depends on besides its network."""
    # What came later counts only where it is used, so that runs begun before go on.
    settings = {name: value for name, value in asdict(training).items() if value != _LATER.get(name)}
    digest = hashlib.blake2b(json.dumps(settings, sort_keys=True).encode(), digest_size=12)
    for part in (pairs, validation):
        digest.update(f"{len(part)}\0".encode())
        for each in part:
            digest.update(f"{each.source}\0{each.target}\0".encode())
    return digest.hexdigest()


class Checkpoints:
    """`folder` holds `epoch-0003/` of the last whole epoch and `best-0002.safetensors`, the weights to end with."""

    def __init__(self, folder: Path, run: str) -> None:
        self.folder, self.run = folder, run

    def restore(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> list[Epoch]:
        """Bring both to where the run stopped; the epochs so far, none for a new run.

        Raises LanguageModelError if the checkpoint belongs to another run or cannot be read.
        """
        folders = sorted(self.folder.glob("epoch-????"))
        if not folders:
            return []
        try:
            state = json.loads((folders[-1] / "state.json").read_text(encoding="utf-8"))
            if state["run"] != self.run:
                raise LanguageModelError(
                    f"{self.folder} holds a run with other data or settings; repeat those, or train into a new folder."
                )
            epochs = [Epoch(**each) for each in state["epochs"]]
            load_model(network, folders[-1] / "weights.safetensors", device=str(next(network.parameters()).device))
            _restore_optimizer(optimizer, folders[-1] / "optimizer.safetensors")
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
            raise LanguageModelError(f"The checkpoint {folders[-1]} cannot be used: {error}") from error
        return epochs

    def keep(self, network: nn.Module, optimizer: torch.optim.Optimizer, epochs: Sequence[Epoch]) -> None:
        """Written beside the last one and then moved into place, so that a kill leaves a whole checkpoint."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = epochs[-1].number
        made = self.folder / f"epoch-{number:04}.new"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        save_model(network, str(made / "weights.safetensors"))
        save_file(_optimizer_tensors(optimizer), made / "optimizer.safetensors")
        state = {"run": self.run, "epochs": [asdict(each) for each in epochs]}
        (made / "state.json").write_text(json.dumps(state), encoding="utf-8")
        if epochs[-1].best:
            kept = self._best(number)
            shutil.copyfile(made / "weights.safetensors", kept.with_suffix(".new"))
            kept.with_suffix(".new").replace(kept)
        made.rename(self.folder / f"epoch-{number:04}")
        self._clear(number, max(each.number for each in epochs if each.best))

    def restore_best(self, network: nn.Module, epochs: Sequence[Epoch]) -> None:
        best = max(each.number for each in epochs if each.best)
        load_model(network, self._best(best), device=str(next(network.parameters()).device))

    def _best(self, number: int) -> Path:
        return self.folder / f"best-{number:04}.safetensors"

    def _clear(self, last: int, best: int) -> None:
        for each in self.folder.glob("epoch-*"):
            if each.name != f"epoch-{last:04}":
                shutil.rmtree(each, ignore_errors=True)
        for each in self.folder.glob("best-*"):
            if each != self._best(best):
                each.unlink(missing_ok=True)


def _optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    state = optimizer.state_dict()["state"]
    return {f"{number}.{name}": value for number, each in state.items() for name, value in each.items()}


def _restore_optimizer(optimizer: torch.optim.Optimizer, path: Path) -> None:
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in load_file(path).items():
        number, _, field = name.partition(".")
        state.setdefault(int(number), {})[field] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
