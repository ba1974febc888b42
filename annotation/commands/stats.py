"""`python -m annotation stats`: how far the review of parses is, or a study."""

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from annotation.commands.places import add_place, add_study, database_of, study_of
from backend.text.words import decimal

if TYPE_CHECKING:
    from annotation.studies.figures.field_agreement import FieldAgreement
    from annotation.studies.figures.progress import StudyProgress


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    add_study(parser, required=False, about="tell of this study, and not of the parses")
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    if args.study is not None:
        _study_stats(args)
    else:
        _parse_stats(args)


def _parse_stats(args: argparse.Namespace) -> None:
    from annotation.parses.stats import stats, stats_text

    parse_stats = stats(database_of(args))
    print(json.dumps(parse_stats.as_json(), ensure_ascii=False) if args.json else stats_text(parse_stats))


def _study_stats(args: argparse.Namespace) -> None:
    from annotation.studies.figures.answered_fields import answered_fields
    from annotation.studies.figures.diversity import diversity
    from annotation.studies.figures.field_agreement import field_agreements
    from annotation.studies.figures.progress import figures

    study = study_of(args)
    with study.database.reading() as connection:
        progress_now = figures(study, connection)
    agreed = field_agreements(answered_fields(study))
    if args.json:
        varied = dataclasses.asdict(diversity(study))
        print(json.dumps(_as_json(progress_now, agreed) | {"language": varied}, ensure_ascii=False))
    else:
        print("\n".join(_lines(progress_now, agreed)))


def _as_json(progress: "StudyProgress", agreed: "list[FieldAgreement]") -> dict[str, Any]:
    plain: dict[str, Any] = dataclasses.asdict(progress)
    for worker in plain["workers"]:
        worker["last_seen"] = worker["last_seen"] and worker["last_seen"].isoformat()
    return plain | {"agreement": {field.field: _field_json(field) for field in agreed}}


def _field_json(field: "FieldAgreement") -> dict[str, Any]:
    agreed = field.of_workers
    kappas = {" ".join(pair): kappa for pair, kappa in agreed.kappas.items()}
    figures = {"alpha": agreed.alpha, "mean_kappa": agreed.mean_kappa, "fleiss": field.fleiss}
    return {"level": agreed.level, "units": agreed.units, **figures, "kappas": kappas}


def _lines(progress: "StudyProgress", agreed: "list[FieldAgreement]") -> list[str]:
    verdicts = ", ".join(f"{count} {name}" for name, count in progress.verdicts.items())
    lines = [
        f"{progress.complete} of {progress.items} items complete, {progress.begun} begun; "
        f"{progress.answers} answers, {verdicts}.",
        f"{progress.to_review} answers wait for a lead, {progress.lent} items are being worked on.",
    ]
    lines += [_agreement_line(field) for field in agreed]
    for each in progress.workers:
        seconds = "-" if each.median_seconds is None else f"{each.median_seconds:.0f} s"
        line = f"{each.tasks} of {each.of} tasks, {seconds} a task, {each.to_review} to review"
        lines.append(f"{each.name}: {each.phase}, {line}.")
    return lines + [f"Flagged {item.times} times: {item.key}" for item in progress.flagged]


def _agreement_line(field: "FieldAgreement") -> str:
    agreed = field.of_workers
    alpha, kappa = (decimal(value, none="not defined") for value in (agreed.alpha, agreed.mean_kappa))
    values = f"{agreed.level}, {agreed.units} values by two workers or more"
    return f"{field.field} ({values}): Krippendorff's alpha {alpha}, mean Cohen's kappa {kappa}."
