"""`python -m inspired predict`: what a trained model makes of the records of a file, one line each."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from backend.errors import InspiredError
from inspired.commands.models.reading import RecordReading, reading_arguments

if TYPE_CHECKING:
    import argparse

    from inspired.lab.training.predicting import PredictionSetting, PreparedRecord
    from inspired.lab.training.trained_folder import TrainedFolder


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = (
        "Let a model that `train` has saved predict logical forms, corrections or sub-questions for the records of a file."
    )
    parser.add_argument("--model", type=Path, required=True, metavar="FOLDER", help="what `train` has saved")
    parser.add_argument("--data", type=Path, required=True, metavar="FILE.jsonl[.gz]", help="records, one a line")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl", help="where the predictions are written")
    parser.add_argument("--context", metavar="NAME", help="what the model is given; by default what it was trained with")
    parser.add_argument(
        "--entities",
        choices=("gold", "linked"),
        default="gold",
        help="those of the gold query, as the paper assumes, or those that are found in the words (default: %(default)s)",
    )
    parser.add_argument(
        "--kb", type=Path, metavar="FILE", help="RDF file in which --entities linked finds names; by default the world facts"
    )
    parser.add_argument("--beams", type=int, default=10, help="width of the search (default: %(default)s)")
    parser.add_argument("--batch-size", type=int, default=16, help="records decoded and written at once (default: %(default)s)")
    parser.add_argument("--limit", type=int, metavar="N", help="predict for the first N records only")
    parser.add_argument("--resume", action="store_true", help="go on with a file that a stopped run has begun")
    reading_arguments(parser)


def run(args: "argparse.Namespace") -> int:
    # Here, not above: torch takes seconds that other commands should not wait for.
    from inspired.lab.training.predicting import predicted, prepared_records
    from inspired.lab.training.prediction_files import PredictionFile
    from inspired.lab.training.records import read_identified
    from inspired.lab.training.trained_folder import read_trained_folder

    _check(args)
    trained, reading = read_trained_folder(args.model), RecordReading(args.strict, args.names)
    setting = _setting(args, trained)
    file = PredictionFile(args.out, _about(args, trained, setting))
    done = file.done(args.resume)
    records = read_identified(args.data, reading.skip, reading.names(), args.limit)
    left = ((line, record) for line, record in records if record.id not in done)
    model, count = trained.load(), 0
    with tqdm(unit=" records", desc="Predicting", disable=None) as bar:
        for batch in _batches(prepared_records(left, setting, reading.skip), args.batch_size):
            file.append(predicted(model, batch, setting))
            count += len(batch)
            bar.update(len(batch))
    reading.refuse_nothing(args.data, count + len(done), "predict for")
    before = f" ({len(done)} were there already)" if done else ""
    print(f"{args.out}: predictions for {count + len(done)} records{before}; {trained.task} by {trained.model}.")
    return 0


def _check(args: "argparse.Namespace") -> None:
    for name in ("beams", "batch_size", "limit"):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise InspiredError(f"--{name.replace('_', '-')} {value} is too small; it must be 1 or more.")
    if args.kb is not None and args.entities != "linked":
        raise InspiredError("--kb is where names are looked for; it needs --entities linked.")


def _setting(args: "argparse.Namespace", trained: "TrainedFolder") -> "PredictionSetting":
    from backend.models.sequence_models.seam import BeamSearch
    from inspired.lab.training.contexts import checked_context
    from inspired.lab.training.predicting import PredictionSetting
    from inspired.parsers.linking.entities import EntityLinker
    from inspired.parsers.sequence import linked

    context = trained.context if args.context is None else checked_context(trained.task, args.context)
    usual = PredictionSetting(trained.task, context, trained.kinds, trained.predicates, search=BeamSearch(args.beams))
    if args.entities == "gold":
        return usual
    if trained.task == "subquestion":
        raise InspiredError("--entities linked: a sub-question is made from a logical form, whose entities are known.")
    from dataclasses import replace

    from inspired.knowledge_base.graph import embedded_graph, read_graph

    graph = read_graph(args.kb) if args.kb else embedded_graph()
    return replace(usual, linked=linked(EntityLinker(graph)), names=graph.names)


def _about(args: "argparse.Namespace", trained: "TrainedFolder", setting: "PredictionSetting") -> dict[str, str]:
    """What stands in every line: by this a table knows what it has before it, and a run that goes on that it is the same."""
    return {
        "task": trained.task,
        "model": trained.model,
        "context": setting.context,
        "entities": args.entities if args.kb is None else f"linked by {args.kb.name}",
        "beams": str(args.beams),
        "training": trained.run,
    }


def _batches(records: Iterator["PreparedRecord"], size: int) -> Iterator[Sequence["PreparedRecord"]]:
    while batch := list(islice(records, size)):
        yield batch
