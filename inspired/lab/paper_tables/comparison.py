"""A table of the paper with a row for each file of predictions, and the paper's figures beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.errors import InspiredError, LogicalFormError
from inspired.lab.json_lines import LeftOut, Skip
from inspired.lab.paper_tables.published import INITIAL, Published, PublishedRow, PublishedTable, model_of_the_paper
from inspired.lab.paper_tables.scoring_predictions import Figure, Gold, PredictionScores, Scoring, gold_of
from inspired.lab.training.prediction_files import PredictedRecord, read_predicted
from inspired.lab.training.records import read_identified


@dataclass(frozen=True)
class ScoredFile:
    """`name` is the row that the user wants it in, else "". `extra` counts lines for records that the data lack."""

    path: Path
    name: str
    about: PredictedRecord
    scores: PredictionScores
    extra: int = 0


@dataclass(frozen=True)
class ComparedRow:
    """`published` and `figures` are in the order of the columns; `by` says which model, context and entities it was."""

    name: str
    by: str
    figures: tuple[Figure | None, ...]
    published: Published
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ComparedTable:
    """`records` is how many gold records the figures are over."""

    number: int
    title: str
    columns: tuple[str, ...]
    rows: tuple[ComparedRow, ...]
    remarks: tuple[str, ...]
    records: int


def read_gold(table: PublishedTable, path: Path, skip: Skip | None, limit: int | None = None) -> dict[str, Gold]:
    """What predictions are compared with, by the id of the record. What cannot be used is handed to `skip`.

    Raises InspiredError naming it without `skip`, and where nothing is left.
    """
    gold: dict[str, Gold] = {}
    for left, record in read_identified(path, skip, limit=limit):
        try:
            gold[record.id] = gold_of(table.task, record)
        except LogicalFormError as error:
            reason = LeftOut(left.path, left.line, error.message, left.record)
            if skip is None:
                raise InspiredError(str(reason)) from error
            skip(reason)
    if not gold:
        raise InspiredError(f"{path} leaves no record to compare predictions with.")
    return gold


def scored_file(table: PublishedTable, name: str, path: Path, gold: Mapping[str, Gold], scoring: Scoring) -> ScoredFile:
    """Raises InspiredError for predictions of another task, and for a file that lacks some of the records."""
    lines = read_predicted(path)
    about = next(iter(lines.values()))
    if about.task and about.task != table.task:
        raise InspiredError(f"{path} holds predictions for {about.task}; Table {table.number} is of {table.task}.")
    missing = [id_ for id_ in gold if id_ not in lines]
    if missing:
        raise InspiredError(
            f"{path} lacks {len(missing)} of {len(gold)} records, the first {missing[0]!r}; let `predict --resume` finish it."
        )
    return ScoredFile(path, name, about, scoring.scores(path, gold, lines), len(lines) - len(gold))


def compared(table: PublishedTable, gold: Mapping[str, Gold], files: Sequence[ScoredFile], scoring: Scoring) -> ComparedTable:
    """The rows of the paper, each with the file that is of it, and then the other files.

    Raises InspiredError where two files are of the same row.
    """
    of_row: dict[str, ScoredFile] = {}
    for file in files:
        row = _row_of(table, file)
        name = file.name or (row.name if row else _described(file.about) or file.path.name)
        if name in of_row:
            raise InspiredError(f"{of_row[name].path} and {file.path} are both of the row {name}; name one with NAME=FILE.")
        of_row[name] = file
    turns = {name for file in files for name in file.scores.figures if name.startswith("Turn-") and name[5:].isdigit()}
    further = sorted(turns - set(table.columns), key=lambda name: int(name[5:])) if table.number == 10 else []
    columns = (*table.columns, *further)
    rows = [_paper_row(row, of_row.pop(row.name, None), columns, gold, scoring) for row in table.rows]
    rows += [_row(name, file, columns, ()) for name, file in of_row.items()]
    return ComparedTable(table.number, table.title, columns, tuple(rows), table.remarks, len(gold))


def _row_of(table: PublishedTable, file: ScoredFile) -> PublishedRow | None:
    """The row whose model and context the file has; one that a table leaves open fits any."""
    model, context = model_of_the_paper(file.about.model), file.about.context
    named = [row for row in table.rows if row.name == file.name]
    fitting = [row for row in table.rows if row.model in ("", model) and row.context in ("", context) and file.about.model]
    return next(iter(named or ([] if file.name else fitting)), None)


def _paper_row(
    row: PublishedRow, file: ScoredFile | None, columns: Sequence[str], gold: Mapping[str, Gold], scoring: Scoring
) -> ComparedRow:
    if file is not None:
        return _row(row.name, file, columns, row.figures)
    figures = scoring.initial(gold).figures if row.model == INITIAL else {}
    by = "initial parser" if figures else ""
    return ComparedRow(row.name, by, tuple(figures.get(each) for each in columns), _filled(row.figures, columns))


def _row(name: str, file: ScoredFile, columns: Sequence[str], published: Published) -> ComparedRow:
    remarks = file.scores.remarks
    remarks += (f"{file.extra} predictions are for records that the data lack, and do not count",) if file.extra else ()
    figures = tuple(file.scores.figures.get(each) for each in columns)
    return ComparedRow(name, _described(file.about) or file.path.name, figures, _filled(published, columns), remarks)


def _filled(published: Published, columns: Sequence[str]) -> Published:
    return (*published, *[None] * (len(columns) - len(published)))


def _described(about: PredictedRecord) -> str:
    """The model and what it was given; "" for a file of others, which does not say."""
    parts = [about.model, about.context and f"context {about.context}", about.entities and f"{about.entities} entities"]
    return ", ".join(part for part in parts if part) if about.model else ""
