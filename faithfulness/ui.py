"""The tab "LLM faithfulness": one sample taken apart, live."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import gradio as gr

from backend.database import Database
from backend.embeddings import SentenceEmbedder
from backend.errors import FaithfulnessError
from backend.language_models import LanguageModel, OpenAIEndpoint, PackagedModel
from backend.settings import Settings
from backend.ui import errors_in_words, heading
from faithfulness.correctness import Metric
from faithfulness.explain import Plan, Report, explain
from faithfulness.prompting import PROTOCOLS
from faithfulness.regions import Splitter
from faithfulness.render import call_rows, call_text, passage_html, summary_html
from faithfulness.sample import Sample, read_examples

PACKAGED = "SmolLM2-135M, on this computer"
SERVER = "A server with the OpenAI interface"
COLUMNS = ["", "Asked", "About", "Answer", "Verdict", "Seconds"]
STYLE = Path(__file__).parent / "evidence.css"
CUTS = {
    "Equal parts, moved to sentence ends": Splitter.SENTENCES,
    "Equal numbers of words (the paper, to the letter)": Splitter.WORDS,
}


@cache
def packaged_model() -> PackagedModel:
    """One for the process: its weights are loaded once, at the first question."""
    return PackagedModel()


@cache
def metric() -> Metric:
    return Metric(SentenceEmbedder())


def choose_example(title: str) -> tuple[str, str, str]:
    """Question, passage and accepted answers (a line each) of an example."""
    sample = next(sample for sample in read_examples() if sample.title == title)
    return sample.question, sample.passage, "\n".join(sample.answers)


def chosen_model(choice: str, address: str, name: str, key: str) -> LanguageModel:
    """The model that was chosen. The key lives in this call only: it is not stored, logged or exported."""
    if choice == PACKAGED:
        return packaged_model()
    if not address.strip() or not name.strip():
        raise FaithfulnessError("A server needs its address (such as http://localhost:8000/v1) and the name of a model.")
    return OpenAIEndpoint(address.strip(), name.strip(), key.strip())


def show_server(choice: str) -> tuple[Any, Any]:
    """The fields of a server, and the protocol that suits the choice."""
    is_server = choice == SERVER
    return gr.update(visible=is_server), gr.update(value="chat" if is_server else "continuation")


@errors_in_words
def take_apart(
    question: str, passage: str, answers: str, choice: str, address: str, name: str, key: str,
    protocol: str, cut: str, parts: float, groups: float,
) -> Iterator[tuple[str, str, list[list[str]], Report]]:  # fmt: skip
    """Run the method on what is in the form, showing each call as it returns."""
    accepted = tuple(line.strip() for line in answers.splitlines() if line.strip())
    sample = Sample(question.strip(), passage.strip(), accepted)
    plan = Plan(parts=int(parts), groups=int(groups), splitter=CUTS[cut])
    model = chosen_model(choice, address, name, key)
    for report in explain(sample, model, PROTOCOLS[protocol](), metric(), plan):
        yield summary_html(report), passage_html(report), call_rows(report), report


def most_calls(parts: float, groups: float) -> str:
    """How many calls a run can take, before it starts."""
    return f"At most {Plan(parts=int(parts), groups=int(groups)).most_calls()} calls to the model."


def show_call(report: Report | None, event: gr.SelectData) -> str:
    """What was sent and what came back in the row that was clicked."""
    row = event.index[0] if isinstance(event.index, list | tuple) else event.index
    return call_text(report.calls[row]) if report else ""


def build(settings: Settings, database: Database) -> None:
    """Place the tab's components; called inside its `gr.Tab`."""
    heading(
        "Does a language model use what it says it used?",
        "A model answers a question from a passage and names its keywords. Parts of the passage are then left out, to see "
        "which of them the answer really rests on. Here one question at a time is taken apart; runs over whole data sets, "
        "other baselines and comparisons of models are not built yet.",
    )
    gr.HTML(f"<style>{STYLE.read_text('utf-8')}</style>", padding=False)
    with gr.Row():
        with gr.Column(scale=2, min_width=320):
            inputs = _form()
        with gr.Column(scale=3, min_width=320):
            outputs, run, stop = _results()
    started = run.click(take_apart, inputs, outputs, api_name="faithfulness_explain", concurrency_id="language model",
                        concurrency_limit=2)  # fmt: skip
    stop.click(None, None, None, cancels=[started], api_visibility="private")


def _form() -> list[Any]:
    first = read_examples()[0]
    titles = [sample.title for sample in read_examples()]
    example = gr.Dropdown(titles, value=first.title, label="An example, or type your own below")
    question = gr.Textbox(first.question, label="Question")
    passage = gr.Textbox(first.passage, label="Passage", lines=7, max_lines=14)
    answers = gr.Textbox("\n".join(first.answers), label="Accepted answers, one a line", lines=2, max_lines=6)
    example.change(choose_example, example, [question, passage, answers], api_visibility="private")
    choice = gr.Radio([PACKAGED, SERVER], value=PACKAGED, label="Model")
    with gr.Group(visible=False) as server:
        address = gr.Textbox(label="Address", placeholder="http://localhost:8000/v1")
        name = gr.Textbox(label="Name of the model")
        key = gr.Textbox(label="Key", type="password", info="Used for this run only; it is not stored or logged.")
    with gr.Accordion("How it is asked and cut", open=False):
        protocol = gr.Radio(
            [("Thought, keywords, answer (as in the paper)", "chat"), ("Continuation, for small models", "continuation")],
            value="continuation",
            label="Protocol",
        )
        cut = gr.Radio(list(CUTS), value=next(iter(CUTS)), label="Regions")
        parts = gr.Slider(2, 6, value=3, step=1, label="Regions (p)")
        groups = gr.Slider(2, 10, value=5, step=1, label="Groups of words in a region (q)")
        budget = gr.Markdown(most_calls(3, 5))
    choice.change(show_server, choice, [server, protocol], api_visibility="private")
    gr.on([parts.change, groups.change], most_calls, [parts, groups], budget, api_visibility="private")
    return [question, passage, answers, choice, address, name, key, protocol, cut, parts, groups]


def _results() -> tuple[list[Any], gr.Button, gr.Button]:
    with gr.Row():
        run = gr.Button("Take the answer apart", variant="primary")
        stop = gr.Button("Stop", variant="stop", min_width=80)
    summary = gr.HTML("<p>What the model answers, and what its answer rests on, will stand here.</p>")
    marked = gr.HTML()
    with gr.Accordion("Every call", open=False):
        calls = gr.Dataframe(
            headers=COLUMNS,
            column_widths=["40px", "150px", "45%", "20%", "110px", "80px"],
            interactive=False,
            wrap=True,
            label="Click a row to see what was sent",
        )
        sent = gr.Code(label="What was sent and what came back", language=None, interactive=False, wrap_lines=True)
    report = gr.State()
    calls.select(show_call, report, sent, api_visibility="private")
    return [summary, marked, calls, report], run, stop
