"""Questions outlive the page and the server: the browser keeps them with their corrections, and the address names the open one.

See `asked.js`. A question without corrections is asked again; a corrected one is read from its record and looked up again.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import gradio as gr
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.jobs import ReportProgress
from backend.network.shares.spending import SPENDING
from backend.text.templates import Macros
from backend.ui import errors_in_words, watch_script
from inspired.dialogue.asked_after import ask_all, before_of
from inspired.dialogue.readings import FEW_EARLIER, AskedQuestion
from inspired.dialogue.records import read_record, write_record
from inspired.dialogue.session import LONGEST, WORLD_FACTS, Assistant
from inspired.ui.question_panel import PRIVATE, QuestionPanel, answered_in_turn, then_show
from inspired.ui.render import RefusedQuestion, refusals_html
from inspired.ui.visit import AskedBefore, PendingWork, QuestionVisit, Shown, asked_now, working

HTML = Macros(__file__)
EXAMPLE = "Which neighbours of Germany use the euro?"  # of the graph that comes with Parley
MOST_WAITING = 8
GONE = (
    "This was asked of a graph of your own, which is gone since the page was loaded again. Open the file again under “Ask a "
    "graph of your own”, and then ask."
)
SCRIPT = Path(__file__).with_name("asked.js")
# KEY tells several on one page apart.
KEEP = "(entry) => { window.kbKeep?.('KEY', entry); }"
OPEN = "(entry, desk) => [window.kbEntry ?? '', desk]"
# A page can be loaded before the script of the tab runs, so this stands on its own.
ARRIVAL = """(entry, desk) => {
  window.kbLive = true; // from now on the page hands clicks on
  window.kbBegin?.();
  const address = new URL(location.href).searchParams;
  let shown = {question: address.get("KEY") ?? "", earlier: address.getAll("KEY-after")}, kept = null, sent = [], own = "";
  const same = (each) => each.question === shown.question && (each.earlier ?? []).join("\\n") === shown.earlier.join("\\n");
  try {
    shown = shown.question ? shown : JSON.parse(sessionStorage.getItem("parley-KEY-shown")) ?? shown;
    own = JSON.parse(sessionStorage.getItem("parley-KEY-own")) ?? "";
    sent = JSON.parse(sessionStorage.getItem("parley-KEY-sent") ?? "[]").filter((each) => each.tries < 2);
    sessionStorage.setItem("parley-KEY-sent", JSON.stringify(sent.map((each) => ({...each, tries: each.tries + 1}))));
  } catch {}
  const gone = [...new Set([own, ...sent.filter((each) => each.own).map((each) => each.question)].filter(Boolean))];
  const waiting = sent.filter((each) => !each.own).map((each) => each.question).filter((each) => each !== shown.question);
  if (!shown.question && !waiting.length && !gone.length) return ["", desk];
  try {
    kept = JSON.parse(localStorage.getItem("parley-KEY-questions") ?? "[]").find(same);
  } catch {}
  return [JSON.stringify({...(kept ?? shown), waiting, gone}), desk];
}"""


class KeptQuestion(BaseModel):
    """A question as the browser keeps it; `record` is its dialogue if it was corrected, `waiting` was asked after it.

    `earlier` are those that a follow-up goes on from, the oldest first. `gone` was asked of a graph that the page had before it
    was loaded again.
    """

    model_config = ConfigDict(frozen=True)

    question: str = Field("", max_length=LONGEST)
    record: str | None = Field(None, max_length=1_000_000)
    earlier: tuple[Annotated[str, Field(max_length=LONGEST)], ...] = Field((), max_length=FEW_EARLIER)
    waiting: tuple[Annotated[str, Field(max_length=LONGEST)], ...] = Field((), max_length=MOST_WAITING)
    gone: tuple[Annotated[str, Field(max_length=LONGEST)], ...] = Field((), max_length=MOST_WAITING)


def entry(visit: QuestionVisit, desk: PendingWork) -> Any:
    """What the browser is to keep of the question on the screen, and of `others` that it was not told of."""
    if visit.asked is None:  # another graph was opened, or put away: what the address names was asked before that
        return json.dumps({"question": "", "others": [], "own": True})
    if visit.example or not visit.asked.dialogue.asked:
        return gr.skip()
    dialogue = visit.asked.dialogue
    shown = AskedBefore(dialogue.asked, visit.asked.goes_on_from)
    others, desk.answered = [asdict(each) for each in desk.answered if each != shown], ()
    if not desk.at_home:  # asked of a file that is gone when the page is loaded again
        return json.dumps({"question": dialogue.asked, "others": others, "own": True})
    corrected = bool(dialogue.feedback) or visit.asked.reading is None
    record = json.dumps(write_record(dialogue).model_dump(), ensure_ascii=False) if corrected else None
    return json.dumps({**asdict(shown), "record": record, "others": others}, ensure_ascii=False)


@errors_in_words
def open_entry(text: str, desk: PendingWork) -> Iterator[Shown]:
    """Show a question again that was asked before, or that the address names."""
    if not text:
        yield gr.skip(), gr.skip(), gr.skip()
        return
    try:
        kept = KeptQuestion.model_validate_json(text)
    except ValidationError:
        gr.Warning("What this browser kept of the question cannot be read. Ask it again.")
        yield gr.skip(), gr.skip(), gr.skip()
        return

    def work(report: ReportProgress) -> QuestionVisit:
        after = ask_all(desk.assistant, desk.remembered, kept.earlier, report)
        if kept.record is None:
            return QuestionVisit(desk.ask(kept.question, report, after))
        asked = AskedQuestion(desk.assistant.answered(read_record(kept.record), report))
        if after is None:
            return QuestionVisit(asked)
        before = before_of(after, desk.assistant.parts(report))
        return QuestionVisit(replace(asked, earlier=before, follows=before.question, whole=asked.dialogue.asked))

    now: AskedQuestion | None = None
    if kept.question or kept.record:
        for shown in working(desk, work, kept.question):
            now = asked_now(shown, now)
            yield shown
    for question in kept.waiting:
        for shown in answered_in_turn(question, desk, now):
            now = asked_now(shown, now)
            yield shown
    if kept.gone:
        desk.refused = (*desk.refused, *(RefusedQuestion(each, GONE) for each in kept.gone))
        yield gr.skip(), refusals_html(desk.refused, latest=not (kept.question or kept.waiting)), gr.skip()


@errors_in_words
def open_example(visit: QuestionVisit, desk: PendingWork) -> Any:
    """Answer an example where the tab is opened and nothing was asked; what is asked meanwhile comes before it."""
    if visit.asked is not None or desk.job is not None:
        return gr.skip()
    asked = desk.jobs.start(SPENDING.carried(lambda report: desk.ask(EXAMPLE, report))).result()
    return gr.skip() if desk.job is not None else QuestionVisit(asked, example=True)


def place_and_wire(panel: QuestionPanel, visit: gr.State, desk: gr.State, assistant: Assistant) -> None:
    key = panel.key
    gr.HTML(HTML("list", key), js_on_load=watch_script() + SCRIPT.read_text("utf-8"), padding=False, apply_default_css=False)
    quiet: dict[str, Any] = {"show_progress": "hidden", **PRIVATE}
    outputs = [visit, *panel.outputs]
    context = gr.context.Context
    assert context.root_block is not None, "the panel is placed inside gr.Blocks"
    inside, context.block = context.block, context.root_block  # what is in a tab is not there before the tab is opened
    kept, asked = gr.Textbox(visible="hidden", label="kept"), gr.Textbox(visible="hidden", label="asked")
    button = gr.Button("open", visible="hidden", elem_id=f"{key}-open")
    example = gr.Button("example", visible="hidden", elem_id=f"{key}-example") if assistant.label == WORLD_FACTS else None
    context.block = inside
    visit.change(entry, [visit, desk], kept, **quiet).then(None, kept, None, js=KEEP.replace("KEY", key), **quiet)
    then_show(button.click(open_entry, [asked, desk], outputs, js=OPEN, **quiet), panel, desk)
    if example is not None:
        example.click(open_example, [visit, desk], visit, **quiet)
    gr.on([context.root_block.load], open_entry, [asked, desk], outputs, js=ARRIVAL.replace("KEY", key), **quiet)
