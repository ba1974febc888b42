"""The tab's part for one sample: its handlers as plain functions, the marked passage, the colours, the examples."""

import copy
import re
import threading
from collections.abc import Callable
from html import unescape
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

import faithfulness.ui
from backend.errors import AddressError, FaithfulnessError, LanguageModelError
from backend.jobs import Jobs
from backend.models.language_models import LanguageModel, OpenAIEndpoint, ScriptedModel
from backend.program.settings import Settings
from backend.storage.database import Database
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, SampleReport, begin
from faithfulness.method.keywords import occurrences
from faithfulness.method.regions import Splitter
from faithfulness.method.sample import read_examples
from faithfulness.runs.profiles import Profile
from faithfulness.ui import model_choice, one_sample, visualiser
from faithfulness.ui.model_choice import PACKAGED, SERVER, chosen_profiles, open_model
from faithfulness.ui.one_sample import StopSign
from faithfulness.ui.render_sample import passage_html, summary_html
from tests.faithfulness.method.test_by_hand import CASES, report_of, scripted
from tests.faithfulness.planted import Endpoint

KEY = "sk-only-in-memory"
PLANTED = CASES["two necessary groups, one named"]
FORM: tuple[Any, ...] = (
    "what is it", PLANTED["passage"], "gold", SERVER, "http://localhost:1/v1", "some-model", KEY, "continuation",
    "Equal numbers of words (the paper, to the letter)", 3, 3,
)  # fmt: skip


def opener(profile: Profile, key: str) -> LanguageModel:
    """The model that a test has put into the form."""
    return model_choice.open_model(profile, key)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Have the form's model be this one; answers are judged without embeddings."""
    monkeypatch.setattr(one_sample, "hybrid_metric", lambda paper=False: Metric(paper=paper))
    return lambda model: monkeypatch.setattr(model_choice, "open_model", lambda profile, key: model)


def test_each_call_is_shown_as_it_returns_and_stop_is_there_while_it_runs(asked: Callable[[Any], None]) -> None:
    asked(scripted(PLANTED))
    shown = list(one_sample.take_apart(opener, StopSign(Jobs()), *FORM))
    assert [len(each[2]) for each in shown] == [0, *range(1, 9), 8]
    assert [each[-1]["visible"] for each in shown] == [True] * 9 + [False]
    summary, marked = shown[-1][:2]
    assert '<span class="sufficient necessary"><strong>d</strong></span>' in marked
    assert "<dd>0.75</dd>" in summary
    assert "<progress" in shown[3][0]
    assert "<progress" not in summary


def test_what_came_back_before_an_error_stays(asked: Callable[[Any], None]) -> None:
    model = scripted(PLANTED)

    def fails_late(prompt: str) -> str:
        if len(model.prompts) > 3:
            raise LanguageModelError("some-model refused: too many requests, also after waiting (429).")
        return model.complete(prompt, max_tokens=9).text

    asked(ScriptedModel(fails_late))
    shown: list[Any] = []
    with pytest.raises(gr.Error, match="too many requests"):
        shown.extend(one_sample.take_apart(opener, StopSign(Jobs()), *FORM))
    summary, _, rows, *_, stop = shown[-1]
    assert "too many requests" in summary
    assert "<strong>Answer:</strong>" in summary
    assert len(rows) == 4
    assert stop["visible"] is False


def test_an_empty_form_is_told_in_words() -> None:
    with pytest.raises(gr.Error, match="A sample needs a question"):
        list(one_sample.take_apart(opener, StopSign(Jobs()), "", *FORM[1:]))


def test_stopping_ends_at_once_and_keeps_what_was_found(asked: Callable[[Any], None]) -> None:
    model, sign, hang = scripted(PLANTED), StopSign(Jobs()), threading.Event()

    def hangs_late(prompt: str) -> str:
        if len(model.prompts) == 3:
            hang.wait(120)
        return model.complete(prompt, max_tokens=9).text

    asked(ScriptedModel(hangs_late))
    shown = []
    for each in one_sample.take_apart(opener, sign, *FORM):
        shown.append(each)
        if len(each[2]) == 3:
            one_sample.stop_run(sign)
    assert not hang.is_set()
    hang.set()
    summary, _, rows, *_, stop = shown[-1]
    assert "Stopped after 3 calls" in summary
    assert len(rows) == 3
    assert stop["visible"] is False
    assert "<dd>0.75</dd>" in list(one_sample.take_apart(opener, sign, *FORM))[-1][0]  # and the next run is not stopped


def test_each_browser_tab_has_a_stop_sign_of_its_own() -> None:
    hang = threading.Event()
    first = StopSign(Jobs())
    second = copy.deepcopy(first)
    going = first.start(lambda report: bool(hang.wait(60)) and None)
    second.stop()
    assert not going.stopped
    first.stop()
    assert going.stopped
    hang.set()


