"""What the tab shows before anything is asked: an example that the packaged model was asked about before.

The record is a line of the results of `python -m faithfulness run --no-redaction`, on that example alone, as it came.
"""

import json
from pathlib import Path

from faithfulness.method.explain import Plan, SampleReport
from faithfulness.method.prompting import Continuation
from faithfulness.method.sample import Sample, read_examples
from faithfulness.reports.browse import with_prompts
from faithfulness.runs.records import read_report

RECORD = Path(__file__).with_suffix(".json")
NOTE = (
    "Recorded: what {} answered when it was asked this before, in {} calls. "
    "“Take the answer apart” asks the model that is here."
)


def worked_report() -> SampleReport:
    """The record with all its calls, and what was sent in each."""
    _, report = read_report(json.loads(RECORD.read_text("utf-8")), Plan())
    return with_prompts(report, Continuation)


def worked_sample() -> Sample:
    """The example of the tab that the record is about."""
    question = worked_report().sample.question
    return next(sample for sample in read_examples() if sample.question == question)


def worked_note(report: SampleReport) -> str:
    return NOTE.format(report.model, len(report.calls))
