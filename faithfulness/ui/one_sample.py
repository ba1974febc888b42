"""One sample taken apart, live: each call is shown as it returns, and the run can be stopped at any time."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import gradio as gr
from gradio.events import api

from backend.errors import FaithfulnessError, ParleyError
from backend.jobs import Job, Jobs, ReportProgress
from backend.network.shares.fair_shares import OTHERS_SERVERS
from backend.network.shares.spending import SPENDING
from backend.text.markup import escape_html
from backend.ui import errors_in_words, json_endpoint
from faithfulness.method.correctness import hybrid_metric
from faithfulness.method.explain import Plan, SampleReport, explain
from faithfulness.method.prompting import PROTOCOLS
from faithfulness.method.sample import Sample, read_examples
from faithfulness.reports.sample_json import SampleJson, sample_json
from faithfulness.ui import model_choice, visualiser
from faithfulness.ui.model_choice import CUTS, PACKAGED, PROTOCOL_CHOICES, SERVER
from faithfulness.ui.visitor_runs import OpenModel
from faithfulness.ui.worked_example import worked_note, worked_report, worked_sample

# Most of these wait for other servers; the packaged model takes one call at a time by itself.
AT_ONCE = 8
RUNS_AT_ONCE = 8 * AT_ONCE  # also those that were stopped and whose last call is still on its way
MOST_PARTS, MOST_GROUPS = 6, 10
LONGEST_SAMPLE = 50_000  # characters of question, passage and answers together
# What programs call the values that the screen puts in words.
CHOICES = {"packaged": PACKAGED, "server": SERVER}
CUT_CODES = {splitter.value: words for words, splitter in CUTS.items()}
# On a narrow screen the result stands above the form, and the button under both.
SHOW_RESULT = "() => document.querySelector('#faithfulness-sample .evidence-summary')?.scrollIntoView({block: 'nearest'})"


class StopSign:
    """Of one browser tab. The run that it stops also says so on the screen: of two writers the later would win."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._job: Job[None] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> "StopSign":
        # Gradio begins each session with a copy of the first value.
        return StopSign(self._jobs)

    def start(self, work: Callable[[ReportProgress], None]) -> Job[None]:
        """Begin a run; an earlier one, if it still goes on, is stopped."""
        self.stop()
        self._job = self._jobs.start(SPENDING.carried(work))
        return self._job

    def stop(self) -> None:
        if self._job is not None:
            self._job.cancel()


def choose_example(title: str) -> tuple[str, str, str, str]:
    """Question, passage, accepted answers (a line each) and source of an example."""
    sample = next(sample for sample in read_examples() if sample.title == title)
    return sample.question, sample.passage, "\n".join(sample.answers), f"Source: {sample.source}."


def reports(
    open_model: OpenModel, question: str, passage: str, answers: str, choice: str, address: str, name: str, key: str,
    protocol: str, cut: str, parts: float, groups: float,
) -> Iterator[SampleReport]:  # fmt: skip
    """The method on what is in the form, a report after each call."""
    _check_choices(choice, protocol, cut, parts, groups)
    _check_texts(question, passage, answers, address or "", name or "", key or "")
    accepted = tuple(line.strip() for line in answers.splitlines() if line.strip())
    sample = Sample(question.strip(), passage.strip(), accepted)
    plan = Plan(parts=int(parts), groups=int(groups), splitter=CUTS[cut])
    profile = model_choice.chosen_profiles(choice, address, [name], protocol)[0]
    model = open_model(profile, key)
    return explain(sample, model, profile.open_protocol(), hybrid_metric(), plan)


def _check_choices(choice: str, protocol: str, cut: str, parts: float, groups: float) -> None:
    """Raise FaithfulnessError for what the form does not offer, as a program may send it."""
    for name, value, known in (("choice", choice, (PACKAGED, SERVER)), ("protocol", protocol, PROTOCOLS), ("cut", cut, CUTS)):
        if not isinstance(value, str) or value not in known:
            raise FaithfulnessError(f"{name} cannot be {value!r:.100}; choose {', '.join(map(repr, known))}.")
    for name, number, most in (("parts", parts, MOST_PARTS), ("groups", groups, MOST_GROUPS)):
        if isinstance(number, bool) or not isinstance(number, int | float) or not 1 <= number <= most:
            raise FaithfulnessError(f"{name} is a whole number from 1 to {most}, not {number!r:.100}.")