def test_a_program_gets_the_same(asked: Callable[[Any], None]) -> None:
    asked(scripted(PLANTED))
    result = one_sample.endpoint(opener)(*FORM)
    assert result["score"]["f"] == 0.75
    assert len(result["calls"]) == 8
    coded = (*FORM[:3], "server", *FORM[4:8], "sentences" if FORM[8] == next(iter(model_choice.CUTS)) else "words", *FORM[9:])
    assert one_sample.endpoint(opener)(*coded)["spans"] == result["spans"]
    with pytest.raises(gr.Error, match="one of packaged, server"):
        one_sample.endpoint(opener)(*FORM[:3], "mine")


def test_a_click_shows_what_was_sent_also_in_a_sorted_table() -> None:
    report = report_of(PLANTED)
    sent = visualiser.show_call(report, SimpleNamespace(row_value=["2", "", ""], index=[0, 1]))  # type: ignore[arg-type]
    assert f"Passage: {PLANTED['passage']}\nQuestion: what is it\nAnswer:" in sent
    assert sent.startswith("----- reply -----\n gold\nKeywords: d\n")
    assert visualiser.show_call(report, SimpleNamespace(row_value=["99"])) == ""  # type: ignore[arg-type]
    assert visualiser.show_call(None, SimpleNamespace(row_value=["1"])) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_marked_passage_is_the_passage(case: dict[str, Any]) -> None:
    """Without the words for screen readers and the numbers of regions, exactly its characters are there."""
    shown = passage_html(report_of(case))
    body = re.search(r'<p class="evidence-passage"[^>]*>(.*?)</p>', shown, re.DOTALL)
    assert body
    heard = re.sub(r"<sup.*?</sup>", "", body[1])
    seen = re.sub(r'<span class="evidence-said">.*?</span>', "", heard)
    assert unescape(re.sub(r"<[^>]+>", "", seen)) == case["passage"]
    assert heard.count("[sufficient region: ") == len(case["sufficient"])
    assert heard.count("[necessary words: ") == sum(len(each.split(" | ")) for each in case["necessary"] if each)
    assert heard.count("[") - case["passage"].count("[") == heard.count("]") - case["passage"].count("]")


def test_the_marks_stand_below_as_a_list() -> None:
    shown = unescape(passage_html(report_of(PLANTED)))
    assert "<li>Sufficient region: “d e f”</li>" in shown
    assert "<li>Necessary words: “d”; “f”</li>" in shown
    assert "<li>The model's own keywords: “d”</li>" in shown


def test_a_note_is_text() -> None:
    assert "<img" not in summary_html(None, "<img src=x onerror=alert(1)>")


# --- colours ---


def _rules() -> dict[str, tuple[str, str]]:
    """Text and background of each mark, light and dark."""
    css = (Path(faithfulness.ui.__file__).with_name("evidence.css")).read_text(encoding="utf-8")
    found = {}
    for selector, body in re.findall(r"^((?:\.dark )?\.evidence \.\w+) \{([^}]*)\}", css, re.MULTILINE):
        colours = dict(re.findall(r"(?<![\w-])(background|color): (#[0-9a-f]{6})", body))
        if len(colours) == 2:
            found[selector] = (colours["color"], colours["background"])
    return found


def _linear(colour: str) -> list[float]:
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def _luminance(colour: str) -> float:
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), _linear(colour), strict=True))


