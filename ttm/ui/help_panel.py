"""Help for newcomers: a line above the chat that can be put away, and a short tour with the keys beside it."""

from dataclasses import dataclass
from typing import Any

import gradio as gr

from backend.text.html_pieces import label_html
from backend.text.templates import Macros

HTML = Macros(__file__)
TOUR = """
### In six steps
1. **Ask** in your own words: *how many people have age above 50?* Each answer says which group it speaks of, and how large
   that is.
2. **Go on** from there: *and why?*, *what about these people?*, *what if bmi were 5 lower?* Groups are remembered. Proposals
   for the next question stand under the last answer.
3. **Check** how you were understood: the last line of an answer says it in words; open it to see the parse. If it is not
   what you meant, choose another reading, or press **Correct** and change it step by step.
4. **Keep** what matters: **Pin** an answer to have it beside the chat, or save the whole conversation as a file.
5. **Move** values of one row under *What if* and the decision threshold under *Threshold*: the prediction and the scores follow
   at once, and a button asks about what you set.
6. **Look** at the rows under *Browse the data*, as a table or as points; click some and ask about them. *Bring your own data*
   lets you talk about a table and a model of yours. *Save a report* (under *About*) writes all about the model as one page.

An answer is computed from the data and the model, never made up: the words come from fixed sentences with the numbers filled
in. If a question is outside what can be answered, the answer says so.
"""
KEYS = """
### Keys
| key | what it does |
| --- | --- |
| Enter | ask; Shift+Enter begins a new line |
| / | go to the question line |
| ↑ | in an empty question line: bring the last question back |
| Alt+Z | undo the last question |
| Alt+P | pin the last answer, or take its pin away |
| Alt+C | correct how the last question was understood |
| Tab | goes to every button, also inside answers |
"""
WHAT_CAN_BE_ASKED = """
### What can be asked
- **Predictions**: of a row, a group or a made-up case; how likely each class is and how sure that is, for which rows
  least; what if values change, or a feature had every other value; another decision threshold, or one for each group
- **Reasons**: why (SHAP, LIME, the most faithful of them), how important a feature is, and how the prediction moves
  with it, for single rows too (ICE), its SHAP values, from which value on it changes, which features work together
- **Changes**: what would have to change for another prediction, without changing a feature, by one alone, by at most
  two, or within bounds; for a group the smallest change that all have in common
- **Quality**: scores with intervals, the confusion matrix, false positives and negatives, error rates and fairness by
  group, calibration, typical mistakes, largest errors and residuals, the score without a feature, lift and gain, the
  cheapest threshold or that of a wanted recall or precision, other models on the same rows
- **Data**: rows, counts, averages and scores by a column, cross-tables, missing values, what columns and terms mean,
  distributions, scatter plots, correlations, lines through points, similar rows, outliers, what has drifted in a second
  table
- **Groups**: side by side, one row beside all others, whether that is significant, names for groups

Or ask: *what can you do?*
"""

BELOW = {"ttm-browse": "Browse the data", "ttm-own": "Bring your own"}


@dataclass(frozen=True)
class Newcomer:
    row: gr.Row
    tour: gr.Button
    dismiss: gr.Button


def ways_below(brings_own: bool) -> str:
    """Buttons that open what lies under the conversation, however long that has become."""
    return HTML("ways_below", [(id, label) for id, label in BELOW.items() if brings_own or id != "ttm-own"])


def place_newcomer() -> Newcomer:
    with gr.Row(elem_classes="ttm-newcomer", elem_id="ttm-newcomer", equal_height=True) as row:
        gr.HTML(label_html("New here? Click a proposal, or take the tour."), padding=False)
        tour = gr.Button("Tour", size="sm", scale=0, min_width=110, elem_id="ttm-tour")
        dismiss = gr.Button("Dismiss", size="sm", scale=0, min_width=80, elem_id="ttm-dismiss")
    return Newcomer(row, tour, dismiss)


def place() -> None:
    gr.Markdown(TOUR, elem_classes="ttm-prose")
    gr.Markdown(WHAT_CAN_BE_ASKED, elem_classes="ttm-prose")
    gr.Markdown(KEYS, elem_classes="ttm-prose")


def open_tour() -> Any:
    """Show the tour beside the chat."""
    return gr.update(selected="help")


def dismiss() -> tuple[Any, bool]:
    """Put the line for newcomers away, also for the next visit from this browser."""
    return gr.update(visible=False), True


def greet(dismissed: bool) -> Any:
    return gr.update(visible=not dismissed)


def wire(newcomer: Newcomer, side: gr.Tabs) -> None:
    # Nothing depends on what a browser says here; the secret only keeps the note readable after a restart.
    remembered = gr.BrowserState(False, storage_key="parley-chat-newcomer-dismissed", secret="parley")
    private: dict[str, Any] = {"api_visibility": "private"}
    newcomer.tour.click(open_tour, None, side, **private)
    newcomer.dismiss.click(dismiss, None, [newcomer.row, remembered], **private)
    gr.on([gr.context.Context.root_block.load], greet, remembered, newcomer.row, **private)  # type: ignore[union-attr]
