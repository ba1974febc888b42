"""What leaves a chat: HTML for notebooks, figures of matplotlib, SHAP values, a report, a section of a model card."""

import html
import io
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ttm
from backend.errors import ExecutionError

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def chat() -> ttm.ModelChat:
    from sklearn.ensemble import RandomForestClassifier

    draws = np.random.default_rng(1)
    frame = pd.DataFrame({"age": draws.integers(18, 80, 120), "sex": draws.choice(["f", HOSTILE], 120)})
    frame["left"] = np.where((frame["age"] < 45) ^ (draws.random(120) < 0.2), "yes", "no")
    model = RandomForestClassifier(10, random_state=0).fit(frame[["age"]], frame["left"])
    return ttm.talk(model, frame, target="left", parser="linker", columns=["age"], title=HOSTILE)


def test_a_notebook_shows_words_table_figure_and_readings_without_a_script(chat: ttm.ModelChat) -> None:
    answer = chat.ask("show all scores of the model")
    shown = answer._repr_html_()
    assert "accuracy is" in shown
    assert "<table" in shown
    assert "<svg" in shown
    assert "Understood as" in shown
    assert "<script" not in shown
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"|"http://www\.w3\.org[^"]*"', "", shown)
    bundle = answer._repr_mimebundle_()
    assert bundle["text/html"] == shown or "<svg" in bundle["text/html"]
    assert "accuracy is" in bundle["text/plain"]
    assert len(shown) < 60_000


def test_what_is_asked_back_is_shown_with_its_readings(chat: ttm.ModelChat) -> None:
    answer = chat.ask("zebra?")
    assert answer.parse is None
    assert answer.text
    assert answer.table is None
    assert answer.figure is None
    assert answer.text in html.unescape(answer._repr_html_())


@pytest.mark.slow
def test_a_figure_is_drawn_on_the_axes_of_a_paper(chat: ttm.ModelChat) -> None:
    from matplotlib.figure import Figure

    answer = chat.importance()
    ax = answer.plot()
    assert ax.figure.get_figwidth() * 25.4 == pytest.approx(85)
    lengths = sorted(bar.get_width() for bar in ax.patches)
    assert answer.table is not None
    assert lengths == pytest.approx(sorted(answer.table["importance"]))
    assert [text.get_text() for text in ax.texts] == [], "a label stands beside its bar, once"
    assert {label.get_text() for label in ax.get_yticklabels()} == {"age"}
    own = Figure().subplots()
    assert answer.plot(own) is own
    assert own.patches
    for kind in ("pdf", "svg"):
        file = io.BytesIO()
        ax.figure.savefig(file, format=kind)
        assert len(file.getvalue()) > 1000
    with pytest.raises(ExecutionError, match="no figure"):
        chat.ask("how many are there?").plot()


def test_nothing_of_a_figure_leaves_the_column() -> None:
    import plotly.graph_objects as go

    from ttm.chat.interface.plots.matplotlib_figures import draw

    figure = go.Figure(go.Bar(x=[0.1, 0.2], y=["age", "diabetes pedigree function"], orientation="h"))
    figure.update_layout(
        title="How far each feature moves the prediction", xaxis_title="mean change of the predicted probability"
    )
    ax = draw(figure)
    ax.figure.draw_without_rendering()
    for text in (ax.title, ax.xaxis.label, ax._left_title, *ax.get_yticklabels()):
        box = text.get_window_extent()
        assert box.x0 >= 0, text.get_text()
        assert box.x1 <= ax.figure.bbox.x1, text.get_text()


@pytest.mark.parametrize("width", [8, 10, 14])
def test_numbers_under_a_figure_among_others_stand_apart(width: float) -> None:
    import plotly.graph_objects as go
    from matplotlib.figure import Figure

    from ttm.chat.interface.plots.matplotlib_figures import draw

    figure = Figure(figsize=(width, 4.6))
    bars = go.Bar(x=[-0.159, 0.037], y=["critical account or loans elsewhere", "negative balance"], orientation="h")
    for ax in figure.subplots(1, 3):
        draw(go.Figure(bars), ax)
    figure.tight_layout()
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in figure.axes[-1].get_xticklabels()]
    assert len(boxes) >= 2
    assert all(left.x1 <= right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("parse", ["score confusion", "distribution age", "score roc", "effect age", "threshold"])
def test_every_kind_of_figure_can_be_drawn(parse: str, chat: ttm.ModelChat) -> None:
    answer = chat.parse(parse)
    assert answer.figure is not None, answer.text
    ax = answer.plot()
    assert ax.has_data()


def test_shap_draws_our_values_and_they_add_up(chat: ttm.ModelChat) -> None:
    shap = pytest.importorskip("shap")
    values = chat.shap_values(range(20))
    assert values.shape == (20, 1)
    model, rows = chat.session.loaded.subject.model, chat.frame.iloc[:20]
    expected = model.predict_proba(rows)[:, 1]
    assert (values.values.sum(axis=1) + values.base_values).tolist() == pytest.approx(expected.tolist(), abs=1e-6)
    assert isinstance(values, shap.Explanation)
    with pytest.raises(ExecutionError, match="There is no row 'x'"):
        chat.shap_values(["x"])
    from matplotlib import pyplot

    try:
        shap.plots.beeswarm(values, show=False)
        assert "age" in [label.get_text() for label in pyplot.gca().get_yticklabels()]
        dots = [dot for drawn in pyplot.gca().collections for dot in drawn.get_offsets()[:, 0]]
        assert sorted(dots) == pytest.approx(sorted(values.values[:, 0]))
        pyplot.figure()
        shap.plots.waterfall(values[3], show=False)
        assert f"= {expected[3]:.3f}".rstrip("0") in " ".join(text.get_text() for text in pyplot.gcf().findobj(pyplot.Text))
    finally:
        pyplot.close("all")


@pytest.mark.slow
def test_a_report_is_one_page_with_every_part_that_needs_nothing_else(chat: ttm.ModelChat, tmp_path: Path) -> None:
    chat.restart()
    chat.ask("how accurate is the model?")
    page = chat.report(tmp_path / "model.html").read_text("utf-8")
    for heading in ("Scores", "Importance", "Errors", "By age", "Questions that were asked"):
        assert f">{heading}</h" in page
    outside = page[: page.index("<script>")] + page[page.rindex("</script>", 0, page.index("<body>")) :]
    assert HOSTILE not in outside
    assert re.findall(r'(?:src|href)="http', outside) == []
    with pytest.raises(ExecutionError, match="Cannot write"):
        chat.report(tmp_path / "missing" / "model.html")


def test_a_section_of_a_model_card_is_markdown_with_whole_tables(chat: ttm.ModelChat) -> None:
    card = chat.model_card()
    assert card.startswith("### ")
    assert "#### Scores" in card
    assert "| accuracy |" in card
    assert HOSTILE not in card
    assert "&#57;" not in card
    table = [line for line in card.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table[:5]} == {5}
