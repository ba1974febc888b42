"""One sample in colours: answer and score, the marked passage, every call, and what was sent in the call that is clicked."""

from dataclasses import dataclass
from typing import Any

import gradio as gr

from faithfulness.method.explain import SampleReport
from faithfulness.ui.render_sample import call_rows, call_text, passage_html, summary_html

COLUMNS = ["", "Asked", "About", "Answer", "Verdict", "Seconds"]


@dataclass(frozen=True)
class Visualiser:
    summary: gr.HTML
    marked: gr.HTML
    calls: gr.Dataframe
    sent: gr.Code
    report: gr.State

    @property
    def outputs(self) -> list[Any]:
        """What `shown` fills."""
        return [self.summary, self.marked, self.calls, self.sent, self.report]


def place(empty: str = "", first: SampleReport | None = None, note: str = "") -> Visualiser:
    """`first` is shown until another sample is, beside a note; without it, what is `empty`."""
    about, passage, rows, _, _ = shown(first, note)
    summary, marked = gr.HTML(about if first else empty), gr.HTML(passage)
    with gr.Accordion("Every call", open=False):
        calls = gr.Dataframe(
            rows or None,
            headers=COLUMNS,
            column_widths=["44px", "150px", "290px", "160px", "110px", "80px"],
            interactive=False,
            wrap=True,
            buttons=[],
            label="Click a row to see what was sent",
        )
        sent = gr.Code(label="What was sent and what came back", language=None, interactive=False, wrap_lines=True)
    report = gr.State(first)
    calls.select(show_call, report, sent, api_visibility="private")
    return Visualiser(summary, marked, calls, sent, report)


def shown(report: SampleReport | None, note: str = "") -> tuple[str, str, list[list[str]], str, SampleReport | None]:
    """Values for `Visualiser.outputs`; `note` says why a sample ended early."""
    if report is None:
        return summary_html(None, note), "", [], "", None
    return summary_html(report, note), passage_html(report), call_rows(report), "", report


def shown_nothing() -> tuple[str, str, list[list[str]], str, SampleReport | None]:
    """No sample: the one that was shown is not that of the form any more."""
    return shown(None)


def show_call(report: SampleReport | None, event: gr.SelectData) -> str:
    """What was sent and what came back in the row that was clicked, also if the table was sorted."""
    number = str(event.row_value[0]) if event.row_value else ""
    if report is None or not number.isdigit() or not 0 < int(number) <= len(report.calls):
        return ""
    return call_text(report.calls[int(number) - 1])
