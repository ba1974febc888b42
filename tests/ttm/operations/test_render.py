"""What a person reads: right numbers in right words, escaped, with figures that hold what they say."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.ttm.conftest import Asker
from ttm.operations.render import Answer, render_turn
from ttm.operations.rendering import figures
from ttm.operations.rendering.answer import escape, feature_scale, number, percent, points, value_text
from ttm.operations.rendering.figures import plot_text
from ttm.operations.results import Group, Refused, as_json
from ttm.tabular.data.schema import Feature, FeatureKind

Ask = Callable[[str], Asker]


def answers(conversation: Asker, text: str) -> list[Answer]:
    return render_turn(conversation.all(text), conversation.schema)


def answer(conversation: Asker, text: str) -> Answer:
    (only,) = answers(conversation, text)
    return only


def plain(text: str) -> str:
    """The text without emphasis and escapes."""
    return html.unescape(re.sub(r"\\(.)", r"\1", text.replace("**", "")))


# --- numbers and names ---------------------------------------------------------------------------------------------------


def test_numbers_are_shown_at_their_precision() -> None:
    assert number(12345.678, 1) == "12,345.7"
    assert number(-0.004, 2) == "0.00"
    assert number(float("nan"), 2) == number(None, 0) == "unknown"


def test_years_have_no_mark_between_thousands() -> None:
    built = Feature("YearBuilt", "yearbuilt", FeatureKind.NUMERIC, low=1905.0, high=2022.0)
    assert value_text(1936, built) == "1936"
    assert feature_scale(built).fine(1961.5) == "1962"
    assert value_text(1936, replace(built, name="income")) == "1,936"


def test_shares_never_round_to_nothing_or_all() -> None:
    assert percent(0.5) == "50.0%"
    assert percent(0) == "0.0%"
    assert percent(0.0001) == "under 0.1%"
    assert percent(0.9999) == "over 99.9%"
    assert percent(1) == "100.0%"
    assert points(-0.123) == "12.3 points lower"
    assert points(0.00001) == "under 0.1 points higher"


def test_texts_from_data_are_neither_markup_nor_lines_of_their_own() -> None:
    nasty = "<script>alert(1)</script> **b** [a](javascript:x) `c`\n\n# title ![i](x) $x$ ~~s~~ | cell"
    text = escape(nasty)
    assert "<" not in text
    assert "\n" not in text
    shown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(f"For {text}:")
    assert re.findall(r"</?(\w+)", shown) == ["p", "p"]
    assert html.unescape(shown).strip() == f"<p>For {' '.join(nasty.split())}:</p>"
    assert "://" not in escape("see http://a.b")  # no link comes out of a bare address either
    assert "&lt;b&gt;" in plot_text("<b>")


def test_names_with_markup_are_harmless_everywhere(ask: Asker) -> None:
    for text in ("statistic loanpurpose", "distribution loanpurpose", "compare loanpurpose", "predict", "score default",
                 "effect loanpurpose", "filter loanpurpose <b>not *really*</b> and likelihood"):  # fmt: skip
        for one in answers(ask, text):
            assert "<b>" not in one.text
            assert "<risk>" not in one.text
            if one.figure is not None:
                shown = json.loads(one.figure.to_json())
                assert not [found for found in strings(shown) if re.search(r"<(b|risk)>", found)]


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for child in children for text in strings(child)]


# --- sentences -----------------------------------------------------------------------------------------------------------


def test_the_group_its_size_and_the_classes_by_name(ask: Asker) -> None:
    text = plain(answer(ask, "filter age greater than 40 and predict").text)
    rows = (ask.subject.dataset.frame["Age"] > 40).sum()
    assert text.startswith(f"For people with age above 40 ({rows} of 80), the model predicts ")
    assert '"good <risk>" for' in text
    assert "class 1" not in text


def test_a_single_row_is_spoken_of_by_its_id(ask: Asker) -> None:
    share = percent(ask.subject.probabilities[10].max())
    name = ask.schema.target.classes[ask.subject.predictions[10]]
    text = plain(answer(ask, "filter id 110 and predict").text)
    assert text == f'For the instance with id 110, the model predicts "{name}", with a probability of {share}.'
    oldest = ask.subject.dataset.frame["Age"].idxmax()
    text = plain(answer(ask, "filter age greater than 87 and predict").text)
    assert text.startswith(f"For people with age above 87 (1 of 80, id {oldest})")


def test_one_class_for_all_needs_no_percentage(ask: Asker) -> None:
    assert "for all of them" in answer(ask, "predictionfilter 1 and predict").text


def test_what_if_tells_before_and_after(ask: Asker) -> None:
    text = plain(answer(ask, "filter id 110 and change age increase 40 and likelihood").text)
    assert text.startswith("If age were increased by 40, for the instance with id 110, the predicted probability of")
    assert " instead of " in text
    assert "points higher" in text
    flips = ask("change age increase 20 and predict").flipped
    assert f"{flips} of 80 predictions would change" in plain(answer(ask, "change age increase 20 and predict").text)
    assert "No prediction would change" in answer(ask, "change age increase 0 and predict").text


def test_regression_speaks_of_values(asker: Ask) -> None:
    conversation = asker("regression")
    text = plain(answer(conversation, "filter id 110 and likelihood").text)
    assert re.search(r"the model predicts a price of \d+\.\d\. \(This model predicts a number", text)
    assert "no better than always saying the mean" in answer(conversation, "score r2").text


def test_unknown_labels_are_counted_and_said(ask: Asker) -> None:
    assert "3 rows without a known outcome are left out" in answer(ask, "score accuracy").text
    assert "For 3 more it is not known" in answer(ask, "label").text


def test_emptiness_is_said_once_for_several_questions(ask: Asker) -> None:
    found = answers(ask, "filter age greater than 300 and predict and likelihood and score f1")
    assert len(found) == 1
    assert "no people with age above 300" in found[0].text
    counted = answer(ask, "filter age greater than 300 and countdata")
    assert counted.text.startswith("**None.** There are no people")


def test_notes_come_once_at_the_end(ask: Asker) -> None:
    found = answers(ask, "change age set 400 and predict and likelihood")
    assert "Note" not in found[0].text
    assert found[1].text.count("*Note: The age is then outside anything in the data") == 1


def test_an_undefined_score_says_why(ask: Asker) -> None:
    text = plain(answer(ask, "predictionfilter 0 and score precision").text)
    assert "is undefined: the model predicts" in text
    assert "undefined" in str(answer(ask, "predictionfilter 0 and score default").tables)


def test_many_rows_are_shown_in_pages(ask: Asker) -> None:
    first = answer(ask, "show")
    assert first.text.startswith("Here are **20 of 80** people, numbers 1 to 20.")
    assert len(first.tables[0].rows) == 20
    assert first.next_parses[0] == "followup"
    assert "numbers 21 to 40" in answer(ask, "followup").text


def test_changed_values_are_shown_before_and_after(ask: Asker) -> None:
    row = dict(answer(ask, "filter id 110 and change age set 33 and show").tables[0].rows)  # type: ignore[arg-type]
    assert row["age"] == f"{ask.subject.dataset.frame.loc[110, 'Age']} → 33"
    assert "→" not in row["body mass"]


def test_suggestions_stay_with_the_group(ask: Asker) -> None:
    assert all(
        text.startswith("previousfilter and ") for text in answer(ask, "filter age less than 40 and predict").next_parses
    )
    assert not any("previousfilter" in text for text in answer(ask, "predict").next_parses)


# --- side by side --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operation",
    ["predict", "likelihood", "score accuracy", "score default", "countdata", "label", "statistic age",
     "statistic loanpurpose", "mistake count"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["binary", "several"])
def test_groups_share_one_table_and_one_sentence(operation: str, kind: str, asker: Ask) -> None:
    found = answer(asker(kind), f"filter smoker true versus filter smoker false and {operation}")
    (table,) = found.tables
    assert table.columns == ("", "people with smoker = yes", "people with smoker = no")
    assert " against " in found.text
    assert re.search(
        r"(points (higher|lower)|more|less|fewer)(\.| \(95% interval .* to .*: (no clear|a) difference)", found.text
    )


def test_the_difference_is_that_of_the_numbers(ask: Asker) -> None:
    frame, probabilities = ask.subject.dataset.frame, ask.subject.probabilities[:, 1]
    one, two = (probabilities[(frame["smoker"] == value).to_numpy()].mean() for value in ("yes", "no"))
    text = plain(answer(ask, "filter smoker true versus filter smoker false and likelihood").text)
    assert f"is {percent(one)} for people with smoker = yes" in text
    assert f"against {percent(two)} for people with smoker = no" in text
    assert text.endswith(f": {points(one - two)}.")


def test_more_than_two_groups_name_highest_and_lowest(ask: Asker) -> None:
    groups = " versus ".join(f"filter loanpurpose {value}" for value in ("car", "new car", "a and b"))
    found = answer(ask, f"{groups} and statistic age")
    assert "is highest for" in found.text
    assert len(found.tables[0].columns) == 4


def test_an_empty_side_is_said_beside_the_other(ask: Asker) -> None:
    text = answer(ask, "filter smoker true versus filter age greater than 300 and predict").text
    assert "no people with age above 300" in text
    assert "the model predicts" in text


def test_important_features_are_compared_by_rank(ask: Asker) -> None:
    found = answer(ask, "filter id 110 or filter id 112 versus filter id 113 or filter id 115 and important all")
    assert found.text.startswith("Most important: **")
    assert len(found.tables[0].rows) == len(ask.schema.features) + 1


# --- figures -------------------------------------------------------------------------------------------------------------


FIGURES = ("likelihood", "distribution age", "distribution since", "distribution loanpurpose", "distribution probability",
           "compare age", "effect age", "effect since", "effect smoker", "score roc", "score precision", "score confusion",
           "score calibration", "threshold", "correlate age")  # fmt: skip


@pytest.mark.parametrize("text", FIGURES)
def test_figures_are_transparent_titled_and_readable_on_any_page(text: str, ask: Asker) -> None:
    figure = answer(ask, text).figure
    assert figure is not None
    layout = figure.layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0, 0, 0, 0)"
    assert layout.title.text
    assert 300 <= layout.height <= 900
    assert contrast(layout.font.color, "#ffffff") >= 4
    assert contrast(layout.font.color, "#0b0f19") >= 4
    json.loads(figure.to_json())


def contrast(one: str, two: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines."""

    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


