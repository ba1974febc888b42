"""`python -m inspired clean`: which sub-questions a person should check first, because they may say something else.

With `--repair`, what people found wrong is put back into the dialogues.
"""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from backend.errors import InspiredError
from inspired.lab.output_files import replacing

if TYPE_CHECKING:
    import argparse

    from inspired.lab.cleaning.ranking import Recovery


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = (
        "Read each sub-question back as a template, with a model fitted to other dialogues, and list those that come out "
        "most unlike their own template."
    )
    parser.add_argument("source", type=Path, metavar="FILE.jsonl", help="dialogues in INSPIRED format")
    parser.add_argument(
        "--out",
        dest="target",
        type=Path,
        required=True,
        metavar="REVIEW.jsonl",
        help="the list to review; with --repair the dialogues",
    )
    parser.add_argument(
        "--model",
        default="nearest",
        help="nearest (needs no training; the default), transformer, lstm, or a Hugging Face model by name or folder",
    )
    parser.add_argument("--folds", type=int, default=10, help="parts for cross-validation (default: 10)")
    parser.add_argument("--epochs", type=int, default=20, help="of training, where the model is trained (default: 20)")
    parser.add_argument("--top", type=int, metavar="K", help="how many to list (default: 4.4 %% of all, as in the paper)")
    parser.add_argument(
        "--labels",
        type=Path,
        metavar="LABELS.jsonl",
        help="id, sub_id, side and error (true or false): also tell how many errors come out on top",
    )
    parser.add_argument(
        "--repair",
        type=Path,
        metavar="CHECKED.jsonl",
        help="in place of a list: write the dialogues with the wordings that a study of accuracy_check corrected",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the parts and of training (default: 0)")


def run(args: "argparse.Namespace") -> int:
    # Here, not above: these bring libraries that other commands should not wait for.
    from backend.models.sequence_models.seam import Training
    from inspired.lab.cleaning.cycle import NEAREST, CrossValidation, read_questions
    from inspired.lab.cleaning.pairs import question_pairs
    from inspired.lab.cleaning.ranking import draw, recovery, score
    from inspired.lab.cleaning.review import read_labels, review_lines, usual_top
    from inspired.lab.metrics.dialogues import read_split

    _check(args)
    if args.repair is not None:
        return _repair(args)
    pairs = question_pairs(read_split(args.source))
    labels = read_labels(args.labels, pairs) if args.labels else {}
    folder = None if args.model == NEAREST else args.target.with_name(f"{args.target.name}.folds")
    training = dataclasses.replace(Training(), epochs=args.epochs, seed=args.seed)
    with tqdm(total=args.folds, unit=" folds", disable=None) as bar:
        how = CrossValidation(args.model, args.folds, training, folder)
        readings = read_questions(pairs, how, done=lambda _: bar.update())
    scored = score(pairs, readings)
    drawn = draw(scored, args.top or usual_top(len(pairs)))
    with replacing(args.target) as target:
        target.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in review_lines(drawn))
    print(f"{len(drawn)} of {len(pairs):,} sub-questions to review are listed in {args.target}")
    if folder:
        print(f"What the model read is kept in {folder}; delete it when the list is done.")
    if labels:
        print(_recovery_text(recovery(scored, labels.get)))
    return 0


def _repair(args: "argparse.Namespace") -> int:
    from inspired.lab.cleaning.repair import repair

    done = repair(args.source, args.repair)
    with replacing(args.target) as target:
        target.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in done.records)
    print(
        f"Of {done.checked} checked sub-questions {done.corrected} were corrected, in {done.places} places; see {args.target}"
    )
    return 0


def _check(args: "argparse.Namespace") -> None:
    if args.target.resolve() in {path.resolve() for path in (args.source, args.labels, args.repair) if path}:
        raise InspiredError("--out names a file that is read; what is written needs a file of its own.")
    for name in ("top", "epochs"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            raise InspiredError(f"--{name} {getattr(args, name)} is too few; it must be 1 or more.")


def _recovery_text(recovery: "Recovery") -> str:
    errors = recovery.errors
    lines = [f"Of {recovery.labelled:,} labelled sub-questions {errors} are errors. Among the first {errors}:"]
    rows = [(name, count, count / errors) for name, count in recovery.hits.items()]
    lines += [f"  {name:<14}{count:>5} errors {share:7.1%}" for name, count, share in rows]
    return "\n".join([*lines, f"  {'by chance':<14}{errors * recovery.chance:>5.1f} errors {recovery.chance:7.1%}"])