def _check_texts(*texts: str) -> None:
    if any(not isinstance(text, str) for text in texts):
        raise FaithfulnessError("Question, passage, answers, address, name and key are texts.")
    if (length := sum(map(len, texts))) > LONGEST_SAMPLE:
        raise FaithfulnessError(f"Question, passage and answers have {length:,} characters; up to {LONGEST_SAMPLE:,} are read.")


def followed(reports: Iterator[SampleReport], sign: StopSign) -> Iterator[SampleReport]:
    """The reports as they come, until their end or a stop; a call that is on its way then is left to itself."""
    ready: deque[SampleReport] = deque()

    def work(progress: ReportProgress) -> None:
        for report in reports:
            ready.append(report)
            progress(0.0, "")  # a run that was stopped ends here

    job = sign.start(work)
    try:
        for _ in job.watch():
            while ready and not job.stopped:
                yield ready.popleft()
            if job.stopped:
                return
        job.result()
    finally:
        job.cancel()  # also when the page was closed


@errors_in_words
def take_apart(open_model: OpenModel, sign: StopSign, *form: Any) -> Iterator[tuple[Any, ...]]:
    """What the screen shows while the sample in the form is taken apart, and which of the two buttons is there."""
    report: SampleReport | None = None
    try:
        stream = reports(open_model, *form)
        yield (*visualiser.shown(None, "Waiting for the first reply …"), *buttons(running=True))
        for report in followed(stream, sign):
            yield (*visualiser.shown(report), *buttons(running=True))
    except ParleyError as error:
        yield (*visualiser.shown(report, error.shown), *buttons(running=False))
        raise gr.Error(escape_html(error.shown), visible=False, print_exception=False) from error  # the note shows it
    yield (*visualiser.shown(report, _stopped_early(report)), *buttons(running=False))


def _stopped_early(report: SampleReport | None) -> str:
    if report is not None and report.done:
        return ""
    made = len(report.calls) if report else 0
    return f"Stopped after {made} call{'' if made == 1 else 's'}. What they showed stays here."


def stop_run(sign: StopSign) -> None:
    sign.stop()


def buttons(running: bool) -> tuple[Any, Any]:
    return gr.update(interactive=not running), gr.update(visible=running)


def endpoint(open_model: OpenModel) -> Callable[..., Any]:
    """The function for programs, which opens models as `open_model` does."""

    def faithfulness_explain(
        question: str, passage: str, answers: str, choice: Literal["packaged", "server"] = "packaged", address: str = "",
        name: str = "", key: str = "", protocol: Literal["continuation", "chat"] = "continuation",
        cut: Literal["sentences", "words"] = "sentences", parts: int = 3, groups: int = 5,
    ) -> SampleJson:  # fmt: skip
        """Check which words of a passage a language model needed for its answer, and whether the model names them itself.

        Args:
            question: The question that the model is to answer from the passage.
            passage: The text that holds the answer.
            answers: The accepted answers, one a line.
            choice: Which model: packaged (SmolLM2-135M, on this computer), or server (one with the OpenAI interface).
            address: The address of the server, such as http://localhost:8000/v1; empty for the packaged model.
            name: The name of the model at the server; empty for the packaged model.
            key: The key for the server; used for this call alone and not kept; empty for the packaged model.
            protocol: How the model is asked: continuation (for small base models) or chat.
            cut: Where regions end: sentences (equal parts, moved to sentence ends) or words (the paper, to the letter).
            parts: Into how many regions the passage is cut, from 2 to 6.
            groups: Into how many groups of words a region is cut, from 2 to 10.

        Returns:
            an object with answer, correct, stages, spans, keywords, score (f and its parts), controls and calls
        """
        chosen, where = _coded(CHOICES, choice, "choice"), _coded(CUT_CODES, cut, "cut")
        form = (question, passage, answers, chosen, address, name, key, protocol, where, parts, groups)
        *_, report = reports(open_model, *form)
        return SampleJson.model_validate(sample_json(report))

    return json_endpoint(faithfulness_explain)


