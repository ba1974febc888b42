"""One run of training: read, split, fit, save, evaluate. What `python -m inspired train` does, without the talking."""

import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from backend.errors import InspiredError
from backend.models.sequence_models.opening import LIBRARIES, OWN_KINDS, to_train
from backend.models.sequence_models.seam import BeamSearch, Epoch, Progress, Training
from backend.program.extras import require
from inspired.lab.training.contexts import USUAL, trained_for
from inspired.lab.training.evaluation import Report, Scores, evaluate
from inspired.lab.training.examples import TrainingExample
from inspired.lab.training.trained_folder import first_model
from inspired.parsers.trained_task import ABOUT

CHECKPOINTS = "checkpoint"
# Decoding is slow beside training; more examples would not tell much more.
MOST_EVALUATED = 1000
# What is usual for networks that start from nothing, and for those that others have trained.
OWN_RATE, HUB_RATE = 5e-4, 3e-5


@dataclass(frozen=True)
class TrainingOutcome:
    """`scores` are on `evaluated` examples that were not learnt from; None if there were none."""

    epochs: tuple[Epoch, ...]
    learnt: int
    validation: int
    scores: Scores | None


def usual_rate(model: str) -> float:
    return OWN_RATE if model in OWN_KINDS else HUB_RATE


def split(examples: Sequence[TrainingExample], share: float, seed: int) -> tuple[list[TrainingExample], list[TrainingExample]]:
    """The examples to learn from, and `share` of them to validate on; those of one record stay together."""
    records = sorted({each.record for each in examples})
    random.Random(seed).shuffle(records)
    held = set(records[: round(share * len(records))])
    return [each for each in examples if each.record not in held], [each for each in examples if each.record in held]


def train(
    task: str,
    model_name: str,
    examples: Sequence[TrainingExample],
    validation: Sequence[TrainingExample],
    out: Path,
    training: Training,
    search: BeamSearch,
    resume: bool,
    progress: Progress | None = None,
    report: Report = lambda count: None,
    context: str | None = None,
) -> TrainingOutcome:
    """Fit a model and save it to the folder `out`; `resume` goes on with a run that was stopped there.

    Of several processes that call this together, the main one alone measures and writes.
    `context` is the one that the examples were made with (None: the usual one).
    Raises InspiredError if the folder holds something already and must not be gone on with, or the other way round.
    """
    require(*LIBRARIES, "accelerate")
    # Here, not above: torch takes seconds that --help should not wait for. First of all, as it settles each process's card.
    from backend.models.sequence_models.learning.hardware import is_main_process, leave_group

    main = is_main_process()
    _check(out, resume)
    pairs = [each.pair for each in examples]
    model = to_train(model_name, pairs, training.seed)
    epochs = model.fit(pairs, [each.pair for each in validation], training, out / CHECKPOINTS, progress)
    leave_group()
    if not main:
        return TrainingOutcome(epochs, len(examples), len(validation), None)
    scores = evaluate(task, model, validation[:MOST_EVALUATED], search, report) if validation else None
    model.save(out)
    _write_about(task, USUAL[task] if context is None else context, model_name, examples, epochs, scores, out / ABOUT)
    shutil.rmtree(out / CHECKPOINTS)
    return TrainingOutcome(epochs, len(examples), len(validation), scores)


def _check(out: Path, resume: bool) -> None:
    if out.exists() and not out.is_dir():
        raise InspiredError(f"--out {out} is a file; a folder is needed.")
    if (out / ABOUT).exists():
        raise InspiredError(f"{out} holds a trained model already; choose another folder, or give it as --model to go on.")
    stopped = (out / CHECKPOINTS).is_dir()
    if stopped and not resume:
        raise InspiredError(f"{out} holds a run that was stopped; give --resume to go on with it, or another folder.")
    if out.is_dir() and any(out.iterdir()) and not stopped:
        raise InspiredError(f"{out} is not empty and holds no run to go on with; choose another folder.")


def _write_about(
    task: str,
    context: str,
    model_name: str,
    examples: Sequence[TrainingExample],
    epochs: Sequence[Epoch],
    scores: Scores | None,
    path: Path,
) -> None:
    kinds = sorted({kind for each in examples for kind in each.kinds})
    about = {
        "task": trained_for(task, context),
        "context": context,
        "model": first_model(model_name),
        "kinds": kinds,
        "predicates": sorted({predicate for each in examples for predicate in each.predicates}),
        "epochs": [asdict(each) for each in epochs],
        "scores": scores and asdict(scores),
    }
    path.write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")
