"""A study's results as a Hugging Face data set: a folder with Parquet and a card, and on request a copy on the hub.

The rows are those of the export as JSON lines; lists and objects stand in them as JSON text.
"""

from datetime import UTC, datetime
from pathlib import Path

from annotation.studies.figures.results import STANDING, AnswerFilter, results
from annotation.studies.files.export import flat_rows, parquet
from annotation.studies.study import Study
from backend.errors import AnnotationError
from backend.program.version import VERSION

DATA = "data/train.parquet"
CARD = "README.md"


def write_dataset_folder(study: Study, folder: Path, choice: AnswerFilter = STANDING) -> int:
    """Write the folder and return the number of rows.

    Raises AnnotationError if nothing was collected, or the folder cannot be written.
    """
    rows = flat_rows(study, choice)
    if not rows:
        raise AnnotationError("Nothing was collected yet that could be written as a data set.")
    try:
        (folder / DATA).parent.mkdir(parents=True, exist_ok=True)
        (folder / DATA).write_bytes(parquet(rows))
        (folder / CARD).write_text(card(study, choice, rows), encoding="utf-8")
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


def card(study: Study, choice: AnswerFilter, rows: list[dict[str, object]]) -> str:
    """The card of the data set: what it is, how it was collected, what each row holds."""
    plan, exported = study.plan.file, results(study, choice)
    workers = len({each.worker for each in exported})
    columns = "\n".join(f"- `{name}`" for name in dict.fromkeys(name for row in rows for name in row))
    checked = "only answers that a lead accepted" if choice.accepted_only else "every answer that was not rejected"
    named = "by their names" if choice.names else "by pseudonyms"
    return f"""---
pretty_name: {_quoted(plan.title)}
license: other
configs:
- config_name: default
  data_files:
  - split: train
    path: {DATA}
---

# {plan.title}

{len(rows)} rows of the task `{plan.task}`, collected with Parley {VERSION} from {workers} workers, who are distinguished
{named}; it holds {checked}. Written on {datetime.now(UTC):%Y-%m-%d}.

## How it was collected

Each item was given to {plan.overlap} different workers. Texts are as they were typed; before publishing them, look for
names and other personal details in them, and state a licence above.

## Columns

{columns}

Lists and objects are JSON text.
"""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{" ".join(escaped.split())}"'