def _coded(codes: Mapping[str, str], value: str, parameter: str) -> str:
    """What the screen calls the value of a parameter. Raises FaithfulnessError naming the codes there are."""
    if value not in codes and value not in codes.values():
        raise FaithfulnessError(f"{parameter} cannot be {value!r}; it is one of {', '.join(codes)}.")
    return codes.get(value, value)


def most_calls(parts: float, groups: float) -> str:
    """How many calls a run can take, before it starts."""
    return f"At most {Plan(parts=int(parts), groups=int(groups)).most_calls()} calls to the model."


def suiting_protocol(choice: str) -> str:
    return "chat" if choice == SERVER else "continuation"


def place(open_model: OpenModel) -> None:
    with gr.Row(elem_classes="evidence-columns"):
        with gr.Column(scale=2, min_width=320, elem_classes="evidence-form"):
            example, inputs = _form()
        with gr.Column(scale=3, min_width=320):
            with gr.Row(elem_classes="evidence-run"):
                run = gr.Button("Take the answer apart", variant="primary")
                stop = gr.Button("Stop", variant="stop", min_width=80, visible=False)
            worked = worked_report()
            screen = visualiser.place(first=worked, note=worked_note(worked))
    sign, outputs = gr.State(StopSign(Jobs(RUNS_AT_ONCE))), [*screen.outputs, run, stop]
    shared: dict[str, Any] = {"concurrency_id": OTHERS_SERVERS, "concurrency_limit": AT_ONCE}
    run.click(
        partial(take_apart, open_model), [sign, *inputs], outputs, api_visibility="private", show_progress="hidden", **shared
    )
    run.click(None, js=SHOW_RESULT, api_visibility="private")
    stop.click(stop_run, sign, None, api_visibility="private")
    example.input(visualiser.shown_nothing, None, screen.outputs, api_visibility="private")
    api(endpoint(open_model), api_name="faithfulness_explain", **shared)


def _form() -> tuple[gr.Dropdown, list[Any]]:
    """The choice of an example, and the fields that a run takes."""
    first = worked_sample()
    titles = [sample.title for sample in read_examples()]
    example = gr.Dropdown(titles, value=first.title, label="An example, or type your own below")
    question = gr.Textbox(first.question, label="Question")
    passage = gr.Textbox(first.passage, label="Passage", lines=7, max_lines=14)
    source = gr.Markdown(f"Source: {first.source}.", elem_classes="evidence-quiet")
    answers = gr.Textbox("\n".join(first.answers), label="Accepted answers, one a line", lines=2, max_lines=6)
    example.input(choose_example, example, [question, passage, answers, source], api_visibility="private")
    model = model_choice.place(several=False, about_key="Used for this run only; it is not stored or logged.")
    with gr.Accordion("How it is asked and cut", open=False):
        protocol = gr.Radio(PROTOCOL_CHOICES, value="continuation", label="Protocol")
        cut = gr.Radio(list(CUTS), value=next(iter(CUTS)), label="Regions")
        parts = gr.Slider(2, MOST_PARTS, value=3, step=1, label="Regions (p)")
        groups = gr.Slider(2, MOST_GROUPS, value=5, step=1, label="Groups of words in a region (q)")
    budget = gr.Markdown(most_calls(3, 5), elem_classes="evidence-quiet")
    model.choice.change(model_choice.show_server, model.choice, model.server, api_visibility="private")
    model.choice.change(suiting_protocol, model.choice, protocol, api_visibility="private")
    gr.on([parts.change, groups.change], most_calls, [parts, groups], budget, api_visibility="private")
    return example, [question, passage, answers, *model.inputs, protocol, cut, parts, groups]
