"""The queue on the screen: one pair at a time, and what can be done with it.

Every handler reads the pair from the database at that moment. What somebody else decided meanwhile is shown, never
overwritten, and what is typed stays.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from annotation.parses.desk import Desk, ReviewDraft
from annotation.parses.pairs import Key, ReviewItem, ReviewState, find_item, next_item, progress
from annotation.parses.parse_reader import ParseReader
from annotation.parses.render import card_html, empty_html, keys_html, progress_html, reading_html, status_html
from annotation.parses.review import LONGEST_NAME, DecidedMeanwhile, accept, put_back, reject, review_words
from annotation.ui.review_rights import ReviewRights
from backend.errors import AnnotationError, ParseError
from backend.storage.database import Database
from backend.ui import errors_in_words

Update = dict[str, Any]
WHICH: dict[str, tuple[ReviewState, ...]] = {
    "Pending": (ReviewState.PENDING,),
    "Accepted": (ReviewState.ACCEPTED, ReviewState.EDITED),
    "Rejected": (ReviewState.REJECTED,),
    "All": tuple(ReviewState),
}
ALL_SETS = ("All data sets", "")
# The name stays in this browser only, so that it need not be typed at each visit.
RECALL_NAME = "() => localStorage.getItem('parley-reviewer') ?? ''"
REMEMBER_NAME = "(name) => { localStorage.setItem('parley-reviewer', name); }"
# After a decision the next pair is read out and the keys go on working; after a refusal the focus stays where it is.
FOCUS_NEW_CARD = "() => window.parleyReview?.focusNewCard()"
NOTE_CARD = "() => window.parleyReview?.noteCard()"


@dataclass(frozen=True)
class Tools:
    """What all handlers of the tab use; shared by everybody."""

    database: Database
    reader: ParseReader
    rights: ReviewRights = field(default_factory=ReviewRights)

    def find(self, key: Key) -> ReviewItem | None:
        """The item of a key, if the caller may see it."""
        return find_item(self.database, key, self.rights.owner())

    def following(self, after: Key | None, form: "ReviewForm") -> ReviewItem | None:
        """The next item of the caller's queue, as the form chooses."""
        return next_item(
            self.database, after, form.dataset or None, WHICH.get(form.which, WHICH["Pending"]), self.rights.owner()
        )


class ReviewForm(NamedTuple):
    """What comes from the screen with every press of a button."""

    desk: Desk
    parse: str
    reason: str
    reviewer: str
    dataset: str
    which: str

    @property
    def draft(self) -> ReviewDraft:
        return ReviewDraft(self.parse, self.reason)


class Screen(NamedTuple):
    """What goes back to it, in the order of `ReviewPanel.outputs`."""

    desk: Desk
    datasets: Update
    progress: str
    card: str
    form: Update
    parse: str
    reading: str
    reason: str
    accept: Update
    save: Update
    reject: Update
    put_back: Update
    skip: Update
    back: Update
    controls: Update
    status: str


Act = Callable[[Tools, Key, ReviewForm], ReviewItem]


def accept_as_it_is(tools: Tools, key: Key, form: ReviewForm) -> ReviewItem:
    item = tools.find(key)
    if item is not None and form.parse.strip() != item.proposed.strip():
        raise AnnotationError("You changed the parse, so this would lose your edit: press Save edit and accept.")
    return save_edit(tools, key, form)


def save_edit(tools: Tools, key: Key, form: ReviewForm) -> ReviewItem:
    return accept(tools.database, tools.reader, key, form.desk.seen, form.reviewer, form.parse, form.reason)


def turn_down(tools: Tools, key: Key, form: ReviewForm) -> ReviewItem:
    return reject(tools.database, key, form.desk.seen, form.reviewer, form.reason)


def take_back(tools: Tools, key: Key, form: ReviewForm) -> ReviewItem:
    return put_back(tools.database, key, form.desk.seen, form.reviewer, form.reason)


# --- handlers ------------------------------------------------------------------------------------------------------------


@errors_in_words
def decide(tools: Tools, act: Act, *fields: Any) -> Screen:
    """Save a decision and show the next pair; if it cannot be saved, say why and keep what was typed."""
    form = _form(fields)
    if form.desk.key is None:
        return refresh(tools, *fields)
    try:
        tools.rights.need_review()
        item = act(tools, form.desk.key, form)
    except DecidedMeanwhile as error:
        return _stay(tools, form, error.item, "Your decision was not saved; look again.", alert=True)
    except (AnnotationError, ParseError) as error:
        return _stay(tools, form, tools.find(form.desk.key), f"Not saved. {error.shown}", alert=True)
    desk = form.desk.forget(item.key)
    if item.state is ReviewState.PENDING:
        return _show(tools, form, desk.turn_to(item), item, "Put back to pending.")
    following = tools.following(item.key, form)
    return _show(tools, form, desk.turn_to(following), following, f"Saved as {item.state}. Back shows it again.")