def test_marked_text_has_the_contrast_of_wcag_aaa() -> None:
    rules = _rules()
    assert len(rules) == 4
    for text, background in rules.values():
        high, low = sorted((_luminance(text), _luminance(background)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 7


# Machado, Oliveira and Fernandes (2009), table 1, severity 1.0.
DEFICIENCIES = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def _lab(colour: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of a colour as it is seen with a deficiency."""
    seen = [min(1.0, max(0.0, sum(m * v for m, v in zip(row, _linear(colour), strict=True)))) for row in matrix]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(m * v for m, v in zip(row, seen, strict=True)) for row in to_xyz]
    shares = [value / white for value, white in zip(xyz, (0.9505, 1, 1.089), strict=True)]
    f = [share ** (1 / 3) if share > 0.008856 else 7.787 * share + 16 / 116 for share in shares]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


@pytest.mark.parametrize("matrix", DEFICIENCIES.values(), ids=list(DEFICIENCIES))
def test_the_two_backgrounds_differ_for_every_eye(matrix: tuple[tuple[float, ...], ...]) -> None:
    for mode in ("", ".dark "):
        seen = [_lab(_rules()[f"{mode}.evidence .{name}"][1], matrix) for name in ("sufficient", "necessary")]
        (first, second) = next(iter(combinations(seen, 2)))
        assert sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5 > 10


# --- models and keys ---


def test_a_typed_key_is_in_the_model_and_nowhere_else(asked: Callable[[Any], None], capsys: Any, caplog: Any) -> None:
    profiles = chosen_profiles(SERVER, "http://localhost:1/v1", ["some-model"], None)
    model = open_model(profiles[0], f" {KEY} ")
    assert isinstance(model, OpenAIEndpoint)
    assert model._address[1] == KEY
    asked(scripted(PLANTED))
    shown = list(one_sample.take_apart(opener, StopSign(Jobs()), *FORM))
    assert KEY not in repr((profiles, shown)) + capsys.readouterr().out + caplog.text


def test_the_keys_of_whoever_runs_it_are_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator")
    for name, address in (("gpt-4o", ""), ("gpt-4o", "http://elsewhere:1/v1")):
        model = open_model(chosen_profiles(SERVER, address, [name], None)[0], "")
        assert isinstance(model, OpenAIEndpoint)
        assert model._address[1] == "none"


@pytest.mark.parametrize(("host", "reached"), [("0.0.0.0", False), ("127.0.0.1", True)])
def test_strangers_cannot_name_addresses_of_this_computer(
    host: str, reached: bool, tmp_path: Path, database: Database, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way from the settings to the call, as a program takes it."""
    monkeypatch.setattr(one_sample, "hybrid_metric", lambda paper=False: Metric(paper=paper))
    with gr.Blocks(analytics_enabled=False) as blocks:
        faithfulness.ui.build(Settings(data_dir=tmp_path, host=host), database)
    explain = next(each.fn for each in blocks.fns.values() if each.api_name == "faithfulness_explain")
    form = (*FORM[:4], endpoint.url, *FORM[5:])
    assert explain is not None
    if not reached:
        with pytest.raises(gr.Error, match="not an address of the public internet"):
            explain(*form)
    else:
        explain(*form)
    assert (endpoint.requests > 0) is reached


def test_an_address_of_the_list_of_models_is_the_choice_of_the_operator(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_choice, "profiles", lambda: {"our-model": {"base_url": endpoint.url}})
    open_model(Profile(name="our-model", base_url=endpoint.url), "").complete("what is item 1\n\n?", max_tokens=5)
    with pytest.raises(AddressError, match="public internet"):
        open_model(Profile(name="my-model", base_url=endpoint.url), "").complete("?", max_tokens=5)
    assert endpoint.requests == 1


@pytest.mark.parametrize(
    ("address", "names", "says"),
    [
        ("", ["my-model"], "needs its address"),
        ("http://localhost:1/v1", [], "name of a model"),
        ("http://localhost:1/v1", ["", " "], "name of a model"),
        ("file:///etc/passwd", ["my-model"], "starts with http"),
        ("", ["transformers:/some/folder"], "not offered to visitors"),
    ],
)
def test_a_model_that_cannot_be_asked_is_told_in_words(address: str, names: list[str], says: str) -> None:
    with pytest.raises(FaithfulnessError, match=says):
        chosen_profiles(SERVER, address, names, None)


def test_the_packaged_model_is_one_for_the_process() -> None:
    (profile,) = chosen_profiles(PACKAGED, "ignored", ["ignored"], "continuation")
    assert open_model(profile, "") is open_model(profile, KEY)


# --- the form ---


def test_the_tab_is_placed_and_has_one_endpoint_for_programs(settings: Settings, database: Database) -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        faithfulness.ui.build(settings, database)
    named = blocks.get_api_info()["named_endpoints"]
    assert "/faithfulness_explain" in named
    values = [getattr(block, "value", None) for block in blocks.blocks.values() if isinstance(block, gr.State)]
    assert [type(value) for value in values if value is not None] == [SampleReport, StopSign]  # the worked example


def test_the_budget_is_told_before() -> None:
    assert one_sample.most_calls(3, 5) == "At most 20 calls to the model."
    assert one_sample.suiting_protocol(SERVER) == "chat"
    assert one_sample.suiting_protocol(PACKAGED) == "continuation"


def test_the_examples_are_many_and_varied() -> None:
    samples = read_examples()
    assert len(samples) >= 20
    assert len({sample.title for sample in samples}) == len(samples)
    for sample in samples:
        assert 60 <= len(sample.passage.split()) <= 120, sample.title
        assert any(occurrences(answer, sample.passage) for answer in sample.answers), sample.title
        assert ("invented" in sample.title) == ("invented" in sample.source)
        assert one_sample.choose_example(sample.title)[:2] == (sample.question, sample.passage)
    by_words = [begin(sample, Plan(splitter=Splitter.WORDS), "", "") for sample in samples]
    assert any(report.answer_cut for report in by_words)
    assert any(len(occurrences(sample.answers[0], sample.passage)) > 1 for sample in samples)
    assert any(" and " in sample.answers[0] for sample in samples)
