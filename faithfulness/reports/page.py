"""The report of a run as one page that needs nothing else: tables, and figures that stay interactive offline.

Everything that came from data, a model or a person is escaped.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import FaithfulnessError
from backend.program.version import VERSION
from backend.text.markup import escape_html
from faithfulness.reports.evidence import COLUMNS, EvidenceAgreement, agreement_lines
from faithfulness.reports.figures import score_figure, stages_figure
from faithfulness.reports.tables import BASELINE_COLUMNS, ROWS, Tables, asked_how, baseline_cells, own_sentence, with_interval

if TYPE_CHECKING:
    import plotly.graph_objects as go

STYLE = Path(__file__).with_suffix(".css")
# Which of the table's rows say how far samples came; the others stand under "In detail".
STAGE_ROWS = 6


def report_html(tables: Tables, evidence: Mapping[str, Sequence[EvidenceAgreement]] | None = None) -> str:
    """The page of one run; `evidence` holds the agreement with people, by model."""
    names = list(tables.summaries)
    labels = list(ROWS)
    parts = [
        _settings(tables.settings),
        *(f"<p>{escape_html(asked_how(tables.settings, name))}</p>" for name in names),
        section("How far samples came", _models_table(tables, labels[:STAGE_ROWS])),
        html_figure(stages_figure(tables.summaries)),
        html_figure(score_figure(tables.summaries)),
        *_common(tables),
        section("In detail", _models_table(tables, labels[STAGE_ROWS:])),
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


def whole_page(title: str, parts: Iterable[str]) -> str:
    from plotly.offline import get_plotlyjs

    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape_html(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{STYLE.read_text('utf-8')}</style>\n<script>{get_plotlyjs()}</script>\n</head>\n<body>\n"
        f"<h1>{escape_html(title)}</h1>\n" + "\n".join(parts) + f"\n<p>Written by Parley {VERSION}.</p>\n</body>\n</html>\n"
    )


def _settings(settings: dict[str, Any]) -> str:
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
    return "<dl>" + "".join(f"<dt>{escape_html(a)}</dt><dd>{escape_html(b)}</dd>" for a, b in rows.items()) + "</dl>"


def _models_table(tables: Tables, labels: Sequence[str]) -> str:
    lines = [[label, *(ROWS[label](summary) for summary in tables.summaries.values())] for label in labels]
    return html_table(["", *tables.summaries], lines)


def _common(tables: Tables) -> list[str]:
    if len(tables.summaries) < 2:
        return []
    lines = [[name, with_interval(each)] for name, each in tables.common.items()]
    caption = f"The {tables.common_size} samples that every model was explained on"
    return [section("Models side by side", html_table(["", "F, 95% interval"], lines, caption))]


def _baselines(tables: Tables, name: str) -> list[str]:
    if not tables.baselines[name]:
        return []
    caption = f"{tables.baselines[name][0].n} explained samples, as many words and calls for each"
    table = html_table(["keywords of", *BASELINE_COLUMNS], baseline_cells(tables, name), caption)
    return [section(f"Other ways to find the words: {name}", table), f"<p>{escape_html(own_sentence(tables.own[name]))}</p>"]


def _evidence(name: str, agreement: Sequence[EvidenceAgreement]) -> str:
    caption = "Words, as means over explained samples in which both name some"
    return section(f"What people marked: {name}", html_table(COLUMNS, agreement_lines(agreement), caption))


def _failures(tables: Tables) -> list[str]:
    notes = [f"{name}: {len(failed)} samples failed and are in no figure." for name, failed in tables.failed.items() if failed]
    for name, reasons in tables.failures.items():
        notes += [f"{name}: {count} calls failed and were tried again: {reason}" for reason, count in reasons.items()]
    listed = "".join(f"<li>{escape_html(each)}</li>" for each in notes)
    return [section("What failed", f"<ul>{listed}</ul>")] if notes else []


def section(title: str, body: str) -> str:
    return f"<h2>{escape_html(title)}</h2>\n{body}"


def html_table(heads: Sequence[str], lines: Iterable[Sequence[str]], caption: str = "") -> str:
    head = "".join(f'<th scope="col">{escape_html(each)}</th>' for each in heads)
    rows = "".join(
        f'<tr><th scope="row">{escape_html(first)}</th>{"".join(f"<td>{escape_html(each)}</td>" for each in rest)}</tr>'
        for first, *rest in lines
    )
    captioned = f"<caption>{escape_html(caption)}</caption>" if caption else ""
    return f'<div class="wide"><table>{captioned}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def html_figure(figure: "go.Figure") -> str:
    config = {"displaylogo": False, "responsive": True}
    return f'<div class="wide">{figure.to_html(full_html=False, include_plotlyjs=False, config=config)}</div>'