@errors_in_words
def skip(tools: Tools, *fields: Any) -> Screen:
    """Show the pair after this one; what was typed is there again when it comes back."""
    form = _kept(tools, _form(fields))
    following = tools.following(form.desk.key, form)
    only = "There is no other pair to go to." if following and following.key == form.desk.key else ""
    return _show(tools, form, form.desk.turn_to(following), following, only)


@errors_in_words
def back(tools: Tools, *fields: Any) -> Screen:
    """Show the pair that was here before."""
    form = _kept(tools, _form(fields))
    item = tools.find(form.desk.visited[-1]) if form.desk.visited else None
    if item is None:
        return refresh(tools, *fields)
    return _show(tools, form, form.desk.turn_back(item), item)


@errors_in_words
def choose(tools: Tools, *fields: Any) -> Screen:
    """Show the first pair of another data set or in another state."""
    form = _kept(tools, _form(fields))
    first = tools.following(None, form)
    return _show(tools, form, form.desk.turn_to(first), first)


@errors_in_words
def refresh(tools: Tools, *fields: Any) -> Screen:
    """Show how things stand now; the pair in front stays there with what was typed."""
    form = _form(fields)
    item = tools.find(form.desk.key) if form.desk.key else None
    if item is None:
        first = tools.following(None, form)
        return _show(tools, form, form.desk.turn_to(first), first)
    return _stay(tools, form, item, "")


@errors_in_words
def check(tools: Tools, desk: Desk | None, parse: str) -> tuple[str, Update, Update]:
    """How an edited parse reads, and which of the two buttons fits."""
    item = tools.find(desk.key) if desk and desk.key else None
    if item is None:
        return "", gr.update(interactive=False), gr.update(interactive=False)
    return reading_html(tools.reader.read(parse, item.dataset)), *_buttons(item, parse)


# --- the screen ----------------------------------------------------------------------------------------------------------


def _form(fields: tuple[Any, ...]) -> ReviewForm:
    """What came from the screen; the desk is empty until the first pair has been shown."""
    return ReviewForm(*fields)._replace(desk=fields[0] or Desk())


def _kept(tools: Tools, form: ReviewForm) -> ReviewForm:
    """The form with what was typed laid aside for its pair."""
    item = tools.find(form.desk.key) if form.desk.key else None
    return form._replace(desk=form.desk.keep(item, form.draft)) if item else form


def _stay(tools: Tools, form: ReviewForm, item: ReviewItem | None, status: str, alert: bool = False) -> Screen:
    """The same pair as it stands now, with what was typed. News of others' decisions is shown, once."""
    if item is None:
        return _show(tools, form, form.desk.turn_to(None), None, status, alert)
    if news := item.history[form.desk.seen :]:
        status, alert = f"Meanwhile {review_words(news[-1])} {status}", True
    return _show(tools, form, form.desk.keep(item, form.draft).turn_to(item), item, status, alert)


def _show(tools: Tools, form: ReviewForm, desk: Desk, item: ReviewItem | None, status: str = "", alert: bool = False) -> Screen:
    counts = progress(tools.database, tools.rights.owner())
    chosen = [row for name, row in counts.items() if form.dataset in ("", name)]
    choices = [ALL_SETS, *((name, name) for name in counts)]
    datasets = gr.update(choices=choices, value=form.dataset if form.dataset in counts else "")
    bar, message, controls = progress_html(chosen), status_html(status, alert), gr.update(visible=bool(counts))
    can_go_back = gr.update(interactive=bool(desk.visited))
    if item is None:
        off, gone = gr.update(interactive=False), gr.update(visible=False)
        card = empty_html(none_left=bool(counts))
        return Screen(desk, datasets, bar, card, gone, "", "", "", off, off, off, gone, off, can_go_back, controls, message)
    draft, reader = desk.draft(item), tools.reader
    predicted, proposed = reader.read(item.predicted, item.dataset), reader.read(item.proposed, item.dataset)
    card = card_html(item, predicted, proposed, reader.known(item.dataset).why_not)
    reading = reading_html(reader.read(draft.parse, item.dataset)) if draft.parse != item.proposed else ""
    on, undo = gr.update(interactive=True), gr.update(visible=item.state is not ReviewState.PENDING)
    reviews = tools.rights.may_review()
    off = gr.update(interactive=False)
    first, second = _buttons(item, draft.parse) if reviews else (off, off)
    return Screen(
        desk, datasets, bar, card, gr.update(visible=reviews), draft.parse, reading, draft.reason,
        first, second, on if reviews else off, undo, on, can_go_back, controls, message,
    )  # fmt: skip


def _buttons(item: ReviewItem, parse: str) -> tuple[Update, Update]:
    """Accept while the parse is as proposed, save while it is not."""
    changed = parse.strip() != item.proposed.strip()
    first, second = ("secondary", "primary") if changed else ("primary", "secondary")
    return gr.update(interactive=not changed, variant=first), gr.update(interactive=changed, variant=second)