PAGES = ("#ffffff", "#f8fafc", "#0f172a", "#020617")  # behind figures: files that are saved, the chat, both when dark


@pytest.mark.parametrize("page", PAGES)
def test_marks_of_figures_stand_out_from_the_page_and_from_the_hints_over_them(page: str) -> None:
    """At least 3 to 1 for what is no text, by WCAG 2, 1.4.11."""
    assert min(contrast(color, page) for color in (*figures.COLORS, figures.GREY)) >= 3
    assert contrast("#ffffff", figures.HOVER) >= 7


@pytest.mark.parametrize("text", ["scatter age bodymass", "dependence age", "regress age bodymass"])
def test_points_keep_the_contrast_of_their_tone(text: str, ask: Asker) -> None:
    """Half transparent, they had 2 to 1 on a dark page."""
    figure = answer(ask, text).figure
    assert figure is not None
    points_drawn = [trace for trace in figure.data if trace.mode == "markers"]
    assert points_drawn
    assert all(trace.marker.opacity in (None, 1) and trace.opacity in (None, 1) for trace in points_drawn)


def test_numbers_on_every_tone_of_a_matrix_can_be_read() -> None:
    """At least 4.5 to 1, by WCAG 2, 1.4.3."""
    inks = {"black": "#000000", "white": "#ffffff"}
    for share in range(101):
        tone = figures._tone(share / 100)
        colour = "#" + "".join(f"{round(part):02x}" for part in tone)
        assert contrast(colour, inks[figures.text_on(*tone)]) >= 4.5, share


def test_a_histogram_shows_every_row(ask: Asker) -> None:
    figure = answer(ask, "distribution age").figure
    assert figure is not None
    assert sum(sum(trace.y) for trace in figure.data) == 80
    assert {trace.name for trace in figure.data} == {"bad risk", "good &lt;risk&gt;", "unknown outcome"}


# --- for programs --------------------------------------------------------------------------------------------------------


def test_json_is_plain_and_unrounded(ask: Asker) -> None:
    result = as_json(ask("filter age greater than 40 and likelihood"))
    assert result["type"] == "MeanProbabilities"
    assert result["group"]["rows"] == (ask.subject.dataset.frame["Age"] > 40).sum()
    chosen = (ask.subject.dataset.frame["Age"] > 40).to_numpy()
    assert result["mean"]["good <risk>"] == pytest.approx(ask.subject.probabilities[chosen, 1].mean(), abs=1e-15)
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_a_refusal_is_its_reason(ask: Asker) -> None:
    refused = Refused("predict", Group("all", 1, 1), "No <b>.")
    assert render_turn((refused,), ask.schema)[0].text == "No &#60;b&#62;."
