"""The report of a run as one page that needs nothing else: tables, and figures that stay interactive offline.

The HTML itself stands in `page.html.jinja`, which escapes everything that came from data, a model or a person.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from backend.errors import FaithfulnessError
from backend.program.version import VERSION
from backend.text.templates import Macros, page_style
from faithfulness.reports.evidence import COLUMNS, EvidenceAgreement, agreement_lines
from faithfulness.reports.figures import score_figure, stages_figure
from faithfulness.reports.table_rows import ROWS, with_interval
from faithfulness.reports.tables import (
    BASELINE_COLUMNS,
    Tables,
    baseline_cells,
    difference_sentence,
    model_notes,
    own_sentence,
    tried_again,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

HTML = Macros(__file__)
STYLE = Path(__file__).with_suffix(".css")
# How many of the table's rows are about F and its controls, and how many behind them say how far samples came; the others stand
# under "In detail".
SCORE_ROWS, STAGE_ROWS = 8, 11


def report_html(tables: Tables, evidence: Mapping[str, Sequence[EvidenceAgreement]] | None = None) -> str:
    """The page of one run; `evidence` holds the agreement with people, by model."""
    names = list(tables.summaries)
    labels = list(ROWS)
    parts = [
        _settings(tables.settings),
        *(HTML("paragraph", note) for name in names for note in model_notes(tables, name)),
        section("F, and what other lists of words score", _models_table(tables, labels[:SCORE_ROWS])),
        html_figure(score_figure(tables.summaries)),
        section("How far samples came", _models_table(tables, labels[SCORE_ROWS:][:STAGE_ROWS])),
        html_figure(stages_figure(tables.summaries)),
        *_common(tables),
        section("In detail", _models_table(tables, labels[SCORE_ROWS + STAGE_ROWS :])),
        *(part for name in names for part in _baselines(tables, name)),
        *(_evidence(name, agreement) for name, agreement in (evidence or {}).items()),
        *_failures(tables),
    ]
    return whole_page("Does a language model use what it says it used?", parts)


def save_html(path: Path, page: str) -> None:
    """Raises FaithfulnessError if the file cannot be written."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise FaithfulnessError(f"The page cannot be written to {path}: {error.strerror or error}.") from error


def whole_page(title: str, parts: Iterable[Markup]) -> str:
    from plotly.offline import get_plotlyjs

    return HTML("whole", title, page_style(STYLE), Markup(get_plotlyjs()), parts, VERSION)


def _settings(settings: dict[str, Any]) -> Markup:
    plan = settings["plan"]
    rows = {
        "Data": settings["data"] + (f", {settings['limit']} rows drawn at random" if settings.get("limit") else ""),
        "Regions (p), groups (q)": f"{plan['parts']}, {plan['groups']}",
        "Cut at": "sentence ends" if plan["splitter"] == "sentences" else "equal numbers of words",
        "Mask": plan["mask"],
        "Times each question is asked": plan["repeats"],
        "Correctness": settings["correctness"],
        "Seed": plan["seed"],
    }
    return HTML("settings", rows)


def _models_table(tables: Tables, labels: Sequence[str]) -> Markup:
    lines = [[label, *(ROWS[label](summary) for summary in tables.summaries.values())] for label in labels]
    return html_table(["", *tables.summaries], lines)


def _common(tables: Tables) -> list[Markup]:
    if len(tables.summaries) < 2:
        return []
    lines = [[name, with_interval(each)] for name, each in tables.common.items()]
    caption = f"Samples that every model was explained on: {tables.common_size}"
    compared = section("Models side by side", html_table(["", "F, 95% interval"], lines, caption))
    return [compared, HTML("bullets", [difference_sentence(each) for each in tables.differences])]


def _baselines(tables: Tables, name: str) -> list[Markup]:
    if not tables.baselines[name]:
        return []
    caption = f"{tables.baselines[name][0].n} explained samples, as many words and calls for each"
    table = html_table(["keywords of", *BASELINE_COLUMNS], baseline_cells(tables, name), caption)
    return [section(f"Other ways to find the words: {name}", table), HTML("paragraph", own_sentence(tables.own[name]))]


def _evidence(name: str, agreement: Sequence[EvidenceAgreement]) -> Markup:
    caption = "Words, as means over explained samples in which both name some"
    return section(f"What people marked: {name}", html_table(COLUMNS, agreement_lines(agreement), caption))


def _failures(tables: Tables) -> list[Markup]:
    notes = [f"{name}: {len(failed)} samples failed and are in no figure." for name, failed in tables.failed.items() if failed]
    for name, reasons in tables.failures.items():
        notes += [f"{name}: {tried_again(count)}: {reason}" for reason, count in reasons.items()]
    return [section("What failed", HTML("bullets", notes))] if notes else []


def section(title: str, body: Markup) -> Markup:
    return HTML("section", title, body)


def html_table(heads: Sequence[str], lines: Iterable[Sequence[str]], caption: str = "") -> Markup:
    return HTML("table", heads, lines, caption)


def html_figure(figure: "go.Figure") -> Markup:
    config = {"displaylogo": False, "responsive": True}
    return HTML("figure", Markup(figure.to_html(full_html=False, include_plotlyjs=False, config=config)))
