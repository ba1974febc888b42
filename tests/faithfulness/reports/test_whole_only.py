"""Samples whose only region is the whole passage are counted and reported apart, wherever figures stand."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.models.language_models import ScriptedModel
from faithfulness.__main__ import main
from faithfulness.lab.sweep import grid, run_sweep, sweep_markdown, sweep_rows
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.method.regions import Splitter, candidate_regions, equal_parts, sentence_ends, words
from faithfulness.reports.page import report_html
from faithfulness.reports.tables import Tables, markdown_report, tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.run import RunSpecification, run_study
from faithfulness.ui.render_sample import summary_html

THREE = "Alpha beta gamma {n} delta epsilon. The item there is value-{n} now. Eta theta iota kappa {n}."
PASSAGES = [THREE, THREE, "value-{n}", "value-{n}", THREE.replace("epsilon.", "epsilon,")]


def model(name: str = "m") -> ScriptedModel:
    """Names the answer in passages of several words, and nothing that is in the passage in those of one."""

    def answer(prompt: str) -> str:
        last = prompt.rsplit("\n\n", 1)[1]
        number = last.rsplit("what is item ", 1)[1].split("\n")[0]
        keyword = "elsewhere" if int(number) in (3, 4) else f"value-{number}"
        return f" value-{number}\nKeywords: {keyword}" if f"value-{number}" in last else ""

    return ScriptedModel(answer, name)


def study_of(path: Path, splitter: Splitter = Splitter.SENTENCES) -> RunSpecification:
    rows = [
        {"id": f"r{n}", "question": f"what is item {n}", "context": text.format(n=n), "answers": [f"value-{n}"]}
        for n, text in enumerate(PASSAGES, 1)
    ]
    (path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    profile = profile_of("m", "http://localhost:1/v1", protocol="continuation")
    return RunSpecification(str(path / "rows.jsonl"), (profile,), Plan(splitter=splitter))


def tables_in(path: Path, splitter: Splitter = Splitter.SENTENCES) -> Tables:
    folder = RunFolder(path / "out")
    list(run_study(study_of(path, splitter), folder, open_model=lambda profile: model(), metric=Metric()))
    return tables_of(folder)


def test_they_are_counted_and_f_is_given_without_them(tmp_path: Path) -> None:
    tables = tables_in(tmp_path)
    figures = tables.as_json()["models"]["m"]
    assert (figures["n"], figures["whole_only"], figures["whole_only_necessary"], figures["fewer_regions"]) == (5, 2, 2, 2)
    assert figures["F_whole_only"] == 0
    assert figures["F"] == pytest.approx(figures["F_several"] * 3 / 5, abs=1e-3)
    assert figures["lift_n"] == 3
    assert figures["lift"] == pytest.approx(figures["F_several"] - figures["F_random_several"], abs=1e-3)
    note = (
        f"m: of 5 rows, 2 have only the whole passage as region, which is sufficient by definition. F without them is "
        f"{figures['F_several']:.3f}, of them alone 0.000."
    )
    shown = markdown_report(tables)
    assert note in shown
    assert "no sample was explained" not in shown
    assert "| Only the whole passage as region: rows, with a score | 2 of 5, 2 |" in shown
    assert "| Fewer regions than asked for | 2 of 5 |" in shown
    page = report_html(tables)
    assert note in page
    assert page.index("Only the whole passage as region") < page.index("In detail")


def test_a_run_that_explains_nothing_says_where_its_samples_were_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = RunFolder(tmp_path / "out")
    unknowing = ScriptedModel(lambda prompt: " not known\nKeywords: item", "m")
    list(run_study(study_of(tmp_path), folder, open_model=lambda profile: unknowing, metric=Metric()))
    tables = tables_of(folder)
    note = (
        "m: no sample was explained, so that there is no F and nothing to compare it with. Of 5 rows, 5 need the passage; of "
        "these, 0 are answered with it, 0 have a sufficient region and none a necessary keyword."
    )
    assert note in markdown_report(tables)
    assert note in report_html(tables)
    assert main(["baselines", str(folder.path)]) == 0
    assert "m: no sample was explained, so that there is nothing to compare." in capsys.readouterr().out


def test_where_there_are_as_many_words_there_are_as_many_regions() -> None:
    """A sentence, lower-cased text without marks, and two sentences are cut at words; three sentences at their ends."""
    texts = ("one two three four", "Alpha beta gamma. Delta epsilon.", "Ab b. Cd d. Ef f. Gh h. Ij j. Kl l.")
    for text in texts:
        assert len(candidate_regions(text, 3, Splitter.SENTENCES)) == 3
    uneven = "Ab. Bc. C d e f g h i j k l m n o p q r s t u v w x y z."
    assert [region.of(uneven) for region in candidate_regions(uneven, 3, Splitter.SENTENCES)] == ["Ab.", "Bc.", uneven[8:]]


@given(st.lists(st.sampled_from(["a", "b.", "C", "D."]), min_size=1, max_size=14), st.integers(1, 5))
def test_cuts_at_sentence_ends_are_the_nearest_there_are(tokens: list[str], parts: int) -> None:
    """Against all ways to choose as many ends."""
    passage = " ".join(tokens)
    regions = candidate_regions(passage, parts, Splitter.SENTENCES)
    assert len(regions) == min(parts, len(tokens))
    sizes = [len(words(passage, region)) for region in regions]
    ends, equal = sentence_ends(passage)[:-1], equal_parts(len(tokens), parts)
    cuts, chosen = [sum(equal[: i + 1]) for i in range(len(equal) - 1)], list(itertools.accumulate(sizes))[:-1]
    if len(ends) < len(cuts):
        assert chosen == cuts
        return
    best = min(sum(abs(a - b) for a, b in zip(cuts, some, strict=True)) for some in itertools.combinations(ends, len(cuts)))
    assert sum(abs(a - b) for a, b in zip(cuts, chosen, strict=True)) == best
    assert set(chosen) <= set(ends)


def test_a_sweep_counts_them_for_each_setting(tmp_path: Path) -> None:
    settings = grid([2, 3], [5])
    list(run_sweep(study_of(tmp_path), settings, tmp_path / "sweep", open_model=lambda profile: model(), metric=Metric()))
    rows = sweep_rows(tmp_path / "sweep", settings)
    assert [row.whole_only for row in rows] == [2, 2]
    assert "| 2 of 5 |" in sweep_markdown(rows)


def test_the_page_of_one_sample_says_so(tmp_path: Path) -> None:
    tables_in(tmp_path)
    reports = [report for _, report in RunFolder(tmp_path / "out").reports("m")]
    noted = [report for report in reports if "the whole of it is its only region" in summary_html(report)]
    assert sorted(report.sample.question for report in noted) == ["what is item 3", "what is item 4"]
