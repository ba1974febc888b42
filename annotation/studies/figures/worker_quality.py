"""The figures of every worker that tell careful work from careless, for leads and for filters of exports."""

from dataclasses import replace

from sqlalchemy import select

from annotation.studies.figures.results import EVERYTHING, each_result, signals_of_workers
from annotation.studies.quality.agreement_signal import agreement_with_others
from annotation.studies.quality.worker_signals import WorkerSignals
from annotation.studies.study import Study
from annotation.studies.tables import study_workers


def quality_of_workers(study: Study) -> dict[int, WorkerSignals]:
    """By worker, with their agreement with others; also of those whose answers were taken back."""
    with study.database.reading() as connection:
        signals = signals_of_workers(connection, study)
        query = select(study_workers.c.id, study_workers.c.pseudonym).where(study_workers.c.study == study.id)
        numbers = {row.pseudonym: row.id for row in connection.execute(query)}
    agreed = agreement_with_others(each_result(study, EVERYTHING), study.task.units, study.task.level)
    by_number = {numbers[pseudonym]: share for pseudonym, share in agreed.items()}
    return {worker: replace(each, agreement=by_number.get(worker)) for worker, each in signals.items()}
