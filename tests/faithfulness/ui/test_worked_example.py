"""What the tab shows first is what the method makes of the replies that are kept, of an example that stands in the form."""

import gradio as gr

from backend.models.language_models import ScriptedModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, Request, SampleReport, explain
from faithfulness.method.prompting import Continuation
from faithfulness.ui import one_sample, visualiser
from faithfulness.ui.worked_example import worked_note, worked_report, worked_sample


def replayed(report: SampleReport) -> SampleReport:
    """The method on the same sample today, with a model that gives the kept replies."""
    texts = {Request(c.stage, c.region, c.group).text(report) or "": c.exchange.reply.text for c in report.calls}
    longest_first = sorted(texts, key=len, reverse=True)

    def answer(prompt: str) -> str:
        asked = prompt.rsplit("\n\n", 1)[-1]
        return texts[next(text for text in longest_first if not text or f"{text}\n" in asked)]

    *_, last = explain(worked_sample(), ScriptedModel(answer, report.model), Continuation(), Metric(), Plan())
    return last


def test_the_kept_replies_lead_to_what_is_shown() -> None:
    kept = worked_report()
    again = replayed(kept)
    for report in (kept, again):
        assert report.done
        assert report.retrieval_hard
    first, second = (
        [(c.stage, c.region, c.group, c.verdict.correct, c.exchange.prompt) for c in report.calls] for report in (again, kept)
    )
    assert first == second
    assert (again.keywords, again.score) == (kept.keywords, kept.score)
    assert kept.score is not None


def test_the_form_holds_the_sample_that_is_shown_and_another_takes_it_away() -> None:
    report, sample = worked_report(), worked_sample()
    assert (report.sample.passage, report.sample.answers) == (sample.passage, sample.answers)
    with gr.Blocks() as blocks:
        one_sample.place(lambda profile, key: ScriptedModel(str))
    shown = {block.label: block.value for block in blocks.blocks.values() if isinstance(block, gr.Textbox)}
    assert shown["Passage"] == sample.passage
    pages = [block.value or "" for block in blocks.blocks.values() if isinstance(block, gr.HTML)]
    assert any(worked_note(report) in page and "evidence-score" in page for page in pages)
    assert any("evidence-passage" in page for page in pages)
    summary, marked, rows, *_ = visualiser.shown_nothing()
    assert ("evidence-empty" in summary, marked, rows) == (True, "", [])
