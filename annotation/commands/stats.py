"""`python -m annotation stats`: how far the review of parses is, or a study."""

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from annotation.commands.places import add_place, add_study, database_of, study_of

if TYPE_CHECKING:
    from annotation.studies.figures.agreement import WorkerAgreement
    from annotation.studies.figures.progress import StudyProgress

HELP = "count what waits and what is decided"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    add_study(parser, required=False, about="tell of this study, and not of the parses")
    add_place(parser)


def run(given: argparse.Namespace) -> None:
    if given.study is not None:
        _study_stats(given)
    else:
        _parse_stats(given)


def _parse_stats(given: argparse.Namespace) -> None:
    from annotation.parses.stats import stats, stats_text

    found = stats(database_of(given))
    print(json.dumps(found.as_json(), ensure_ascii=False) if given.json else stats_text(found))


def _study_stats(given: argparse.Namespace) -> None:
    from annotation.studies.figures.agreement import agreement
    from annotation.studies.figures.diversity import diversity
    from annotation.studies.figures.progress import figures

    study = study_of(given)
    with study.database.reading() as connection:
        found = figures(study, connection)
    agreed = agreement(study)
    if given.json:
        varied = dataclasses.asdict(diversity(study))
        print(json.dumps(_as_json(found, agreed) | {"language": varied}, ensure_ascii=False))
    else:
        print("\n".join(_lines(found, agreed)))


def _as_json(found: "StudyProgress", agreed: "WorkerAgreement") -> dict[str, Any]:
    plain: dict[str, Any] = dataclasses.asdict(found)
    for worker in plain["workers"]:
        worker["last_seen"] = worker["last_seen"] and worker["last_seen"].isoformat()
    kappas = {" ".join(pair): kappa for pair, kappa in agreed.kappas.items()}
    told = {"level": agreed.level, "units": agreed.units, "alpha": agreed.alpha, "kappas": kappas}
    return plain | {"agreement": told}


def _lines(found: "StudyProgress", agreed: "WorkerAgreement") -> list[str]:
    verdicts = ", ".join(f"{count} {name}" for name, count in found.verdicts.items())
    alpha = "not defined" if agreed.alpha is None else f"{agreed.alpha:.3f}"
    lines = [
        f"{found.complete} of {found.items} items complete, {found.begun} begun; {found.answers} answers, {verdicts}.",
        f"{found.to_review} answers wait for a lead, {found.lent} items are being worked on.",
        f"Krippendorff's alpha ({agreed.level}, {agreed.units} values given twice or more): {alpha}.",
    ]
    for each in found.workers:
        seconds = "-" if each.median_seconds is None else f"{each.median_seconds:.0f} s"
        told = f"{each.tasks} of {each.of} tasks, {seconds} a task, {each.to_review} to review"
        lines.append(f"{each.name}: {each.phase}, {told}.")
    return lines + [f"Flagged {item.times} times: {item.key}" for item in found.flagged]
