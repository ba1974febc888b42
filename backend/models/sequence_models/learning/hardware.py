"""What a run of `fitting` computes on: one processor or card, or one card for each of several processes.

The library accelerate finds the card of each process and averages gradients among them. Imports torch and accelerate:
import this file inside functions only.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import torch
from torch import nn

from backend.errors import LanguageModelError
from backend.program.extras import require

Part = TypeVar("Part")


class Hardware:
    """`precision`: "float32", "bfloat16", or "auto", which is bfloat16 on a card that computes in it, else float32.

    bfloat16 is for the forward pass alone; weights, gradients and their updates stay in float32.
    """

    def __init__(self, precision: str = "auto") -> None:
        require("accelerate")
        from accelerate import Accelerator

        # Half precision is ours to switch on, not the accelerator's: its choice would hold for the whole process.
        self.accelerator = Accelerator(mixed_precision="no", cpu=not torch.cuda.is_available())
        self.device: torch.device = self.accelerator.device
        self.processes: int = self.accelerator.num_processes
        self.rank: int = self.accelerator.process_index
        self.is_main: bool = self.accelerator.is_main_process
        if precision not in ("auto", "float32", "bfloat16"):
            raise LanguageModelError(f"There is no precision {precision}; valid are auto, float32 and bfloat16.")
        able = self.device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        self.half = precision == "bfloat16" or (precision == "auto" and able)

    def shared(self, network: nn.Module) -> Any:
        """The network as it is trained: itself in one process, else one whose gradients are averaged over all."""
        return self.accelerator.prepare_model(network) if self.processes > 1 else network

    @contextmanager
    def forward(self) -> Iterator[None]:
        """What a forward pass stands in."""
        if not self.half:
            yield
            return
        onednn: Any = torch.backends.mkldnn
        before = onednn.enabled
        # oneDNN has no LSTM in bfloat16 for processors without instructions for that; torch itself has one.
        if self.device.type == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            onednn.enabled = False
        try:
            with torch.autocast(self.device.type, torch.bfloat16):
                yield
        finally:
            onednn.enabled = before

    def holding_back(self, network: nn.Module, last: bool) -> AbstractContextManager[Any]:
        """What all batches of an update but the last stand in: gradients are exchanged once an update."""
        return nullcontext() if last or self.processes == 1 else self.accelerator.no_sync(network)

    def random_state(self) -> AbstractContextManager[Any]:
        """The random numbers of the program stay as they were, whatever is drawn inside."""
        return torch.random.fork_rng([self.device] if self.device.type == "cuda" else [])

    def summed(self, *values: float) -> tuple[float, ...]:
        """Each value summed over all processes, the same in each."""
        if self.processes == 1:
            return values
        own = torch.tensor(values, dtype=torch.float64, device=self.device)
        return tuple(self.accelerator.reduce(own, reduction="sum").tolist())

    def wait(self) -> None:
        """Until every process has come this far."""
        if self.processes > 1:
            self.accelerator.wait_for_everyone()


def own_share(update: Sequence[Part], processes: int, rank: int) -> list[tuple[Part, bool]]:
    """The batches of one update that process `rank` of `processes` computes, and whether each counts.

    Every process has equally many, as they wait for each other: where they do not come out even, one computes a batch
    for nothing.
    """
    each = -(-len(update) // processes)
    numbers = range(rank * each, (rank + 1) * each)
    return [(update[min(number, len(update) - 1)], number < len(update)) for number in numbers]


def is_main_process() -> bool:
    """Whether this process is the one that writes and reports; true where there is only one."""
    require("accelerate")
    from accelerate import PartialState

    return bool(PartialState(cpu=not torch.cuda.is_available()).is_main_process)


def leave_group() -> None:
    """Let go of the other processes; what comes after, each does for itself."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.barrier()
        torch.distributed.destroy_process_group()
