"""A study's results as a Hugging Face data set: a folder with Parquet, a card and Croissant, and on request a copy on the hub.

The rows are those of the export as JSON lines, with lists and objects as what they are. Beside them stands a second table, of
a row for each answer with all that is known of it, and, where items are labelled, a third with one label for each field of an
item.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotation.studies.figures.answered_fields import answered_fields
from annotation.studies.figures.field_agreement import field_agreements
from annotation.studies.figures.results import STANDING, AnswerFilter, results
from annotation.studies.files.croissant import croissant
from annotation.studies.files.export import answer_rows, parquet, task_rows
from annotation.studies.labels.item_labels import label_rows
from annotation.studies.study import Study
from backend.errors import AnnotationError
from backend.program.version import VERSION
from backend.text.words import decimal, double_quoted

DATA = "data/train.parquet"
ANSWERS = "answers/train.parquet"
LABELS = "labels/train.parquet"
LABEL_COLUMNS = frozenset({"label", "majority", "dawid_skene", "decided"})
LABELS_CONFIGURATION = f"- config_name: labels\n  data_files:\n  - split: train\n    path: {LABELS}\n"
ABOUT_LABELS = (
    "\nThe configuration `labels` has one `label` for each field of an item: what a lead decided, else the majority. A tie\n"
    "(`tie`) that nobody decided has none. Beside it stand the likeliest label after Dawid and Skene (1979) where there are\n"
    "enough answers for their model, the number of answers and the share of equal pairs.\n"
)
CARD = "README.md"
CROISSANT = "croissant.json"


def write_dataset_folder(study: Study, folder: Path, choice: AnswerFilter = STANDING) -> int:
    """Write the folder and return the number of rows.

    Raises AnnotationError if nothing was collected, or the folder cannot be written.
    """
    rows = task_rows(study, choice)
    if not rows:
        raise AnnotationError("Nothing was collected yet that could be written as a data set.")
    files = {DATA: parquet(rows), ANSWERS: parquet(answer_rows(study, choice))}
    if labels := [_as_texts(row) for row in label_rows(study, choice)]:
        files[LABELS] = parquet(labels)
    described = json.dumps(_croissant(study, choice, files), ensure_ascii=False, indent=2) + "\n"
    try:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        (folder / CARD).write_text(card(study, choice, rows, bool(labels)), encoding="utf-8")
        (folder / CROISSANT).write_text(described, encoding="utf-8")
    except OSError as error:
        raise AnnotationError(f"The data set cannot be written to {folder}: {error.strerror or error}.") from error
    return len(rows)


def push(folder: Path, repository: str) -> str:
    """Put the folder on the Hugging Face hub as a private data set `OWNER/NAME`, and return its address.

    Raises AnnotationError if nobody is signed in (`hf auth login`, or HF_TOKEN), or the hub refuses or is out of reach.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError
    from huggingface_hub.errors import HTTPError as ConnectionFailed  # type: ignore[attr-defined]  # that of its HTTP client

    api = HfApi()
    try:
        address = api.create_repo(repository, repo_type="dataset", private=True, exist_ok=True)
        api.upload_folder(folder_path=folder, repo_id=repository, repo_type="dataset")
    except HFValidationError as error:
        raise AnnotationError(f"{repository!r} is no name of a data set on the hub; write OWNER/NAME.") from error
    except (HfHubHTTPError, ConnectionFailed, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise AnnotationError(
            f"The data set is in {folder}, but could not be put on the hub: {reason}. Sign in with `hf auth login` or HF_TOKEN."
        ) from error
    return str(address)


def card(study: Study, choice: AnswerFilter, rows: list[dict[str, object]], labels: bool = False) -> str:
    """The card of the data set: what it is, how it was collected, what each row holds; `labels`: whether items have some."""
    plan, exported = study.plan.file, results(study, choice)
    workers = len({each.worker for each in exported})
    consent = (
        f"Workers agreed to this text:\n\n{_indented(study.plan.consent)}" if study.plan.consent else "No consent was asked."
    )
    pay = f"Paid: {plan.payment.per_task} {plan.payment.currency} a task."
    guidelines = f"Guidelines:\n\n{_indented(study.plan.instructions)}" if study.plan.instructions else ""
    agreed = "; ".join(
        f"`{each.field}`: Krippendorff's alpha ({agreed.level}) {decimal(agreed.alpha)} over {agreed.units} values"
        for each in field_agreements(answered_fields(study))
        for agreed in [each.of_workers]
    )
    columns = "\n".join(f"- `{name}`" for name in dict.fromkeys(name for row in rows for name in row))
    checked = "only answers that a lead accepted" if choice.accepted_only else "every answer that was not rejected"
    named = "by their names" if choice.names else "by pseudonyms"
    return f"""---
pretty_name: {double_quoted(plan.title)}
license: other
configs:
- config_name: default
  data_files:
  - split: train
    path: {DATA}
- config_name: answers
  data_files:
  - split: train
    path: {ANSWERS}
{LABELS_CONFIGURATION if labels else ""}---

# {plan.title}

{len(rows)} rows of the task `{plan.task}`, collected with Parley {VERSION} from {workers} workers, who are distinguished
{named}; it holds {checked}. Written on {datetime.now(UTC):%Y-%m-%d}.

## How it was collected

Each item was to be answered by {plan.overlap} different workers; the rows hold {len({each.key for each in exported})} items.
Agreement: {agreed or "nothing was answered twice"}. Texts are as they were typed; before publishing them, look for
names and other personal details in them, and state a licence above.

## Columns

{columns}

The configuration `answers` has a row for each answer: the item, each field, times, phase and batch, whether it was reviewed,
warnings that its worker insisted against, and what of the worker's figures looks careless.
{ABOUT_LABELS if labels else ""}
## Consent, guidelines, pay

{consent}

{pay}

{guidelines}
"""


def _croissant(study: Study, choice: AnswerFilter, files: dict[str, bytes]) -> dict[str, object]:
    """As Croissant: the same as the card says, for programs."""
    plan, exported = study.plan.file, results(study, choice)
    pay = f"{plan.payment.per_task} {plan.payment.currency} a task"
    collected = {
        "dataCollection": f"Task {plan.task}; each item by {plan.overlap} workers. Paid: {pay}.",
        "dataCollectionType": "Manual Human Curation",
        "annotationsPerItem": str(plan.overlap),
        "dataAnnotationProtocol": study.plan.instructions,
        "machineAnnotationTools": f"Parley {VERSION}",
    }
    about = f"Results of the task {plan.task} by {len({each.worker for each in exported})} workers."
    return croissant(plan.title, about, files, datetime.now(UTC), "1.0.0", collected)


def _as_texts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Labels of several fields share a column, which has one type: a text as it is, anything else as JSON."""
    return {
        name: json.dumps(value, ensure_ascii=False) if name in LABEL_COLUMNS and not isinstance(value, str | None) else value
        for name, value in row.items()
    }


def _indented(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