@dataclass(frozen=True)
class ReviewPanel:
    desk: gr.State
    reviewer: gr.Textbox
    dataset: gr.Dropdown
    which: gr.Radio
    progress: gr.HTML
    card: gr.HTML
    form: gr.Column
    parse: gr.Textbox
    reading: gr.HTML
    reason: gr.Textbox
    accept: gr.Button
    save: gr.Button
    reject: gr.Button
    put_back: gr.Button
    skip: gr.Button
    back: gr.Button
    controls: gr.Column
    status: gr.HTML

    @property
    def inputs(self) -> list[Any]:
        """In the order of `ReviewForm`."""
        return [self.desk, self.parse, self.reason, self.reviewer, self.dataset, self.which]

    @property
    def outputs(self) -> list[Any]:
        """In the order of `Screen`."""
        return [
            self.desk, self.dataset, self.progress, self.card, self.form, self.parse, self.reading, self.reason,
            self.accept, self.save, self.reject, self.put_back, self.skip, self.back, self.controls, self.status,
        ]  # fmt: skip


def place(tools: Tools) -> ReviewPanel:
    desk = gr.State()  # a function as its first value would be an endpoint that everybody can call
    with gr.Column(elem_id="annotation-review"):
        with gr.Row():
            reviewer = gr.Textbox(label="Your name", placeholder="Needed to decide", max_length=LONGEST_NAME)
            dataset = gr.Dropdown([ALL_SETS], value="", label="Data set")
            which = gr.Radio(list(WHICH), value="Pending", label="Show", scale=2, min_width=300)
        bar = gr.HTML(elem_classes="review-html", apply_default_css=False)
        card = gr.HTML(
            empty_html(none_left=False),
            elem_id="annotation-item",
            elem_classes="review-html",
            apply_default_css=False,
            js_on_load=None,
        )
        with gr.Column(visible=False) as form:
            parse = gr.Textbox(label="Parse to accept", max_lines=8, elem_id="annotation-parse")
            reading = gr.HTML(elem_classes="review-html", apply_default_css=False)
            reason = gr.Textbox(label="Reason (needed to reject, else as you like)", max_lines=6, elem_id="annotation-reason")
        with gr.Column(visible=False) as controls:
            with gr.Row():
                accept = _button("Accept", "accept", variant="primary")
                save = _button("Save edit and accept", "save", min_width=170, interactive=False)
                reject = _button("Reject", "reject", variant="stop")
                put_back = _button("Put back to pending", "put-back", min_width=170, visible=False)
                skip = _button("Skip", "skip")
                back = _button("Back", "back", interactive=False)
            status = gr.HTML(elem_classes="review-html", apply_default_css=False)
            gr.HTML(keys_html(), elem_classes="review-html", apply_default_css=False)
    return ReviewPanel(desk, reviewer, dataset, which, bar, card, form, parse, reading, reason, accept, save, reject,
                       put_back, skip, back, controls, status)  # fmt: skip


def _button(label: str, name: str, min_width: int = 90, **options: Any) -> gr.Button:
    return gr.Button(label, size="md", min_width=min_width, elem_id=f"annotation-{name}", **options)


def wire(panel: ReviewPanel, tools: Tools) -> None:
    private: dict[str, Any] = {"api_visibility": "private"}
    acts: dict[Any, Any] = {
        panel.accept.click: partial(decide, tools, accept_as_it_is),
        panel.save.click: partial(decide, tools, save_edit),
        panel.parse.submit: partial(decide, tools, save_edit),
        panel.reject.click: partial(decide, tools, turn_down),
        panel.reason.submit: partial(decide, tools, turn_down),
        panel.put_back.click: partial(decide, tools, take_back),
        panel.skip.click: partial(skip, tools),
        panel.back.click: partial(back, tools),
    }
    for event, handler in acts.items():
        done = event(handler, panel.inputs, panel.outputs, show_progress="hidden", **private)
        done.success(None, None, None, js=FOCUS_NEW_CARD, **private)
    chosen = gr.on([panel.dataset.input, panel.which.input], partial(choose, tools), panel.inputs, panel.outputs, **private)
    chosen.success(None, None, None, js=NOTE_CARD, **private)
    panel.parse.input(partial(check, tools), [panel.desk, panel.parse], [panel.reading, panel.accept, panel.save],
                      trigger_mode="always_last", show_progress="hidden", **private)  # fmt: skip
    panel.reviewer.change(None, panel.reviewer, None, js=REMEMBER_NAME, **private)
    blocks = gr.context.Context.root_block
    assert blocks is not None, "wire is called inside gr.Blocks"
    blocks.load(None, None, panel.reviewer, js=RECALL_NAME, **private)
