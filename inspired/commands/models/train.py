"""`python -m inspired train`: fit a sequence-to-sequence model to one of the tasks of section 5."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from backend.errors import InspiredError
from backend.models.sequence_models.seam import BeamSearch, Training
from backend.models.training_bars import Bars
from inspired.commands.models.reading import RecordReading, reading_arguments

if TYPE_CHECKING:
    import argparse

    from inspired.lab.training.examples import TrainingExample

TASKS = {
    "parser": "question to logical form; records of INSPIRED, ComplexWebQuestions or `generate`",
    "correction": "feedback and history to the new sub-logical form; INSPIRED records",
    "subquestion": "sub-logical form and context to a natural question; INSPIRED records",
}
_USUAL = Training()


def arguments(parser: "argparse.ArgumentParser") -> None:
    from inspired.lab.training.contexts import CONTEXTS, USUAL

    parser.description = "Train a sequence-to-sequence model. " + " ".join(f"{task}: {about}." for task, about in TASKS.items())
    parser.add_argument("task", choices=TASKS, help="what to learn")
    parser.add_argument("--data", type=Path, required=True, metavar="FILE.jsonl[.gz]", help="records, one a line")
    parser.add_argument(
        "--model", required=True, help="lstm, transformer, a name on the Hugging Face hub (facebook/bart-base), or a folder"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the trained model is saved")
    parser.add_argument(
        "--validation", default="0.1", metavar="FILE|SHARE", help="records to validate on, or a share of --data (default: 0.1)"
    )
    parser.add_argument("--epochs", type=int, default=_USUAL.epochs, help="at most so many (default: %(default)s)")
    parser.add_argument("--batch-size", type=int, default=_USUAL.batch_size, help="default: %(default)s")
    parser.add_argument(
        "--accumulate", type=int, default=1, metavar="N", help="batches to one update of the weights (default: %(default)s)"
    )
    parser.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16"),
        default="auto",
        help="of the forward pass; auto is bfloat16 on a graphics card that has it, else float32 (default: %(default)s)",
    )
    parser.add_argument(
        "--processes", type=int, default=1, metavar="N", help="one for each graphics card to use (default: %(default)s)"
    )
    parser.add_argument("--learning-rate", type=float, help="highest rate (default: 5e-4 for lstm and transformer, else 3e-5)")
    parser.add_argument(
        "--patience",
        type=int,
        default=_USUAL.patience,
        help="stop after so many epochs without gain (default: %(default)s; 0: never)",
    )
    parser.add_argument("--beams", type=int, default=10, help="width of the search that validates (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--limit", type=int, metavar="N", help="learn from the first N records only")
    parser.add_argument(
        "--context",
        metavar="NAME",
        help="what the model is given (Tables 10, 12, 13); "
        + "; ".join(f"{task}: {', '.join(names)} (default: {USUAL[task]})" for task, names in CONTEXTS.items() if names),
    )
    reading_arguments(parser)
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped, from its last whole epoch")


def run(args: "argparse.Namespace") -> int:
    _check(args)
    if args.processes > 1:
        from inspired.commands.models.side_by_side import learn_together

        learn_together(learn, args, args.processes)
    else:
        learn(args)
    return 0


def learn(args: "argparse.Namespace") -> None:
    """What one process of a training does; with several, each does the same and sees another share of the batches."""
    # Here, not above: torch takes seconds that other commands should not wait for.
    from inspired.lab.training.contexts import checked_context
    from inspired.lab.training.run import MOST_EVALUATED, train, usual_rate

    rate = args.learning_rate or usual_rate(args.model)
    training = Training(
        args.epochs, args.batch_size, rate, seed=args.seed, patience=args.patience or None,
        accumulate=args.accumulate, precision=args.precision,
    )  # fmt: skip
    context = checked_context(args.task, args.context)
    examples, validation = _examples(args, context)
    with Bars(args.epochs, min(len(validation), MOST_EVALUATED)) as bars:
        outcome = train(
            args.task, args.model, examples, validation, args.out, training,
            BeamSearch(args.beams), args.resume, bars.epoch, bars.evaluated, context,
        )  # fmt: skip
    best = [each for each in outcome.epochs if each.best][-1]
    print(f"{args.out}: learnt from {outcome.learnt} examples in {len(outcome.epochs)} epochs; epoch {best.number} was kept.")
    if outcome.scores is None:
        print("No validation examples, so nothing was measured.")
    else:
        print(f"Validation: {outcome.scores}; loss {best.validation_loss:.3f} nats a token.")


def _check(args: "argparse.Namespace") -> None:
    for name in ("epochs", "batch_size", "beams", "limit", "accumulate", "processes"):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise InspiredError(f"--{name.replace('_', '-')} {value} is too small; it must be 1 or more.")
    if args.patience < 0:
        raise InspiredError(f"--patience {args.patience} is too small; 0 switches it off.")
    if args.learning_rate is not None and not 0 < args.learning_rate < 1:
        raise InspiredError(f"--learning-rate {args.learning_rate} must lie between 0 and 1.")


def _examples(args: "argparse.Namespace", context: str) -> "tuple[list[TrainingExample], Sequence[TrainingExample]]":
    from inspired.lab.training.examples import read_examples
    from inspired.lab.training.run import split

    share, reading = _share(args.validation), RecordReading(args.strict, args.names)
    names = reading.names()

    def read(path: Path, limit: int | None = None) -> "list[TrainingExample]":
        made = read_examples(args.task, path, limit, context, reading.skip, names)
        return list(tqdm(made, unit=" examples", desc="Reading", disable=None))

    examples = read(args.data, args.limit)
    if share is None:
        validation: Sequence[TrainingExample] = read(Path(args.validation))
    else:
        examples, validation = split(examples, share, args.seed)
    reading.refuse_nothing(args.data, len(examples), "learn from")
    return examples, validation


def _share(text: str) -> float | None:
    """The share that `--validation` names; None if it names a file."""
    try:
        share = float(text)
    except ValueError:
        return None
    if not 0 <= share < 1:
        raise InspiredError(f"--validation {text} is no share; give a number from 0 to below 1, or a file.")
    return share
