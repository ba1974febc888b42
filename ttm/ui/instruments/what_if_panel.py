"""One case with a field for each feature: other values, the prediction at once beside the original, and what moved."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import gradio as gr

from backend.errors import ExecutionError, ParseError
from backend.text.json_text import read_json
from backend.text.templates import Macros
from backend.ui import errors_in_words, page_number
from ttm.chat.instruments.what_if import (
    MovableCase,
    Prediction,
    WhatIf,
    asked_parse,
    asked_words,
    case_of_answer,
    case_of_row,
    changes_of,
    value_texts,
    what_if,
)
from ttm.chat.suggestions import SuggestedQuestion
from ttm.operations.rendering.answer import percent, points, value_text
from ttm.tabular.data.schema import Feature, FeatureKind, Schema
from ttm.ui.chat_panel import answering, asked
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
NAME = "what if"
HTML = Macros(__file__)
MOST_CLASSES = 5
MOST_MOVED = 4  # changes that are listed, the strongest: what stays in sight must leave room for the fields
OPERATIONS = {"predict": "predict", "why": "explain features"}
# The fields as they are at this moment: the button of a message hands on one value only, and that of an earlier moment.
VALUES = "(value, values, visit) => [window.ttmValue, window.ttmCase?.() ?? '', visit]"


class CaseField(NamedTuple):
    """A feature as a field of the form; `choices` are tokens and words of a feature with named values."""

    token: str
    label: str
    unit: str
    type: str
    original: str
    original_words: str
    value: str
    low: float | None
    high: float | None
    step: float
    choices: tuple[tuple[str, str], ...]


class Bar(NamedTuple):
    """The probability of a class before and after."""

    name: str
    before: str
    after: str
    before_width: float
    after_width: float


class MovedTable(NamedTuple):
    column: str
    cells: list[tuple[str, ...]]


@dataclass(frozen=True)
class WhatIfPanel:
    row_id: gr.Textbox
    another: gr.Button
    form: gr.HTML
    outcome: gr.HTML

    @property
    def opened(self) -> list[Any]:
        """What changes when a case is opened, in the order of `_opened`."""
        return [self.row_id, self.form, self.outcome]


def place() -> WhatIfPanel:
    with gr.Row(elem_classes="ttm-case-row", equal_height=True):
        row_id = gr.Textbox(label="Row", show_label=False, container=False, placeholder="Id of a row, then Enter", scale=3,
                            max_length=100, elem_id="ttm-case-id", min_width=120)  # fmt: skip
        another = gr.Button("Another row", size="sm", scale=0, min_width=100, elem_id="ttm-case-another")
    flush: dict[str, Any] = {"padding": False, "apply_default_css": False, "elem_classes": "ttm-flush"}
    with gr.Column(elem_classes="ttm-case-head"):
        outcome = gr.HTML(**flush, elem_id="ttm-case-outcome")
        gr.HTML(HTML("buttons"), **flush)
    form = gr.HTML(**flush, elem_id="ttm-case")
    return WhatIfPanel(row_id, another, form, outcome)


# --- handlers ------------------------------------------------------------------------------------------------------------


@errors_in_words
def open_row(row_id: str, visit: ChatVisit) -> tuple[Any, ...]:
    """Open the row with this id, or say beside the field why there is none."""
    try:
        return _open(case_of_row(visit.session.loaded.engine, row_id), visit)
    except (ExecutionError, ParseError):
        ids = visit.session.loaded.subject.dataset.frame.index
        reason = (
            f"There is no row with the id {row_id.strip()!r}. Ids are such as {', '.join(map(str, ids[:3]))}, up to {ids[-1]}."
        )
        return gr.skip(), gr.skip(), HTML("refused", reason)


@errors_in_words
def open_another(visit: ChatVisit) -> tuple[Any, ...]:
    """Open a row drawn at random."""
    index = visit.session.loaded.subject.dataset.frame.index
    return _open(case_of_row(visit.session.loaded.engine, str(visit.random.choice(index))), visit)


@errors_in_words
def open_answer(value: str, visit: ChatVisit) -> tuple[Any, ...]:
    """Open the row that the answer to a turn was about, with the changes that the question made."""
    case = case_of_answer(visit.session.loaded.engine, visit.session.turn(page_number(value)).memory)
    if case is None:
        raise ExecutionError("That answer is not about one row.")
    return _open(case, visit)


@errors_in_words
def open_chosen(visit: ChatVisit) -> tuple[Any, ...]:
    """Open the row that was chosen in the data browser."""
    if visit.row is None:
        raise ExecutionError("No row is chosen. Click one in the table first.")
    return _open(case_of_row(visit.session.loaded.engine, visit.row), visit)


@errors_in_words
def open_first(visit: ChatVisit) -> tuple[Any, ...]:
    """What stands in the panel when it is first looked at: the row that was spoken of last, or the first one."""
    session = visit.session
    if visit.case is not None:
        return gr.skip(), gr.skip(), gr.skip()
    case = case_of_answer(session.loaded.engine, session.conversation.memory)
    first = str(session.loaded.subject.dataset.frame.index[0])
    return _open(case or case_of_row(session.loaded.engine, visit.row or first), visit)


@errors_in_words
def open_again(visit: ChatVisit) -> tuple[Any, ...]:
    """After another data set was chosen: a row of it, if the panel was looked at before."""
    return open_first(visit) if NAME in visit.opened else (gr.skip(), gr.skip(), gr.skip())


def _open(case: MovableCase, visit: ChatVisit) -> tuple[Any, ...]:
    visit.case = case
    visit.opened.add(NAME)
    row_id = case.name.removeprefix("id ") if case.name.startswith("id ") else ""
    form = HTML("fields", _fields(case, visit.session.schema), case.name)
    return gr.update(value=row_id), form, _outcome(case, case.values, visit)


@errors_in_words
def renew(value: str, values: str, visit: ChatVisit) -> str:
    """The outcome for the values that the fields hold now."""
    case = _case(visit)
    try:
        return _outcome(case, _values(values), visit)
    except ExecutionError as error:  # said beside the fields, where it was caused
        return HTML("refused", error.message)


@errors_in_words
def ask(value: str, values: str, visit: ChatVisit) -> Iterator[Update]:
    """Put the case with its changes into the conversation: `value` names what is asked of it."""
    case, schema, operation = _case(visit), visit.session.schema, OPERATIONS[value]
    changes = changes_of(case, _values(values), schema)
    words = asked_words(case, changes, operation, schema)
    question = visit.session.offer(SuggestedQuestion(words, asked_parse(case, changes, operation)))
    yield from answering(visit, asked(question.utterance))


def _case(visit: ChatVisit) -> MovableCase:
    if visit.case is None:
        raise ExecutionError("No row is opened yet. Type the id of one, or press “Another row”.")
    return visit.case


def _values(text: str) -> dict[str, str]:
    try:
        values = read_json(text or "{}")
    except ValueError as error:
        raise ExecutionError("The values of this case cannot be read; open the row again.") from error
    if not isinstance(values, dict):
        raise ExecutionError("The values of this case are an object, by the names of the features.")
    return {str(token): str(value) for token, value in values.items()}


# --- what is shown -------------------------------------------------------------------------------------------------------


def _fields(case: MovableCase, schema: Schema) -> list[CaseField]:
    original = value_texts(case.row, schema)
    return [_field(feature, case, original[feature.token]) for feature in schema.features]


def _field(feature: Feature, case: MovableCase, original: str) -> CaseField:
    words = value_text(case.row[feature.name].iloc[0], feature)
    value, choices = case.values[feature.token], tuple[tuple[str, str], ...]()
    kind = "date" if feature.kind is FeatureKind.DATE else "number"
    low, high, step = (feature.low, feature.high, 10.0**-feature.precision) if kind == "number" else (None, None, 1.0)
    if feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN):
        choices = tuple((feature.value_token(one), value_text(one, feature)) for one in feature.values)
    low = None if low is None else round(math.floor(low / step) * step, feature.precision)
    high = None if high is None else round(math.ceil(high / step) * step, feature.precision)
    return CaseField(feature.token, feature.label, feature.unit, kind, original, words, value, low, high, step, choices)


def _outcome(case: MovableCase, values: Mapping[str, str], visit: ChatVisit) -> str:
    schema = visit.session.schema
    result = what_if(visit.session.loaded.subject, case, changes_of(case, values, schema))
    return HTML("outcome", result, _bars(result, schema), _moved(result, schema))


def _bars(result: WhatIf, schema: Schema) -> list[Bar]:
    before, after = result.before.probabilities, result.after.probabilities
    names = sorted(before, key=lambda name: -max(before[name], after[name]))[:MOST_CLASSES]
    names = [schema.target.classes[-1]] if len(before) == 2 else names
    return [
        Bar(name, percent(before[name]), percent(after[name]), round(100 * before[name], 2), round(100 * after[name], 2))
        for name in names
    ]


def _moved(result: WhatIf, schema: Schema) -> MovedTable | None:
    if not result.moved:
        return None
    together = _difference(result.before, result.after, schema)
    if len(result.moved) == 1:
        (one,) = result.moved
        return MovedTable("moves it by", [(one.feature.label, one.before, one.after, together)])
    strongest = sorted(result.moved, key=lambda one: -_distance(result.before, one.alone))[:MOST_MOVED]
    cells = [
        (one.feature.label, one.before, one.after, "" if one.alone is None else _difference(result.before, one.alone, schema))
        for one in result.moved
        if one in strongest
    ]
    count = "both" if len(result.moved) == 2 else f"all {len(result.moved)}"
    return MovedTable("on its own", [*cells, (f"{count} together", "", "", together)])


def _distance(before: Prediction, alone: Prediction | None) -> float:
    return 0.0 if alone is None else abs(alone.value - before.value)


def _difference(before: Prediction, after: Prediction, schema: Schema) -> str:
    target = schema.target
    if not target.is_classification:
        difference = after.value - before.value
        return f"{difference:+,.{target.precision or 1}f}"
    name = target.classes[-1] if len(target.classes) == 2 else before.outcome
    return points(after.probabilities[name] - before.probabilities[name])


# --- wiring --------------------------------------------------------------------------------------------------------------


def wire(panel: WhatIfPanel, tab: gr.Tab, visit: gr.State) -> None:
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    tab.select(open_first, visit, panel.opened, **quiet)
    panel.row_id.submit(open_row, [panel.row_id, visit], panel.opened, **quiet)
    panel.another.click(open_another, visit, panel.opened, **quiet)
